#include "symbols.h"

namespace tileguard {

Interval BoxBounds(const LinearExpr& e, const SymbolTable& symbols) {
  Interval out{e.constant(), e.constant()};
  // An end that leaves int64 is as good as unbounded.
  auto add = [](std::optional<int64_t>* sum, const std::optional<int64_t>& bound, int64_t factor) {
    int64_t product = 0;
    if (!*sum || !bound || __builtin_mul_overflow(*bound, factor, &product) ||
        __builtin_add_overflow(**sum, product, &product)) {
      *sum = std::nullopt;
    } else {
      *sum = product;
    }
  };
  for (const LinearExpr::Term& t : e.terms()) {
    const SymbolInfo& s = symbols[t.first];
    add(&out.lo, t.second > 0 ? s.lo : s.hi, t.second);
    add(&out.hi, t.second > 0 ? s.hi : s.lo, t.second);
  }
  return out;
}

std::string ToString(const LinearExpr& e, const SymbolTable& symbols) {
  std::string out;
  auto append = [&out](int64_t value, const std::string& name) {
    const bool negative = value < 0;
    const std::string magnitude = std::to_string(value).substr(negative ? 1 : 0);
    if (out.empty()) {
      out += negative ? "-" : "";
    } else {
      out += negative ? " - " : " + ";
    }
    if (name.empty()) {
      out += magnitude;
    } else {
      out += magnitude == "1" ? name : magnitude + "*" + name;
    }
  };
  for (const LinearExpr::Term& t : e.terms()) append(t.second, symbols[t.first].name);
  if (e.constant() != 0 || out.empty()) append(e.constant(), "");
  return out;
}

}  // namespace tileguard
