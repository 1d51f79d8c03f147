#include "formula.h"

#include <algorithm>
#include <utility>

namespace tileguard {

namespace {

Formula Constraint(Formula::Kind kind, LinearExpr e) {
  Formula f;
  f.kind = kind;
  f.expr = std::move(e);
  return f;
}

// Flattens nested combinations of the same kind; `absorbing` ends the list, `neutral` is dropped.
Formula Combine(Formula::Kind kind, std::vector<Formula> args) {
  const auto neutral = kind == Formula::Kind::kAnd ? Formula::Kind::kTrue : Formula::Kind::kFalse;
  const auto absorbing = kind == Formula::Kind::kAnd ? Formula::Kind::kFalse : Formula::Kind::kTrue;
  std::vector<Formula> flat;
  auto add = [&flat](Formula f) {
    if (std::find(flat.begin(), flat.end(), f) == flat.end()) flat.push_back(std::move(f));
  };
  for (Formula& f : args) {
    if (f.kind == absorbing) return f;
    if (f.kind == neutral) continue;
    if (f.kind == kind) {
      for (Formula& inner : f.args) add(std::move(inner));
    } else {
      add(std::move(f));
    }
  }
  if (flat.empty()) return Constraint(neutral, {});
  if (flat.size() == 1) return flat[0];
  Formula out;
  out.kind = kind;
  out.args = std::move(flat);
  return out;
}

}  // namespace

Formula True() { return {}; }
Formula False() { return Constraint(Formula::Kind::kFalse, {}); }

Formula GeZero(LinearExpr e) {
  if (e.IsConstant()) return e.constant() >= 0 ? True() : False();
  return Constraint(Formula::Kind::kGeZero, std::move(e));
}

Formula EqZero(LinearExpr e) {
  if (e.IsConstant()) return e.constant() == 0 ? True() : False();
  return Constraint(Formula::Kind::kEqZero, std::move(e));
}

Formula Ge(const LinearExpr& a, const LinearExpr& b) { return GeZero(a - b); }
Formula Lt(const LinearExpr& a, const LinearExpr& b) { return GeZero(b - a - 1); }
Formula Eq(const LinearExpr& a, const LinearExpr& b) { return EqZero(a - b); }
Formula And(std::vector<Formula> args) { return Combine(Formula::Kind::kAnd, std::move(args)); }
Formula Or(std::vector<Formula> args) { return Combine(Formula::Kind::kOr, std::move(args)); }

Formula Not(const Formula& f) {
  switch (f.kind) {
    case Formula::Kind::kTrue:
      return False();
    case Formula::Kind::kFalse:
      return True();
    case Formula::Kind::kGeZero:
      return GeZero(-f.expr - 1);
    case Formula::Kind::kEqZero:
      return Or({GeZero(f.expr - 1), GeZero(-f.expr - 1)});
    default:
      break;
  }
  std::vector<Formula> args;
  args.reserve(f.args.size());
  for (const Formula& a : f.args) args.push_back(Not(a));
  return f.kind == Formula::Kind::kAnd ? Or(std::move(args)) : And(std::move(args));
}

void ForEachExpr(const Formula& f, const std::function<void(const LinearExpr&)>& visit) {
  if (f.kind == Formula::Kind::kGeZero || f.kind == Formula::Kind::kEqZero) visit(f.expr);
  for (const Formula& a : f.args) ForEachExpr(a, visit);
}

Formula Substitute(const Formula& f, SymbolId symbol, const LinearExpr& value) {
  switch (f.kind) {
    case Formula::Kind::kGeZero:
      return GeZero(f.expr.Substitute(symbol, value));
    case Formula::Kind::kEqZero:
      return EqZero(f.expr.Substitute(symbol, value));
    case Formula::Kind::kAnd:
    case Formula::Kind::kOr: {
      std::vector<Formula> args;
      for (const Formula& a : f.args) args.push_back(Substitute(a, symbol, value));
      return Combine(f.kind, std::move(args));
    }
    default:
      return f;
  }
}

int64_t Evaluate(const LinearExpr& e, const std::function<int64_t(SymbolId)>& value) {
  int64_t sum = e.constant();
  for (const LinearExpr::Term& t : e.terms()) {
    sum = CheckedAdd(sum, CheckedMul(t.second, value(t.first)));
  }
  return sum;
}

bool Holds(const Formula& f, const std::function<int64_t(SymbolId)>& value) {
  auto holds = [&value](const Formula& a) { return Holds(a, value); };
  switch (f.kind) {
    case Formula::Kind::kTrue:
      return true;
    case Formula::Kind::kFalse:
      return false;
    case Formula::Kind::kGeZero:
      return Evaluate(f.expr, value) >= 0;
    case Formula::Kind::kEqZero:
      return Evaluate(f.expr, value) == 0;
    case Formula::Kind::kAnd:
      return std::all_of(f.args.begin(), f.args.end(), holds);
    case Formula::Kind::kOr:
      return std::any_of(f.args.begin(), f.args.end(), holds);
  }
  return false;
}

size_t HashFormula(const Formula& f) {
  size_t h = static_cast<size_t>(f.kind) * 1315423911U + f.expr.Hash();
  for (const Formula& a : f.args) h = h * 31 + HashFormula(a);
  return h;
}

}  // namespace tileguard
