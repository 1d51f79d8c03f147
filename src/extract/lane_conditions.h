// The conditions inside vectorized loops that mention the lane: what keeps a loop from staying a
// vector.
#ifndef TILEGUARD_EXTRACT_LANE_CONDITIONS_H_
#define TILEGUARD_EXTRACT_LANE_CONDITIONS_H_

#include <tvm/tirx/function.h>
#include <tvm/tirx/stmt.h>

#include <map>
#include <memory>
#include <vector>

#include "../model/facts.h"
#include "../model/symbols.h"
#include "recorder.h"
#include "site.h"

namespace tileguard {

/*! \brief One conjunct: for the lane at hand, and with the loop variable at its two ends. */
struct LaneAtom {
  tvm::PrimExpr expr;
  Formula each;
  Formula first;
  Formula last;
  bool hoistable = false;
};

/*! \brief A condition that mentions the lane: an `if`, an `if_then_else`, a cp.async predicate. */
struct LaneCondition {
  SiteKey owner;
  std::vector<LaneAtom> atoms;
  FactList facts;
};

/*! \brief A vectorized loop with constant bounds and its lane conditions, in program order. */
struct LaneLoop {
  tvm::tirx::Var var;
  tvm::PrimExpr first;
  tvm::PrimExpr last;
  std::vector<LaneCondition> conditions;
};

struct LaneLoops {
  SymbolTable symbols;
  std::map<SiteKey, LaneLoop> loops;
};

/*! \brief Collects from one function. Loops without a lane condition are left out. */
std::unique_ptr<LaneLoops> ExtractLaneLoops(const tvm::tirx::PrimFunc& func);

/*! \brief May `e` be evaluated where it was not to be? No effect, no memory, no division by a
 * variable. */
bool IsHoistable(const tvm::PrimExpr& e);

/*! \brief Splits a conjunction into its conjuncts. */
std::vector<tvm::PrimExpr> Conjuncts(const tvm::PrimExpr& condition);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_LANE_CONDITIONS_H_
