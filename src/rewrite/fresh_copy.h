// A second copy of a statement with variables of its own.
#ifndef TILEGUARD_REWRITE_FRESH_COPY_H_
#define TILEGUARD_REWRITE_FRESH_COPY_H_

#include <tvm/tirx/stmt.h>

namespace tileguard {

/*! \brief `stmt` with every variable that it defines (loops, binds, lets) replaced by a new one. */
tvm::tirx::Stmt FreshCopy(const tvm::tirx::Stmt& stmt);

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_FRESH_COPY_H_
