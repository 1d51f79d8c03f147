#include "lane_conditions.h"

#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <utility>

#include "walker.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

bool Mentions(const PrimExpr& e, const Var& var) {
  return UsesVar(e, [&](const VarNode* v) { return v == var.get(); });
}

class LaneWalker : public Walker {
 public:
  LaneWalker(Extraction* scratch, const Effects& effects, LaneLoops* out)
      : Walker(scratch, effects), lanes_(out) {}

 private:
  void OnCondition(const tvm::ffi::Object* owner, int visit, const PrimExpr& condition) final {
    const VectorLoop* loop = place_.vector_loop;
    if (loop == nullptr || condition.dtype().lanes() != 1 || !Mentions(condition, loop->var))
      return;
    LaneLoop& record = lanes_->loops[{loop->node, loop->visit}];
    record.var = loop->var;
    record.first = loop->first;
    record.last = loop->last;
    LaneCondition entry;
    entry.owner = {owner, visit};
    entry.facts = place_.facts;
    for (const PrimExpr& part : Conjuncts(condition)) {
      LaneAtom atom;
      atom.expr = part;
      atom.each = converter_.Bool(part);
      atom.hoistable = IsHoistable(part);
      const LinearExpr symbol = converter_.Rebind(loop->var.get(), loop->first_value);
      atom.first = converter_.Bool(part);
      converter_.Rebind(loop->var.get(), loop->last_value);
      atom.last = converter_.Bool(part);
      converter_.Rebind(loop->var.get(), symbol);
      entry.atoms.push_back(std::move(atom));
    }
    record.conditions.push_back(std::move(entry));
  }

  LaneLoops* lanes_;
};

}  // namespace

bool IsHoistable(const PrimExpr& e) {
  bool safe = IsPure(e);
  PostOrderVisit(e, [&](const tvm::ffi::ObjectRef& object) {
    auto constant = [](const PrimExpr& divisor) {
      return divisor.as<tvm::IntImmNode>() != nullptr;
    };
    if (object.as<BufferLoadNode>() != nullptr) safe = false;
    if (const auto* op = object.as<FloorDivNode>()) safe = safe && constant(op->b);
    if (const auto* op = object.as<FloorModNode>()) safe = safe && constant(op->b);
    if (const auto* op = object.as<DivNode>()) safe = safe && constant(op->b);
    if (const auto* op = object.as<ModNode>()) safe = safe && constant(op->b);
  });
  return safe;
}

std::vector<PrimExpr> Conjuncts(const PrimExpr& condition) {
  const auto* both = condition.as<AndNode>();
  if (both == nullptr) return {condition};
  std::vector<PrimExpr> out = Conjuncts(both->a);
  for (const PrimExpr& part : Conjuncts(both->b)) out.push_back(part);
  return out;
}

std::unique_ptr<LaneLoops> ExtractLaneLoops(const PrimFunc& func) {
  auto out = std::make_unique<LaneLoops>();
  Extraction scratch;
  const Effects effects = CollectEffects(func->body);
  LaneWalker walker(&scratch, effects, out.get());
  walker.recorder()->SetScopes({}, false);
  walker.Run(func);
  out->symbols = std::move(scratch.symbols);
  return out;
}

}  // namespace tileguard
