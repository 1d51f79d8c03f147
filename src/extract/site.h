// The accesses of a function as the host IR shows them, each with the question for the prover.
#ifndef TILEGUARD_EXTRACT_SITE_H_
#define TILEGUARD_EXTRACT_SITE_H_

#include <tvm/tirx/function.h>
#include <tvm/tirx/stmt.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../model/query.h"
#include "../model/symbols.h"
#include "../model/terms.h"

namespace tileguard {

struct FrozenFact;

/*!
 * \brief One access. `indices` and `shape` are what its guard compares, dimension by dimension; for
 * a span of a flattened buffer they have one entry. `elements` consecutive elements count from the
 * last index.
 */
struct AccessSite {
  tvm::tirx::Buffer buffer;
  tvm::ffi::Array<tvm::PrimExpr> indices;
  tvm::ffi::Array<tvm::PrimExpr> shape;
  int elements = 1;
  bool flattened = false;  // indices: first and last element of the flattened buffer,
  tvm::PrimExpr count;     // and how many there are
  int vector_lanes = 1;    // lanes of a Ramp or other vector index
  tvm::ffi::Optional<tvm::tirx::Var> lane_var;  // the vectorized loop variable that plays the lane
  tvm::PrimExpr lane_first;                     // its first and last value
  tvm::PrimExpr lane_last;
  bool index_must_be_bound = false;  // reads memory that may change, or has an effect
  int argument = -1;                 // of the call that gets the pointer
  std::string unsupported;           // the op that keeps this access from being guarded
  tvm::Span span;
  tvm::ffi::Array<tvm::PrimExpr> frozen_indices;  // for the host's prover; see second_opinion.h
  std::shared_ptr<const FrozenFact> frozen_facts;
  AccessQuery query;
};

/*! \brief A node may be shared between places: the n-th visit of it in program order is one place.
 */
using SiteKey = std::pair<const tvm::ffi::Object*, int>;

/*!
 * \brief Everything extracted from one function. Sites are in program order; a site only ever
 * refers to earlier ones.
 */
struct Extraction {
  SymbolTable symbols;
  std::vector<AccessSite> sites;
  std::map<SiteKey, std::vector<int>> by_place;
};

/*!
 * \brief Walks `func` once. What cannot be modelled is marked, not skipped.
 * \param guarded_scopes storage scopes whose accesses get guards.
 * \param all_scopes record accesses to other scopes too, for the report.
 */
std::unique_ptr<Extraction> Extract(const tvm::tirx::PrimFunc& func,
                                    const std::vector<std::string>& guarded_scopes,
                                    bool all_scopes);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_SITE_H_
