// Variables with boxes, as symbols of a table, for tests that enumerate every point.
#ifndef TILEGUARD_TESTS_CPP_CORE_WORLD_H_
#define TILEGUARD_TESTS_CPP_CORE_WORLD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/terms.h"
#include "random.h"
#include "tree.h"

namespace tileguard {
namespace testing {

/*!
 * \brief The box lo <= v <= hi of some variables. `told[i]`: variable i's symbol carries its
 * bounds; otherwise only facts can speak of them.
 */
struct Box {
  Point lo;
  Point hi;
  std::vector<bool> told;
  std::vector<SymbolKind> kinds;  // empty: all loop variables

  size_t size() const { return lo.size(); }
  std::vector<int64_t> Variables() const;
};

Box RandomBox(size_t variables, int64_t most, Random* random);

/*! \brief A symbol table that holds the variables of `box`, numbered in the order `order`. */
class World {
 public:
  World(const Box& box, const std::vector<size_t>& order);
  explicit World(const Box& box);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  LinearExpr Expr(const Tree& tree) { return ToExpr(tree, leaves_, &terms_); }
  Formula Truth(const Tree& tree) { return ToFormula(tree, leaves_, &terms_); }
  /*! \brief The bounds of the variables whose symbols do not carry them, as one formula. */
  Formula UntoldBounds() const;

  SymbolTable& symbols() { return symbols_; }
  Terms& terms() { return terms_; }
  const std::vector<LinearExpr>& leaves() const { return leaves_; }
  SymbolId id(size_t variable) const { return leaves_[variable].terms()[0].first; }
  /*! \brief The variable that symbol `id` stands for, or -1. */
  int VariableOf(SymbolId id) const;
  /*!
   * \brief Every symbol's value at `point`: variables as given, the others by what they mean; 0 for
   * a quotient by zero.
   */
  std::vector<int64_t> Values(const Point& point) const;

 private:
  Box box_;
  SymbolTable symbols_;
  Terms terms_{&symbols_};
  std::vector<LinearExpr> leaves_;
};

}  // namespace testing
}  // namespace tileguard

#endif  // TILEGUARD_TESTS_CPP_CORE_WORLD_H_
