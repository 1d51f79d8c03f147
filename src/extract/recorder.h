// Turns one access, met by the walk, into a site with its question.
#ifndef TILEGUARD_EXTRACT_RECORDER_H_
#define TILEGUARD_EXTRACT_RECORDER_H_

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converter.h"
#include "second_opinion.h"
#include "site.h"

namespace tileguard {

/*! \brief The loop that will become the lanes of a vector, and its symbol. */
struct VectorLoop {
  const tvm::ffi::Object* node = nullptr;
  int visit = 0;
  tvm::tirx::Var var;
  LinearExpr symbol;
  tvm::PrimExpr first;
  tvm::PrimExpr last;
  int64_t first_value = 0;
  int64_t last_value = 0;
};

/*! \brief What the walk knows at the place of an access. */
struct Place {
  FactList facts;
  FrozenFacts frozen_facts;
  std::vector<int> under;
  const VectorLoop* vector_loop = nullptr;
  tvm::Span span;
};

/*! \brief The number of the element at `indices` in the flattened (row-major) buffer, in 64 bits.
 */
tvm::PrimExpr FlatOffset(const tvm::tirx::Buffer& buffer,
                         const tvm::ffi::Array<tvm::PrimExpr>& indices);

/*! \brief Appends sites to an extraction. */
class Recorder {
 public:
  /*! \brief `e` as the host's prover may see it. */
  tvm::PrimExpr Frozen(const tvm::PrimExpr& e);

  Recorder(Extraction* out, Terms* terms, Converter* converter, MemoryState* memory)
      : out_(out), terms_(terms), converter_(converter), memory_(memory) {}

  /*! \brief Accesses to `guarded` scopes become sites; to other scopes as well when `all` is set.
   */
  void SetScopes(std::unordered_set<std::string> guarded, bool all) {
    guarded_scopes_ = std::move(guarded);
    all_scopes_ = all;
  }

  /*!
   * \brief Records an access at `node`, the `place_count`-th visit of it.
   * \return the id of the site, -1 when the scope is not asked for.
   */
  int Element(const tvm::ffi::Object* node, int visit, AccessKind kind,
              const tvm::tirx::Buffer& buffer, const tvm::ffi::Array<tvm::PrimExpr>& indices,
              int elements, const Place& place);
  /*!
   * \brief Records `count` consecutive elements of the flattened buffer from `offset`: in bounds
   * when the first and the last are.
   */
  int Span(const tvm::ffi::Object* node, int visit, AccessKind kind,
           const tvm::tirx::Buffer& buffer, const tvm::PrimExpr& offset, const tvm::PrimExpr& count,
           const Place& place);

 private:
  int Add(const tvm::ffi::Object* node, int visit, AccessSite site, const Place& place);
  void AddForms(AccessSite* site, const Place& place);
  void AddFits(AccessSite* site);
  LinearExpr LaneSymbol(int lanes, bool vector);
  std::vector<DimForm> Forms(const AccessSite& site, const Lane& lane, const LinearExpr& element);
  void AddFrozen(AccessSite* site, const Place& place);
  bool IsGuarded(const std::string& scope) const;
  bool MustBind(const tvm::ffi::Array<tvm::PrimExpr>& indices) const;
  // Two conversions of the indices speak of the same values: no effect, no memory of other threads.
  bool IsRepeatable(const tvm::ffi::Array<tvm::PrimExpr>& indices) const;

  Extraction* out_;
  Terms* terms_;
  Converter* converter_;
  MemoryState* memory_;
  Freezer freezer_;
  int unknown_reads_ = 0;
  std::vector<FitRequirement> fits_;  // met while the forms of one access were made
  std::unordered_set<std::string> guarded_scopes_{"global"};
  bool all_scopes_ = false;
  std::unordered_map<int, LinearExpr> lane_symbols_;
};

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_RECORDER_H_
