// The part of the walk that follows branches: what is known in each, and of the thread's own
// scalars where they meet.
#include <tvm/tirx/analysis.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "walker.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

// What is said of a meeting is one disjunction; a large one costs more proofs than it makes.
constexpr size_t kMostScalars = 2;
constexpr size_t kMostFacts = 8;

// The scalars of the thread that `stmt` stores into, as reads of them; none when there are many.
std::vector<BufferLoad> StoredScalars(const Stmt& stmt) {
  std::vector<BufferLoad> out;
  PostOrderVisit(stmt, [&out](const tvm::ffi::ObjectRef& object) {
    const auto* store = object.as<BufferStoreNode>();
    if (store == nullptr || !StoresScalar(store)) return;
    const BufferLoad read(store->buffer, store->indices);
    const bool known = std::any_of(out.begin(), out.end(), [&read](const BufferLoad& other) {
      return ExprDeepEqual()(read, other);
    });
    if (!known) out.push_back(read);
  });
  if (out.size() > kMostScalars) out.clear();
  return out;
}

// The facts that `now` has in front of `before`; nullopt when they are many.
std::optional<std::vector<Formula>> FactsSince(const FactList& now, const FactList& before) {
  std::vector<Formula> out;
  for (const FactNode* node = now.get(); node != before.get(); node = node->outer.get()) {
    if (node == nullptr || out.size() == kMostFacts) return std::nullopt;
    out.push_back(node->fact);
  }
  return out;
}

}  // namespace

bool StoresScalar(const BufferStoreNode* store) {
  const tvm::DataType type = store->buffer->dtype;
  const bool integer = IsInteger(type) && !type.is_bool() && type.lanes() == 1;
  return integer && std::string(store->buffer.scope()).rfind("local", 0) == 0 &&
         std::all_of(store->indices.begin(), store->indices.end(),
                     [](const PrimExpr& index) { return index.as<tvm::IntImmNode>() != nullptr; });
}

std::vector<LinearExpr> Walker::ValuesOf(const std::vector<BufferLoad>& reads) {
  std::vector<LinearExpr> out;
  out.reserve(reads.size());
  for (const BufferLoad& read : reads) out.push_back(converter_.Int(read));
  return out;
}

void Walker::VisitStmt_(const IfThenElseNode* op) {
  VisitExpr(op->condition);
  OnCondition(op, CountVisit(op), op->condition);
  const Known outer = Save();
  KnowCondition(op->condition, true);
  const Known under_then = Save();
  Restore(outer);
  KnowCondition(op->condition, false);
  const Known under_else = Save();
  memory_.Clobber(CollectEffects(op->condition));
  std::vector<BufferLoad> scalars;
  if (!op->else_case) scalars = StoredScalars(op->then_case);
  const std::vector<LinearExpr> skipped = ValuesOf(scalars);
  const MemoryState::Moment before = memory_.Now();
  Restore(under_then);
  VisitStmt(op->then_case);
  const Known after_then = Save();
  const std::vector<LinearExpr> stored = ValuesOf(scalars);
  const bool then_ends = ends_;
  Restore(under_else);
  memory_.Return(before);
  ends_ = false;
  if (op->else_case) VisitStmt(op->else_case.value());
  const Known after_else = Save();
  const bool else_ends = ends_;
  ends_ = then_ends && else_ends;
  Restore(then_ends ? after_else : else_ends ? after_then : outer);
  // A branch may have written: neither branch's values are those of after the if.
  memory_.Clobber(CollectEffects(op->then_case));
  if (op->else_case) memory_.Clobber(CollectEffects(op->else_case.value()));
  if (scalars.empty() || then_ends) return;
  // A scalar holds what the branch left in it, or what it held before.
  std::optional<std::vector<Formula>> taken = FactsSince(after_then.facts, outer.facts);
  std::optional<std::vector<Formula>> passed = FactsSince(under_else.facts, outer.facts);
  if (!taken || !passed) return;
  const std::vector<LinearExpr> after = ValuesOf(scalars);
  for (size_t i = 0; i < scalars.size(); ++i) {
    taken->push_back(Eq(after[i], stored[i]));
    passed->push_back(Eq(after[i], skipped[i]));
  }
  Know(Or({And(std::move(*taken)), And(std::move(*passed))}));
}

}  // namespace tileguard
