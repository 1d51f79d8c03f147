#include "probe.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tileguard {

namespace {

constexpr int kTries = 48;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
// Thrown where a meaning has no value: division by zero, overflow handled as CoefficientOverflow.
struct Undefined {};

class Guess {
 public:
  Guess(const SymbolTable& symbols, int round) : symbols_(symbols), round_(round) {}

  int64_t Value(SymbolId s) {
    auto known = values_.find(s);
    if (known != values_.end()) return known->second;
    const SymbolInfo& info = symbols_[s];
    const int64_t value =
        info.meaning.kind == Meaning::Kind::kFree ? Pick(s, info) : Follow(info.meaning);
    values_.emplace(s, value);
    return value;
  }

  const Assignment& values() const { return values_; }

 private:
  int64_t Of(const LinearExpr& e) {
    return Evaluate(e, [this](SymbolId s) { return Value(s); });
  }

  int64_t Follow(const Meaning& m) {
    if (m.kind == Meaning::Kind::kProduct) return CheckedMul(Of(m.a), Of(m.b));
    if (m.kind == Meaning::Kind::kChoice) {
      return Holds(m.condition, [this](SymbolId s) { return Value(s); }) ? Of(m.a) : Of(m.b);
    }
    const int64_t divisor = Of(m.b);
    if (divisor == 0) throw Undefined();
    return divisor > 0 ? FloorDivide(Of(m.a), divisor)
                       : FloorDivide(CheckedMul(Of(m.a), -1), CheckedMul(divisor, -1));
  }

  uint64_t Next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33;
  }

  // The first rounds take corners: everything low; threads, lanes and loops high over small shapes;
  // and so on. Later ones mix.
  int64_t Pick(SymbolId s, const SymbolInfo& info) {
    constexpr std::array<int64_t, 8> kShapes{0, 1, 2, 3, 7, 17, 127, 1025};
    const bool inner = info.kind == SymbolKind::kThread || info.kind == SymbolKind::kLane ||
                       info.kind == SymbolKind::kLoop;
    const int64_t lo = info.lo.value_or(info.hi ? std::min<int64_t>(*info.hi, -1) : -1);
    // Both ends may be those of 64 bits: no sum may pass `hi`.
    const int64_t far = std::max<int64_t>(lo, 0);
    const int64_t hi = info.hi.value_or(far + std::min<int64_t>(4096, kMost - far));
    if (lo >= hi) return lo;
    const uint64_t width = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo);
    auto above = [&](uint64_t steps) { return lo + static_cast<int64_t>(std::min(steps, width)); };
    state_ += static_cast<uint64_t>(s) * 977 + static_cast<uint64_t>(round_) * 7919 + 1;
    auto clamp = [&](int64_t v) { return std::min(std::max(v, lo), hi); };
    if (info.kind == SymbolKind::kShape)
      return clamp(kShapes[(static_cast<size_t>(round_) + Next() % 2) % 8]);
    if (round_ == 0) return lo;
    if (round_ < 8) return inner ? hi : lo;
    switch (Next() % 4) {
      case 0:
        return lo;
      case 1:
        return hi;
      case 2:
        return above(Next() % 8);
      default:
        break;
    }
    return above(Next() % (std::min<uint64_t>(width, 1 << 20) + 1));
  }

  const SymbolTable& symbols_;
  int round_;
  uint64_t state_ = 88172645463325252ULL;
  Assignment values_;
};

}  // namespace

std::optional<Assignment> Probe(const SymbolTable& symbols,
                                const std::vector<Formula>& conjunction) {
  for (int round = 0; round < kTries; ++round) {
    Guess guess(symbols, round);
    try {
      const bool found = std::all_of(conjunction.begin(), conjunction.end(), [&](const Formula& f) {
        return Holds(f, [&guess](SymbolId s) { return guess.Value(s); });
      });
      if (found) return guess.values();
    } catch (const CoefficientOverflow&) {
    } catch (const Undefined&) {
    }
  }
  return std::nullopt;
}

}  // namespace tileguard
