// Boolean combinations of linear constraints, in negation normal form.
#ifndef TILEGUARD_MODEL_FORMULA_H_
#define TILEGUARD_MODEL_FORMULA_H_

#include <functional>
#include <vector>

#include "linear.h"

namespace tileguard {

/*!
 * \brief true, false, `expr >= 0`, `expr == 0`, or a conjunction or disjunction of formulas.
 * There is no negation node: Not() pushes it to the constraints, where the integers make it exact
 * (not(e >= 0) is -e - 1 >= 0).
 */
struct Formula {
  enum class Kind { kTrue, kFalse, kGeZero, kEqZero, kAnd, kOr };

  Kind kind = Kind::kTrue;
  LinearExpr expr;
  std::vector<Formula> args;

  bool IsTrue() const { return kind == Kind::kTrue; }
  bool IsFalse() const { return kind == Kind::kFalse; }
  friend bool operator==(const Formula& a, const Formula& b) {
    return a.kind == b.kind && a.expr == b.expr && a.args == b.args;
  }
};

/*! \brief Constants fold: a constraint without symbols becomes true or false. */
Formula GeZero(LinearExpr e);
Formula EqZero(LinearExpr e);
Formula Ge(const LinearExpr& a, const LinearExpr& b);
Formula Lt(const LinearExpr& a, const LinearExpr& b);
Formula Eq(const LinearExpr& a, const LinearExpr& b);
Formula True();
Formula False();
Formula And(std::vector<Formula> args);
Formula Or(std::vector<Formula> args);
Formula Not(const Formula& f);

/*! \brief Calls `visit` on every linear expression in `f`. */
void ForEachExpr(const Formula& f, const std::function<void(const LinearExpr&)>& visit);
/*! \brief `f` with `symbol` replaced by `value` everywhere. */
Formula Substitute(const Formula& f, SymbolId symbol, const LinearExpr& value);
/*! \brief Truth of `f` where `value(symbol)` gives each symbol's integer. */
bool Holds(const Formula& f, const std::function<int64_t(SymbolId)>& value);
/*! \brief The integer of `e` at a point. \throws CoefficientOverflow */
int64_t Evaluate(const LinearExpr& e, const std::function<int64_t(SymbolId)>& value);
size_t HashFormula(const Formula& f);

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_FORMULA_H_
