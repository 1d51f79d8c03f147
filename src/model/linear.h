// Linear integer expressions over numbered symbols: the common language of every room below TVM.
#ifndef TILEGUARD_MODEL_LINEAR_H_
#define TILEGUARD_MODEL_LINEAR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tileguard {

/*! \brief Index of a symbol in a SymbolTable. */
using SymbolId = int32_t;

/*! \brief Thrown when a coefficient leaves int64; callers answer Unknown(MayOverflow). */
class CoefficientOverflow : public std::runtime_error {
 public:
  CoefficientOverflow() : std::runtime_error("a coefficient does not fit 64 bits") {}
};

/*!
 * \brief constant + sum of coefficient * symbol, in mathematical integers.
 * Terms are sorted by symbol and never zero, so equal expressions compare equal.
 */
class LinearExpr {
 public:
  using Term = std::pair<SymbolId, int64_t>;

  LinearExpr() = default;
  LinearExpr(int64_t constant) : constant_(constant) {}  // NOLINT: a constant is an expression
  static LinearExpr Symbol(SymbolId symbol, int64_t coefficient = 1);

  int64_t constant() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }
  bool IsConstant() const { return terms_.empty(); }
  /*! \brief The coefficient of `symbol`, 0 when absent. */
  int64_t Coefficient(SymbolId symbol) const;
  /*! \brief This expression with `symbol` replaced by `value`. */
  LinearExpr Substitute(SymbolId symbol, const LinearExpr& value) const;
  size_t Hash() const;

  friend LinearExpr operator+(const LinearExpr& a, const LinearExpr& b);
  friend LinearExpr operator-(const LinearExpr& a, const LinearExpr& b);
  friend LinearExpr operator*(const LinearExpr& a, int64_t factor);
  friend LinearExpr operator-(const LinearExpr& a) { return a * -1; }
  friend bool operator==(const LinearExpr& a, const LinearExpr& b) {
    return a.constant_ == b.constant_ && a.terms_ == b.terms_;
  }
  friend bool operator!=(const LinearExpr& a, const LinearExpr& b) { return !(a == b); }

 private:
  int64_t constant_ = 0;
  std::vector<Term> terms_;
};

struct LinearExprHash {
  size_t operator()(const LinearExpr& e) const { return e.Hash(); }
};

/*! \brief a + b, a * b in int64. \throws CoefficientOverflow */
int64_t CheckedAdd(int64_t a, int64_t b);
int64_t CheckedMul(int64_t a, int64_t b);
/*! \brief Floor of a / b for b > 0. */
int64_t FloorDivide(int64_t a, int64_t b);

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_LINEAR_H_
