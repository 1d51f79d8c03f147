// Integer expressions that the tests can both evaluate by themselves and hand to tileguard::Terms.
#ifndef TILEGUARD_TESTS_CPP_CORE_TREE_H_
#define TILEGUARD_TESTS_CPP_CORE_TREE_H_

#include <optional>
#include <string>
#include <vector>

#include "model/terms.h"
#include "random.h"

namespace tileguard {
namespace testing {

/*! \brief An expression over numbered variables; truths are the integers 0 and 1. */
struct Tree {
  enum class Op {
    kConstant,  // value
    kVariable,  // variable number `value`
    kAdd,
    kSub,
    kMul,
    kFloorDiv,
    kFloorMod,
    kTruncDiv,
    kTruncMod,
    kMin,
    kMax,
    kWrapSigned,    // to `value` bits
    kWrapUnsigned,  // to `value` bits
    kBitAnd,        // with the mask `value`
    kChoose,        // args[0] ? args[1] : args[2]
    kLess,
    kEqual,
    kNot,
    kAnd,
    kOr,
  };
  Op op = Op::kConstant;
  int64_t value = 0;
  std::vector<Tree> args;
};

/*! \brief What RandomTree may use. */
struct Grammar {
  std::vector<int64_t> variables;
  /*! Factors and divisors that are not constants: no formula describes them exactly. */
  bool products = false;
};

Tree Constant(int64_t value);
Tree Variable(int64_t number);
Tree Make(Tree::Op op, std::vector<Tree> args, int64_t value = 0);

Tree RandomTree(const Grammar& grammar, int depth, Random* random);
Tree RandomTruth(const Grammar& grammar, int depth, Random* random);

/*! \brief The mathematical value; nullopt where an evaluated operand divides by zero. */
std::optional<int64_t> ValueOf(const Tree& tree, const Point& point);
/*! \brief ValueOf of a tree that cannot divide by zero. */
int64_t Value(const Tree& tree, const Point& point);
bool Truth(const Tree& tree, const Point& point);

/*! \brief The same expression in the prover's language; leaves[i] stands for variable i. */
LinearExpr ToExpr(const Tree& tree, const std::vector<LinearExpr>& leaves, Terms* terms);
Formula ToFormula(const Tree& tree, const std::vector<LinearExpr>& leaves, Terms* terms);

std::string ToString(const Tree& tree);

}  // namespace testing
}  // namespace tileguard

#endif  // TILEGUARD_TESTS_CPP_CORE_TREE_H_
