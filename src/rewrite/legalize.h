// One function through the whole pass: extract, decide, rewrite.
#ifndef TILEGUARD_REWRITE_LEGALIZE_H_
#define TILEGUARD_REWRITE_LEGALIZE_H_

#include <tvm/tirx/function.h>

#include <memory>
#include <vector>

#include "../extract/site.h"
#include "../model/access.h"
#include "../model/options.h"

namespace tileguard {

/*! \brief Accesses of a function and the decisions on them, by the same index. */
struct Analysis {
  std::unique_ptr<Extraction> extraction;
  std::vector<Decision> decisions;
};

/*! \param explain also accesses that are only reported, counter-examples and shape conditions. */
Analysis Analyze(const tvm::tirx::PrimFunc& func, const Options& options, bool explain);

/*!
 * \brief `func` with every access to a guarded scope made safe, by spec.md. Warns of accesses that
 * are out of bounds on every execution and of those that could not be guarded.
 */
tvm::tirx::PrimFunc Legalize(const tvm::tirx::PrimFunc& func, const Options& options);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_LEGALIZE_H_
