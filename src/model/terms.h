// Names for integer terms that are not linear, each with a formula that defines or bounds it.
#ifndef TILEGUARD_MODEL_TERMS_H_
#define TILEGUARD_MODEL_TERMS_H_

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "formula.h"
#include "symbols.h"

namespace tileguard {

/*!
 * \brief Hands out symbols for quotients, products, minima, wrapped values and opaque terms. Equal
 * terms get the same symbol, so what is known of one occurrence is known of all.
 *
 * Quotients by a constant, choices and wraps are defined exactly (quasi-affine). A product of
 * symbols is one symbol a monomial, with lemmas (signs, monotony in a common factor) in place of a
 * definition: sound, not complete.
 */
class Terms {
 public:
  explicit Terms(SymbolTable* symbols) : symbols_(symbols) {}

  /*! \brief floor(a / b). */
  LinearExpr FloorDiv(const LinearExpr& a, const LinearExpr& b);
  /*! \brief a - b * floor(a / b). */
  LinearExpr FloorMod(const LinearExpr& a, const LinearExpr& b);
  /*! \brief a / b rounded to zero, and its remainder (C's `/` and `%`). */
  LinearExpr TruncDiv(const LinearExpr& a, const LinearExpr& b);
  LinearExpr TruncMod(const LinearExpr& a, const LinearExpr& b);
  LinearExpr Multiply(const LinearExpr& a, const LinearExpr& b);
  /*! \brief The bits of `a`, in two's complement of any width, that are set in `mask`; nullopt when
   * its ones do not stand in few runs. */
  std::optional<LinearExpr> BitAnd(const LinearExpr& a, int64_t mask);
  /*! \brief `condition ? a : b`. */
  LinearExpr Choose(const Formula& condition, const LinearExpr& a, const LinearExpr& b);
  LinearExpr Min(const LinearExpr& a, const LinearExpr& b);
  LinearExpr Max(const LinearExpr& a, const LinearExpr& b);
  /*! \brief `a` reduced to `bits` bits, two's complement when `is_signed`; `a` itself when it fits.
   */
  LinearExpr Wrap(const LinearExpr& a, int bits, bool is_signed);
  /*! \brief 1 where `f` holds, else 0. */
  LinearExpr Truth(const Formula& f);
  /*! \brief The same symbol for the same `key`; `info` describes it the first time. */
  LinearExpr Named(const std::string& key, SymbolInfo info);

  /*! \brief Does the box of symbol bounds settle `f`? kTrue, kFalse, or neither. */
  Formula::Kind BoxDecide(const Formula& f) const;

  const SymbolTable& symbols() const { return *symbols_; }

 private:
  using Monomial = std::vector<SymbolId>;

  SymbolId Derived(const char* stem, Interval bounds, Formula definition, SymbolKind kind);
  std::optional<LinearExpr> DropRemainder(const LinearExpr& a, int64_t divisor);
  LinearExpr WrapWide(const LinearExpr& a);
  LinearExpr QuotientByConstant(const LinearExpr& a, int64_t divisor);
  LinearExpr QuotientBySymbols(const LinearExpr& a, const LinearExpr& b);
  LinearExpr MonomialSymbol(Monomial factors);
  Formula SignLemma(SymbolId product, const LinearExpr& x, const LinearExpr& y) const;
  void DifferenceLemma(const LinearExpr& d, const LinearExpr& b, const LinearExpr& product);
  void RemainderLemma(const LinearExpr& r, const LinearExpr& b, const LinearExpr& product);
  std::vector<Formula> MonotonyLemmas(SymbolId product, const Monomial& factors);
  Monomial FactorsOf(SymbolId s) const;

  SymbolTable* symbols_;
  std::unordered_map<std::string, SymbolId> named_;
  std::map<Monomial, SymbolId> monomials_;
  std::unordered_map<SymbolId, Monomial> factors_;
};

/*! \brief Text that is equal exactly for equal expressions and formulas over the same table. */
std::string Key(const LinearExpr& e);
std::string Key(const Formula& f);

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_TERMS_H_
