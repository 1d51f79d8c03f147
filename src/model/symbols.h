// The symbols that linear expressions speak of, and what is always true of each.
#ifndef TILEGUARD_MODEL_SYMBOLS_H_
#define TILEGUARD_MODEL_SYMBOLS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formula.h"

namespace tileguard {

/*! \brief What a symbol stands for; decides where a counter-example prints it. */
enum class SymbolKind {
  kShape,    // a shape or scalar argument of the kernel
  kBlock,    // blockIdx
  kThread,   // threadIdx
  kLoop,     // a loop variable
  kLane,     // the lane of a vector expression
  kMemory,   // a value read from memory, at one moment
  kDerived,  // defined by its formula from other symbols (a quotient, a minimum, ...)
  kOpaque,   // a value no quasi-affine formula describes exactly
};

/*! \brief How the value of a symbol follows from those of others, where it does. */
struct Meaning {
  enum class Kind {
    kFree,      // it does not
    kQuotient,  // floor(a / b)
    kProduct,   // a * b
    kChoice,    // a where `condition` holds, else b
  };
  Kind kind = Kind::kFree;
  LinearExpr a;
  LinearExpr b;
  Formula condition;
};

/*!
 * \brief One symbol. `lo` and `hi` are inclusive; `definition` holds wherever the symbol is used
 * and may mention other symbols.
 */
struct SymbolInfo {
  std::string name;
  SymbolKind kind = SymbolKind::kOpaque;
  std::optional<int64_t> lo;
  std::optional<int64_t> hi;
  Formula definition;
  Meaning meaning;
};

/*! \brief Append-only table; a SymbolId is an index into it. */
class SymbolTable {
 public:
  SymbolId Add(SymbolInfo info) {
    symbols_.push_back(std::move(info));
    return static_cast<SymbolId>(symbols_.size()) - 1;
  }
  SymbolInfo& operator[](SymbolId id) { return symbols_[static_cast<size_t>(id)]; }
  const SymbolInfo& operator[](SymbolId id) const { return symbols_[static_cast<size_t>(id)]; }
  size_t size() const { return symbols_.size(); }

 private:
  std::vector<SymbolInfo> symbols_;
};

/*! \brief A closed interval; an absent end is unbounded. */
struct Interval {
  std::optional<int64_t> lo;
  std::optional<int64_t> hi;
};

/*! \brief Bounds of `e` over the box of its symbols' own bounds. */
Interval BoxBounds(const LinearExpr& e, const SymbolTable& symbols);
/*! \brief `e` as text, e.g. `128*bx + tx - n + 1`. */
std::string ToString(const LinearExpr& e, const SymbolTable& symbols);

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_SYMBOLS_H_
