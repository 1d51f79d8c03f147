#include "world.h"

#include <numeric>
#include <utility>

namespace tileguard {
namespace testing {

namespace {

std::vector<size_t> InOrder(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int64_t Quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return Value(Make(Tree::Op::kFloorDiv, {Constant(a), Constant(b)}), {});
}

}  // namespace

std::vector<int64_t> Box::Variables() const {
  std::vector<int64_t> all(size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Box RandomBox(size_t variables, int64_t most, Random* random) {
  Box box;
  for (size_t i = 0; i < variables; ++i) {
    const int64_t lo = random->OneIn(2) ? 0 : random->Int(-3, 2);
    box.lo.push_back(lo);
    box.hi.push_back(lo + random->Int(0, most));
    box.told.push_back(!random->OneIn(4));
  }
  return box;
}

World::World(const Box& box) : World(box, InOrder(box.size())) {}

World::World(const Box& box, const std::vector<size_t>& order) : box_(box), leaves_(box.size()) {
  for (size_t variable : order) {
    SymbolInfo info;
    info.name = "v" + std::to_string(variable);
    info.kind = box.kinds.empty() ? SymbolKind::kLoop : box.kinds[variable];
    if (box.told[variable]) {
      info.lo = box.lo[variable];
      info.hi = box.hi[variable];
    }
    leaves_[variable] = LinearExpr::Symbol(symbols_.Add(std::move(info)));
  }
}

Formula World::UntoldBounds() const {
  std::vector<Formula> bounds;
  for (size_t i = 0; i < box_.size(); ++i) {
    if (box_.told[i]) continue;
    bounds.push_back(Ge(leaves_[i], box_.lo[i]));
    bounds.push_back(Ge(box_.hi[i], leaves_[i]));
  }
  return And(std::move(bounds));
}

int World::VariableOf(SymbolId id) const {
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (this->id(i) == id) return static_cast<int>(i);
  }
  return -1;
}

std::vector<int64_t> World::Values(const Point& point) const {
  std::vector<int64_t> values(symbols_.size());
  auto value = [&values](SymbolId s) { return values[static_cast<size_t>(s)]; };
  for (size_t i = 0; i < leaves_.size(); ++i) values[static_cast<size_t>(id(i))] = point[i];
  for (size_t i = leaves_.size(); i < symbols_.size(); ++i) {
    const Meaning& m = symbols_[static_cast<SymbolId>(i)].meaning;
    if (m.kind == Meaning::Kind::kFree) continue;
    const int64_t a = Evaluate(m.a, value);
    const int64_t b = Evaluate(m.b, value);
    if (m.kind == Meaning::Kind::kProduct) values[i] = a * b;
    if (m.kind == Meaning::Kind::kQuotient) values[i] = Quotient(a, b);
    if (m.kind == Meaning::Kind::kChoice) values[i] = Holds(m.condition, value) ? a : b;
  }
  return values;
}

}  // namespace testing
}  // namespace tileguard
