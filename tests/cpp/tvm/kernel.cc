#include "kernel.h"

#include <tvm/arith/analyzer.h>
#include <tvm/ffi/extra/structural_equal.h>

#include <stdexcept>

namespace tileguard {
namespace testing {

using tvm::DataType;
using tvm::IntImm;
using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

Kernel::Kernel(int64_t extent, const Body& body) {
  const PrimExpr size = extent == 0 ? PrimExpr(n) : PrimExpr(IntImm(DataType::Int(32), extent));
  x = decl_buffer({size}, DataType::Float(32), "x", "global");
  y = decl_buffer({size}, DataType::Float(32), "y", "global");
  const Var px("px", DataType::Handle());
  const Var py("py", DataType::Handle());
  const For loop(i, IntImm(DataType::Int(32), 0), IntImm(DataType::Int(32), 128), ForKind::kSerial,
                 body(*this));
  PrimFunc func({px, py}, loop, tvm::VoidType(), {{px, x}, {py, y}});
  func = tvm::WithAttr(std::move(func), "global_symbol", tvm::ffi::String("main"));
  module = tvm::IRModule({{tvm::GlobalVar("main"), func}});
}

PrimExpr Kernel::Load(const PrimExpr& index) const { return BufferLoad(x, {index}); }

Stmt Kernel::Store(const PrimExpr& index, const PrimExpr& value) const {
  return BufferStore(y, value, {index});
}

Stmt StoreOne(const Kernel& k) { return k.Store(k.i, tvm::FloatImm(DataType::Float(32), 1)); }
Stmt Shift(const Kernel& k) { return k.Store(k.i, k.Load(k.i + 1)); }

PrimFunc Main(const tvm::IRModule& module) {
  return tvm::Downcast<PrimFunc>(module->Lookup("main"));
}

bool Equal(const tvm::IRModule& a, const tvm::IRModule& b) {
  return tvm::ffi::StructuralEqual()(a, b);
}

std::vector<PrimExpr> Conjuncts(const tvm::IRModule& module) {
  std::vector<PrimExpr> out;
  std::function<void(const PrimExpr&)> add = [&](const PrimExpr& condition) {
    if (const auto* both = condition.as<AndNode>()) {
      add(both->a);
      add(both->b);
    } else {
      out.push_back(condition);
    }
  };
  PostOrderVisit(Main(module)->body, [&](const tvm::ffi::ObjectRef& node) {
    if (const auto* branch = node.as<IfThenElseNode>()) add(branch->condition);
    if (const auto* call = node.as<CallNode>()) {
      if (call->op.same_as(builtin::if_then_else())) add(call->args[0]);
    }
  });
  return out;
}

namespace {

class Execution : public StmtVisitor {
 public:
  explicit Execution(tvm::ffi::Map<Var, PrimExpr> values) : values_(std::move(values)) {}
  std::vector<std::pair<std::string, int64_t>> stores;

 private:
  int64_t ValueOf(const PrimExpr& e) {
    const PrimExpr value = tvm::arith::Analyzer().Simplify(Substitute(e, values_));
    const auto* constant = value.as<tvm::IntImmNode>();
    if (constant == nullptr) throw std::logic_error("a value that the test does not know");
    return constant->value;
  }
  void VisitStmt_(const ForNode* op) final {
    const int64_t first = ValueOf(op->min);
    for (int64_t i = first; i < first + ValueOf(op->extent); ++i) {
      values_.Set(op->loop_var, IntImm(op->loop_var->dtype, i));
      VisitStmt(op->body);
    }
  }
  void VisitStmt_(const IfThenElseNode* op) final {
    if (ValueOf(op->condition) != 0) {
      VisitStmt(op->then_case);
    } else if (op->else_case.defined()) {
      VisitStmt(op->else_case.value());
    }
  }
  void VisitStmt_(const BufferStoreNode* op) final {
    stores.emplace_back(op->buffer->name, ValueOf(op->indices[0]));
  }

  tvm::ffi::Map<Var, PrimExpr> values_;
};

}  // namespace

std::vector<std::pair<std::string, int64_t>> Stores(const Kernel& kernel,
                                                    const tvm::IRModule& module, int64_t n) {
  Execution execution({{kernel.n, IntImm(DataType::Int(32), n)}});
  execution(Main(module)->body);
  return execution.stores;
}

bool Holds(const Kernel& kernel, const PrimExpr& condition, int64_t n, int64_t i) {
  const PrimExpr at = Substitute(condition, {{kernel.n, IntImm(DataType::Int(32), n)},
                                             {kernel.i, IntImm(DataType::Int(32), i)}});
  const PrimExpr value = tvm::arith::Analyzer().Simplify(at);
  const auto* truth = value.as<tvm::IntImmNode>();
  if (truth == nullptr) throw std::logic_error("the condition speaks of more than n and i");
  return truth->value != 0;
}

void WithConfig(const tvm::ffi::Map<tvm::ffi::String, tvm::ffi::Any>& config,
                const std::function<void()>& body) {
  auto context = tvm::transform::PassContext::Create();
  context->config = config;
  const tvm::With<tvm::transform::PassContext> scope(context);
  body();
}

}  // namespace testing
}  // namespace tileguard
