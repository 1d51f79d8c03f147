// Host expressions as linear expressions and formulas.
#ifndef TILEGUARD_EXTRACT_CONVERTER_H_
#define TILEGUARD_EXTRACT_CONVERTER_H_

#include <tvm/tirx/expr.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../model/query.h"
#include "../model/terms.h"
#include "memory_state.h"

namespace tileguard {

/*!
 * \brief Which lane of a vector expression is meant: a number, or a symbol that stands for all of
 * them.
 */
struct Lane {
  LinearExpr index;
};

/*!
 * \brief Converts integer and boolean expressions; total: what has no quasi-affine form becomes an
 * opaque symbol, the same one for the same pure term over the same memory.
 *
 * Indices mean mathematical integers (spec, "In bounds"). Signed arithmetic of 32 and more bits is
 * taken not to wrap, as in C and in the host's own simplifier, except where a condition compares a
 * 32-bit sum of values read from memory or handed in: what the machine then finds may be a wrapped
 * value, and nothing more follows from it. Unsigned arithmetic wraps, exactly, in conditions and in
 * what variables hold; so may narrow arithmetic, which C computes in `int`.
 */
class Converter {
 public:
  Converter(SymbolTable* symbols, Terms* terms, MemoryState* memory)
      : symbols_(symbols), terms_(terms), memory_(memory) {}

  LinearExpr Int(const tvm::PrimExpr& e, const Lane& lane = {});
  Formula Bool(const tvm::PrimExpr& e, const Lane& lane = {});

  /*! \brief The value of `e` as the machine computes it, before it is put into a variable. */
  LinearExpr Stored(const tvm::PrimExpr& e);

  /*! \brief From here on `var` means `value`. */
  void Bind(const tvm::tirx::VarNode* var, LinearExpr value) { ints_[var] = std::move(value); }
  void Bind(const tvm::tirx::VarNode* var, Formula value) { bools_[var] = std::move(value); }
  /*! \brief Replaces what `var` means and returns the old meaning. */
  LinearExpr Rebind(const tvm::tirx::VarNode* var, LinearExpr value);
  bool Knows(const tvm::tirx::VarNode* var) const { return ints_.count(var) != 0; }
  /*! \brief A scalar argument of the kernel, which no buffer's shape speaks of. */
  void Argument(const tvm::tirx::VarNode* var);
  /*! \brief The symbol of a free variable, made on first sight. */
  LinearExpr Variable(const tvm::tirx::VarNode* var, SymbolKind kind, Interval bounds);

  /*! \brief Operands of divisions, comparisons, minima met since the last call: each must fit its
   * own type for the expression to mean what it says in mathematical integers. */
  std::vector<FitRequirement> TakeObligations();
  /*! \brief Has a comparison met a value that may wrap since the last call? */
  bool TakeWraps() { return std::exchange(wraps_, false); }

 private:
  LinearExpr Linear(const tvm::PrimExpr& e, const Lane& lane);
  Formula Condition(const tvm::PrimExpr& e, const Lane& lane);
  LinearExpr Unknown(const tvm::PrimExpr& e);
  LinearExpr Far(const tvm::PrimExpr& e, const Lane& lane);
  LinearExpr Call(const tvm::tirx::CallNode* op, const Lane& lane);
  LinearExpr Cast(const tvm::tirx::CastNode* op, const Lane& lane);
  LinearExpr Load(const tvm::tirx::BufferLoadNode* op, const Lane& lane);
  LinearExpr Shuffle(const tvm::tirx::ShuffleNode* op, const Lane& lane);
  LinearExpr Bitwise(const tvm::tirx::CallNode* op, const std::string& name, const Lane& lane);
  void BoundBits(const std::string& name, const LinearExpr& a, const LinearExpr& b,
                 const LinearExpr& result);
  LinearExpr Opaque(const tvm::PrimExpr& e, const Lane& lane);
  LinearExpr Exact(const tvm::PrimExpr& e, const Lane& lane);
  LinearExpr Narrow(const LinearExpr& value, const tvm::DataType& t);
  std::string ViewKey(const tvm::tirx::Buffer& buffer, const Lane& lane);
  bool IsArbitrary(SymbolId id) const;
  bool HoldsArbitrary(const LinearExpr& e) const;
  LinearExpr Compared(const tvm::PrimExpr& e, const Lane& lane);
  Formula Compare(const tvm::PrimExpr& a, const tvm::PrimExpr& b, const char* op, const Lane& lane);
  std::string TermKey(const tvm::PrimExpr& e, const Lane& lane);

  SymbolTable* symbols_;
  Terms* terms_;
  MemoryState* memory_;
  std::unordered_map<const tvm::tirx::VarNode*, LinearExpr> ints_;
  std::unordered_map<const tvm::tirx::VarNode*, Formula> bools_;
  std::vector<FitRequirement> obligations_;
  std::unordered_set<SymbolId> arguments_;
  int machine_ = 0;  // inside a condition or a stored value
  bool wraps_ = false;
  int fresh_ = 0;
};

/*! \brief Signed, unsigned or boolean, of any number of lanes. */
inline bool IsInteger(const tvm::DataType& t) { return t.is_int() || t.is_uint() || t.is_bool(); }

/*! \brief The integers a scalar of type `t` can hold; unbounded for 64 bits and for what is no
 * integer. */
Interval TypeBounds(const tvm::DataType& t);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_CONVERTER_H_
