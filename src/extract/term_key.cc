#include "term_key.h"

#include <tvm/tirx/expr_functor.h>

#include <sstream>

#include "pointer_ops.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

template <typename Node>
bool Compares(const PrimExpr& e) {
  const auto* op = e.as<Node>();
  return op != nullptr && op->a.dtype().lanes() == 1 &&
         (op->a.dtype().is_int() || op->a.dtype().is_uint());
}

bool ComparesIntegers(const PrimExpr& e) {
  return Compares<LTNode>(e) || Compares<LENode>(e) || Compares<GTNode>(e) || Compares<GENode>(e) ||
         Compares<EQNode>(e) || Compares<NENode>(e);
}

class KeyPrinter : public ExprVisitor {
 public:
  KeyPrinter(const std::function<std::string(const PrimExpr&)>& int_key,
             const std::function<std::string(const PrimExpr&)>& bool_key,
             const std::function<std::string(const Buffer&)>& view)
      : int_key_(int_key), bool_key_(bool_key), view_(view) {}

  std::ostringstream out;

  void VisitExpr(const PrimExpr& e) final {
    // The root is an opaque term itself: only what lies below it may go through the linear form.
    const bool integer = e.dtype().is_int() || e.dtype().is_uint();
    if (depth_ > 0 && integer && e.dtype().lanes() == 1) {
      out << "{" << int_key_(e) << "}";
      return;
    }
    if (depth_ > 0 && ComparesIntegers(e)) {
      out << "[" << bool_key_(e) << "]";
      return;
    }
    ++depth_;
    out << e->GetTypeKey() << e.dtype() << "(";
    if (const auto* imm = e.as<FloatImmNode>()) out << std::hexfloat << imm->value;
    if (const auto* imm = e.as<IntImmNode>()) out << imm->value;
    if (const auto* imm = e.as<StringImmNode>()) out << imm->value;
    if (const auto* var = e.as<VarNode>()) out << var;
    if (const auto* call = e.as<CallNode>())
      out << OpName(call) << (OpName(call).empty() ? call : nullptr);
    if (const auto* load = e.as<BufferLoadNode>()) {
      out << view_(load->buffer);
    }
    ExprVisitor::VisitExpr(e);
    out << ")";
    --depth_;
  }

 private:
  const std::function<std::string(const PrimExpr&)>& int_key_;
  const std::function<std::string(const PrimExpr&)>& bool_key_;
  const std::function<std::string(const Buffer&)>& view_;
  int depth_ = 0;
};

}  // namespace

std::string PrintTermKey(const PrimExpr& e,
                         const std::function<std::string(const PrimExpr&)>& int_key,
                         const std::function<std::string(const PrimExpr&)>& bool_key,
                         const std::function<std::string(const Buffer&)>& view) {
  KeyPrinter printer(int_key, bool_key, view);
  printer.VisitExpr(e);
  return printer.out.str();
}

}  // namespace tileguard
