#include "tree.h"

#include <algorithm>
#include <utility>

namespace tileguard {
namespace testing {

namespace {

using Op = Tree::Op;

Tree Unary(Op op, Tree a) {
  std::vector<Tree> args;
  args.push_back(std::move(a));
  return Make(op, std::move(args));
}

Tree Binary(Op op, Tree a, Tree b) {
  std::vector<Tree> args;
  args.push_back(std::move(a));
  args.push_back(std::move(b));
  return Make(op, std::move(args));
}

// The quotient by definition, without C's own rounding: the only q with a = q*b + r and r between 0
// and b, excluding b.
int64_t FloorQuotient(int64_t a, int64_t b) {
  __int128 q = static_cast<__int128>(a) / b;
  while (b > 0 ? q * b > a : q * b < a) --q;
  while (b > 0 ? (q + 1) * b <= a : (q + 1) * b >= a) ++q;
  return static_cast<int64_t>(q);
}

int64_t Reduce(int64_t a, int64_t bits, bool is_signed) {
  const int64_t size = int64_t{1} << bits;
  const int64_t lowest = is_signed ? -size / 2 : 0;
  while (a < lowest) a += size;
  while (a >= lowest + size) a -= size;
  return a;
}

std::optional<int64_t> Divide(Op op, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  switch (op) {
    case Op::kFloorDiv:
      return FloorQuotient(a, b);
    case Op::kFloorMod:
      return a - FloorQuotient(a, b) * b;
    case Op::kTruncDiv:
      return a / b;
    default:
      return a % b;
  }
}

bool IsDivision(Op op) {
  return op == Op::kFloorDiv || op == Op::kFloorMod || op == Op::kTruncDiv || op == Op::kTruncMod;
}

Tree RandomLeaf(const Grammar& grammar, Random* random) {
  if (grammar.variables.empty() || random->OneIn(5)) return Constant(random->Int(-4, 8));
  return Variable(random->Pick(grammar.variables));
}

}  // namespace

Tree Constant(int64_t value) { return Make(Op::kConstant, {}, value); }
Tree Variable(int64_t number) { return Make(Op::kVariable, {}, number); }

Tree Make(Op op, std::vector<Tree> args, int64_t value) {
  Tree tree;
  tree.op = op;
  tree.value = value;
  tree.args = std::move(args);
  return tree;
}

Tree RandomTree(const Grammar& grammar, int depth, Random* random) {
  if (depth == 0) return RandomLeaf(grammar, random);
  auto operand = [&] { return RandomTree(grammar, depth - 1, random); };
  const Op op = random->Pick(std::vector<Op>{Op::kConstant, Op::kAdd, Op::kAdd, Op::kSub, Op::kMul,
                                             Op::kMul, Op::kFloorDiv, Op::kFloorMod, Op::kTruncDiv,
                                             Op::kTruncMod, Op::kMin, Op::kMax, Op::kWrapSigned,
                                             Op::kWrapUnsigned, Op::kChoose, Op::kBitAnd});
  if (op == Op::kConstant) return RandomLeaf(grammar, random);
  if (op == Op::kWrapSigned || op == Op::kWrapUnsigned) {
    Tree tree = Unary(op, operand());
    tree.value = random->Int(2, 4);
    return tree;
  }
  if (op == Op::kBitAnd) {
    Tree tree = Unary(op, operand());
    tree.value = random->Pick(std::vector<int64_t>{-8, -6, -3, -1, 0, 1, 2, 3, 4, 5, 6, 10, 13});
    return tree;
  }
  if (op == Op::kChoose) {
    Tree tree = Unary(op, RandomTruth(grammar, depth - 1, random));
    tree.args.push_back(operand());
    tree.args.push_back(operand());
    return tree;
  }
  if (op == Op::kMul && !(grammar.products && random->OneIn(2))) {
    return Binary(op, operand(), Constant(random->Pick(std::vector<int64_t>{-2, -1, 2, 3, 4, 8})));
  }
  if (IsDivision(op) && !(grammar.products && random->OneIn(2))) {
    return Binary(op, operand(),
                  Constant(random->Pick(std::vector<int64_t>{-3, -2, -1, 2, 3, 4, 6, 8})));
  }
  Tree first = operand();
  return Binary(op, std::move(first), operand());
}

Tree RandomTruth(const Grammar& grammar, int depth, Random* random) {
  if (depth == 0 || random->OneIn(2)) {
    const Op op = random->Pick(std::vector<Op>{Op::kLess, Op::kLess, Op::kEqual});
    const int below = std::max(depth - 1, 0);
    Tree first = RandomTree(grammar, below, random);
    return Binary(op, std::move(first), RandomTree(grammar, below, random));
  }
  Tree first = RandomTruth(grammar, depth - 1, random);
  if (random->OneIn(3)) return Unary(Op::kNot, std::move(first));
  return Binary(random->OneIn(2) ? Op::kAnd : Op::kOr, std::move(first),
                RandomTruth(grammar, depth - 1, random));
}

std::optional<int64_t> ValueOf(const Tree& tree, const Point& point) {
  if (tree.op == Op::kConstant) return tree.value;
  if (tree.op == Op::kVariable) return point[static_cast<size_t>(tree.value)];
  const std::optional<int64_t> first = ValueOf(tree.args[0], point);
  if (!first) return std::nullopt;
  const int64_t a = *first;
  switch (tree.op) {
    case Op::kChoose:
      return ValueOf(tree.args[a != 0 ? 1 : 2], point);
    case Op::kNot:
      return a == 0;
    case Op::kWrapSigned:
    case Op::kWrapUnsigned:
      return Reduce(a, tree.value, tree.op == Op::kWrapSigned);
    case Op::kBitAnd:
      return a & tree.value;
    default:
      break;
  }
  const std::optional<int64_t> second = ValueOf(tree.args[1], point);
  if (!second) return std::nullopt;
  const int64_t b = *second;
  switch (tree.op) {
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kLess:
      return a < b;
    case Op::kEqual:
      return a == b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    default:
      return Divide(tree.op, a, b);
  }
}

int64_t Value(const Tree& tree, const Point& point) { return ValueOf(tree, point).value(); }
bool Truth(const Tree& tree, const Point& point) { return Value(tree, point) != 0; }

LinearExpr ToExpr(const Tree& tree, const std::vector<LinearExpr>& leaves, Terms* terms) {
  if (tree.op == Op::kConstant) return tree.value;
  if (tree.op == Op::kVariable) return leaves[static_cast<size_t>(tree.value)];
  auto arg = [&](size_t i) { return ToExpr(tree.args[i], leaves, terms); };
  switch (tree.op) {
    case Op::kAdd:
      return arg(0) + arg(1);
    case Op::kSub:
      return arg(0) - arg(1);
    case Op::kMul:
      return terms->Multiply(arg(0), arg(1));
    case Op::kFloorDiv:
      return terms->FloorDiv(arg(0), arg(1));
    case Op::kFloorMod:
      return terms->FloorMod(arg(0), arg(1));
    case Op::kTruncDiv:
      return terms->TruncDiv(arg(0), arg(1));
    case Op::kTruncMod:
      return terms->TruncMod(arg(0), arg(1));
    case Op::kMin:
      return terms->Min(arg(0), arg(1));
    case Op::kMax:
      return terms->Max(arg(0), arg(1));
    case Op::kWrapSigned:
    case Op::kWrapUnsigned:
      return terms->Wrap(arg(0), static_cast<int>(tree.value), tree.op == Op::kWrapSigned);
    case Op::kBitAnd:
      return terms->BitAnd(arg(0), tree.value).value();
    case Op::kChoose:
      return terms->Choose(ToFormula(tree.args[0], leaves, terms), arg(1), arg(2));
    default:
      return terms->Truth(ToFormula(tree, leaves, terms));
  }
}

Formula ToFormula(const Tree& tree, const std::vector<LinearExpr>& leaves, Terms* terms) {
  auto arg = [&](size_t i) { return ToExpr(tree.args[i], leaves, terms); };
  auto part = [&](size_t i) { return ToFormula(tree.args[i], leaves, terms); };
  switch (tree.op) {
    case Op::kLess:
      return Lt(arg(0), arg(1));
    case Op::kEqual:
      return Eq(arg(0), arg(1));
    case Op::kNot:
      return Not(part(0));
    case Op::kAnd:
      return And({part(0), part(1)});
    case Op::kOr:
      return Or({part(0), part(1)});
    default:
      return Not(EqZero(ToExpr(tree, leaves, terms)));
  }
}

std::string ToString(const Tree& tree) {
  static const char* const kNames[] = {"",       "v",   "+",   "-",   "*",   "//",   "%",
                                       "/",      "rem", "min", "max", "int", "uint", "bits",
                                       "choose", "<",   "==",  "not", "and", "or"};
  if (tree.op == Op::kConstant) return std::to_string(tree.value);
  std::string out = kNames[static_cast<int>(tree.op)];
  if (tree.op == Op::kVariable) return out + std::to_string(tree.value);
  if (tree.op == Op::kWrapSigned || tree.op == Op::kWrapUnsigned || tree.op == Op::kBitAnd) {
    out += std::to_string(tree.value);
  }
  for (size_t i = 0; i < tree.args.size(); ++i) {
    out += (i == 0 ? "(" : ", ") + ToString(tree.args[i]);
  }
  return out + ")";
}

}  // namespace testing
}  // namespace tileguard
