// The host's own prover, for comparisons that sets cannot state.
#ifndef TILEGUARD_EXTRACT_SECOND_OPINION_H_
#define TILEGUARD_EXTRACT_SECOND_OPINION_H_

#include <tvm/tirx/expr.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "site.h"

namespace tileguard {

/*! \brief Facts as host expressions, frozen: a read of memory is a variable, one for each value. */
struct FrozenFact {
  tvm::PrimExpr fact;
  std::shared_ptr<const FrozenFact> outer;
};
using FrozenFacts = std::shared_ptr<const FrozenFact>;

/*!
 * \brief Replaces reads of memory and calls with effects by variables, so that the host's prover,
 * which knows no epochs, cannot take two values for one.
 */
class Freezer {
 public:
  /*! \param key the same text exactly for reads that yield the same value; unique for an effect. */
  tvm::PrimExpr Freeze(const tvm::PrimExpr& e,
                       const std::function<std::string(const tvm::PrimExpr&)>& key);

 private:
  std::unordered_map<std::string, tvm::tirx::Var> variables_;
};

/*!
 * \brief Can the host's Analyzer (interval, modular and Z3 reasoning) prove the bound of `site`
 * under its frozen facts? Never throws; false when it gives up.
 */
bool HostProves(const AccessSite& site, int dim, bool upper);

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_SECOND_OPINION_H_
