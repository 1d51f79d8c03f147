// The question that extraction puts to the prover about one access.
#ifndef TILEGUARD_MODEL_QUERY_H_
#define TILEGUARD_MODEL_QUERY_H_

#include <vector>

#include "access.h"
#include "facts.h"
#include "linear.h"

namespace tileguard {

/*! \brief Index and extent of one dimension; in bounds means 0 <= index < extent. */
struct DimForm {
  LinearExpr index;
  LinearExpr extent;
};

/*! \brief A value that has to fit a signed or unsigned integer of `bits` bits. */
struct FitRequirement {
  int dim = 0;  // of the index or extent that relies on it
  LinearExpr value;
  int bits = 32;
  bool is_signed = true;
};

/*!
 * \brief All that is needed to decide an access.
 * `dims` is the index of every lane at once (a lane symbol stands for it); `first` and `last` are
 * the index at the two ends of the vector, empty when the access has no lanes. `under` are earlier
 * accesses whose guards are known to hold where this one is evaluated.
 */
struct AccessQuery {
  AccessKind kind = AccessKind::kLoad;
  std::vector<DimForm> dims;
  std::vector<DimForm> first;
  std::vector<DimForm> last;
  FactList facts;
  std::vector<int> under;
  std::vector<FitRequirement> fits;
  int rank = 0;
  // `dims` are the first and the last element of a span that may be empty: an empty one is inside
  // wherever it stands, so the first only has to be at or behind the start and the last before the
  // end.
  bool is_span = false;
  int lanes =
      1;  // of the vector; without `first` and `last` every lane has to be compared by itself
  // False where no guard will be put (a scope that is only reported, an op that cannot be guarded):
  // then nothing may rely on it.
  bool guardable = true;

  bool HasLanes() const { return lanes > 1; }
  bool HasEnds() const { return !first.empty(); }
};

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_QUERY_H_
