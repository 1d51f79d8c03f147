// Tiny kernels, built by hand.
#ifndef TILEGUARD_TESTS_CPP_TVM_KERNEL_H_
#define TILEGUARD_TESTS_CPP_TVM_KERNEL_H_

#include <tvm/ir/transform.h>
#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tileguard.h"

namespace tileguard {
namespace testing {

/*!
 * \brief `for i in range(128): <body>` over float buffers x and y in global memory of shape (n,),
 * n a variable or a constant.
 */
struct Kernel {
  tvm::tirx::Var n{"n", tvm::DataType::Int(32)};
  tvm::tirx::Var i{"i", tvm::DataType::Int(32)};
  tvm::tirx::Buffer x;
  tvm::tirx::Buffer y;
  tvm::IRModule module;

  using Body = std::function<tvm::tirx::Stmt(const Kernel&)>;

  /*! \param extent of both buffers; 0 stands for the variable n. */
  Kernel(int64_t extent, const Body& body);

  tvm::PrimExpr Load(const tvm::PrimExpr& index) const;
  tvm::tirx::Stmt Store(const tvm::PrimExpr& index, const tvm::PrimExpr& value) const;
};

/*! \brief y[i] = 1 */
tvm::tirx::Stmt StoreOne(const Kernel& k);
/*! \brief y[i] = x[i + 1] */
tvm::tirx::Stmt Shift(const Kernel& k);

tvm::tirx::PrimFunc Main(const tvm::IRModule& module);
bool Equal(const tvm::IRModule& a, const tvm::IRModule& b);

/*! \brief Conditions of every `if` and `if_then_else` of the function, conjuncts apart. */
std::vector<tvm::PrimExpr> Conjuncts(const tvm::IRModule& module);

/*!
 * \brief Every store that the function executes for this n, in order: buffer and index. Loops of
 * any kind run one iteration after the other; what a condition reads from memory is not modelled.
 */
std::vector<std::pair<std::string, int64_t>> Stores(const Kernel& kernel,
                                                    const tvm::IRModule& module, int64_t n);

/*! \brief Truth of `condition` with constants for the kernel's n and i. */
bool Holds(const Kernel& kernel, const tvm::PrimExpr& condition, int64_t n, int64_t i);

/*! \brief Runs `body` under a pass context with these options. */
void WithConfig(const tvm::ffi::Map<tvm::ffi::String, tvm::ffi::Any>& config,
                const std::function<void()>& body);

}  // namespace testing
}  // namespace tileguard

#endif  // TILEGUARD_TESTS_CPP_TVM_KERNEL_H_
