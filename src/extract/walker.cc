#include "walker.h"

#include <tvm/ir/op.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>

#include <algorithm>
#include <utility>

#include "pointer_ops.h"

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

constexpr int64_t kInt32Max = 2147483647;
constexpr int64_t kInt32Min = -kInt32Max - 1;

// The sum whose wrap-around would make a loop or launch of this extent empty: peels what keeps the
// sign.
PrimExpr WrapSensitivePart(PrimExpr extent) {
  while (true) {
    auto constant = [](const PrimExpr& e) { return e.as<tvm::IntImmNode>(); };
    if (const auto* div = extent.as<FloorDivNode>()) {
      if (constant(div->b) == nullptr || constant(div->b)->value <= 0) return extent;
      extent = div->a;
    } else if (const auto* sub = extent.as<SubNode>()) {
      if (constant(sub->b) == nullptr || constant(sub->b)->value < 0) return extent;
      extent = sub->a;
    } else if (const auto* call = extent.as<CallNode>()) {
      if (OpName(call) != "tirx.shift_right" || constant(call->args[1]) == nullptr) return extent;
      extent = call->args[0];
    } else {
      return extent;
    }
  }
}

SymbolKind ThreadKind(const std::string& tag) {
  return tag.rfind("blockIdx", 0) == 0 ? SymbolKind::kBlock : SymbolKind::kThread;
}

bool EndsControl(const std::string& name) {
  return name == "tirx.thread_return" || name == "tirx.ret" || name == "tirx.break_loop" ||
         name == "tirx.continue_loop" || name == "tl.loop_break";
}

}  // namespace

Walker::Walker(Extraction* out, const Effects& function_effects)
    : out_(out),
      terms_(&out->symbols),
      memory_(function_effects),
      converter_(&out->symbols, &terms_, &memory_),
      recorder_(out, &terms_, &converter_, &memory_) {}

void Walker::Run(const PrimFunc& func) {
  std::vector<Buffer> buffers;
  for (const Var& param : func->params) {
    if (auto found = func->buffer_map.Get(param)) buffers.push_back(found.value());
  }
  // Before any expression in them is read: a term's form depends on the bounds of what it is made
  // of.
  for (const Buffer& buffer : buffers) KnowPlainExtents(buffer);
  for (const Buffer& buffer : buffers) {
    KnowShape(buffer);
    buffer_of_data_[buffer->data.get()] = buffer;
  }
  for (const Var& param : func->params) {
    const bool integer =
        param->dtype.is_scalar() && (param->dtype.is_int() || param->dtype.is_uint());
    if (integer && !converter_.Knows(param.get())) converter_.Argument(param.get());
  }
  VisitStmt(func->body);
}

// Rule 11: a plain variable carries it as its own bound.
void Walker::KnowPlainExtents(const Buffer& buffer) {
  for (const PrimExpr& extent : buffer->shape) {
    const auto* var = extent.as<VarNode>();
    if (var != nullptr && !converter_.Knows(var)) {
      converter_.Variable(var, SymbolKind::kShape, {0, TypeBounds(var->dtype).hi});
    }
  }
}

// Rule 11: extents are never negative, and so neither did they wrap.
void Walker::KnowShape(const Buffer& buffer) {
  KnowPlainExtents(buffer);
  for (const PrimExpr& extent : buffer->shape) {
    const LinearExpr value = converter_.Int(extent);
    const Interval box = BoxBounds(value, out_->symbols);
    if (!box.lo || *box.lo < 0) Know(GeZero(value));
    KnowNoWrap(extent);
  }
}

// A wrapped 32-bit extent is negative, and nothing runs under it: below it, it did not wrap. Holds
// for sums that exceed the type by less than its size, not for products.
void Walker::KnowNoWrap(const PrimExpr& extent) {
  const PrimExpr part = WrapSensitivePart(extent);
  if (!part.dtype().is_int() || part.dtype().bits() != 32) return;
  const LinearExpr value = converter_.Int(part);
  const Interval box = BoxBounds(value, out_->symbols);
  if (!box.hi || *box.hi <= kInt32Max || *box.hi > 2 * kInt32Max) return;
  if (!box.lo || *box.lo < kInt32Min) return;
  Know(Ge(kInt32Max, value));
}

void Walker::VisitStmt(const Stmt& stmt) {
  if (!stmt.defined()) return;
  const tvm::Span outer = place_.span;
  if (stmt->span.defined()) place_.span = stmt->span;
  ends_ = false;
  StmtExprVisitor::VisitStmt(stmt);
  place_.span = outer;
}

void Walker::VisitStmt_(const SeqStmtNode* op) {
  bool ends = false;
  for (const Stmt& stmt : op->seq) {
    VisitStmt(stmt);
    ends = ends || ends_;
  }
  ends_ = ends;
}

LinearExpr Walker::LoopVariable(const VarNode* var, SymbolKind kind, const LinearExpr& min,
                                const LinearExpr& extent) {
  const Interval type = TypeBounds(var->dtype);
  Interval bounds = BoxBounds(min, out_->symbols);
  bounds.hi = std::nullopt;
  try {
    bounds.hi = BoxBounds(min + extent - 1, out_->symbols).hi;
  } catch (const CoefficientOverflow&) {
  }
  if (!bounds.lo) bounds.lo = type.lo;
  if (!bounds.hi || (type.hi && *bounds.hi > *type.hi)) bounds.hi = type.hi;
  LinearExpr symbol = converter_.Variable(var, kind, bounds);
  try {
    Know(Ge(symbol, min));
    Know(Lt(symbol, min + extent));
  } catch (const CoefficientOverflow&) {
    // Knowing less is safe.
  }
  return symbol;
}

void Walker::FreezeRange(const Var& var, const PrimExpr& min, const PrimExpr& extent) {
  if (var.dtype() != min.dtype() || var.dtype() != extent.dtype()) return;
  for (const PrimExpr& fact : {PrimExpr(GE(var, min)), PrimExpr(LT(var, min + extent))}) {
    place_.frozen_facts =
        std::make_shared<const FrozenFact>(FrozenFact{recorder_.Frozen(fact), place_.frozen_facts});
  }
}

void Walker::VisitStmt_(const AttrStmtNode* op) {
  const std::string key = op->attr_key;
  if (key == tvm::tirx::attr::thread_extent || key == "virtual_thread") {
    VisitExpr(op->value);
    const IterVar iter = op->node.cast<IterVar>();
    const Known outer = Save();
    KnowNoWrap(op->value);
    LoopVariable(iter->var.get(), ThreadKind(iter->thread_tag), 0, converter_.Int(op->value));
    FreezeRange(iter->var, tvm::tirx::make_zero(iter->var.dtype()), op->value);
    VisitStmt(op->body);
    Restore(outer);
    return;
  }
  if (key == tvm::tirx::attr::tilelang_assume) {
    if (auto condition = op->node.as<PrimExpr>()) KnowCondition(condition.value(), true);
    VisitStmt(op->body);
    return;
  }
  VisitExpr(op->value);
  VisitStmt(op->body);
}

void Walker::VisitLoopBody(const Stmt& body, const Effects& effects) {
  VisitStmt(body);
  memory_.Clobber(effects);
  ends_ = false;
}

void Walker::VisitStmt_(const ForNode* op) {
  const int visit = CountVisit(op);
  VisitExpr(op->min);
  VisitExpr(op->extent);
  const Known outer = Save();
  const LinearExpr min = converter_.Int(op->min);
  const LinearExpr extent = converter_.Int(op->extent);
  KnowNoWrap(op->extent);
  const Effects effects = CollectEffects(op->body);
  memory_.Clobber(effects);
  const SymbolKind kind =
      op->thread_binding ? ThreadKind(op->thread_binding.value()->thread_tag) : SymbolKind::kLoop;
  const LinearExpr symbol = LoopVariable(op->loop_var.get(), kind, min, extent);
  FreezeRange(op->loop_var, op->min, op->extent);
  if (op->step && !op->HasTrivialStep()) {
    Know(EqZero(terms_.FloorMod(symbol - min, converter_.Int(op->step.value()))));
  }
  const VectorLoop* outer_loop = place_.vector_loop;
  VectorLoop loop;
  if (op->kind == ForKind::kVectorized && min.IsConstant() && extent.IsConstant() &&
      extent.constant() > 1) {
    loop.node = op;
    loop.visit = visit;
    loop.var = op->loop_var;
    loop.symbol = symbol;
    loop.first_value = min.constant();
    loop.last_value = min.constant() + extent.constant() - 1;
    loop.first = tvm::IntImm(op->loop_var.dtype(), loop.first_value);
    loop.last = tvm::IntImm(op->loop_var.dtype(), loop.last_value);
    place_.vector_loop = &loop;
  }
  VisitLoopBody(op->body, effects);
  place_.vector_loop = outer_loop;
  Restore(outer);
}

void Walker::VisitStmt_(const WhileNode* op) {
  const Known outer = Save();
  Effects effects = CollectEffects(op->body);
  const Effects in_condition = CollectEffects(op->condition);
  effects.written.insert(in_condition.written.begin(), in_condition.written.end());
  memory_.Clobber(effects);
  VisitExpr(op->condition);
  KnowCondition(op->condition, true);
  memory_.Clobber(in_condition);
  VisitLoopBody(op->body, effects);
  Restore(outer);
  // Read afresh at the exit: what the condition speaks of has its last value now.
  if (!effects.breaks && IsPure(op->condition)) KnowCondition(op->condition, false);
}

void Walker::BindValue(const VarNode* var, const PrimExpr& value) {
  if (!IsInteger(value.dtype()) || value.dtype().lanes() != 1) return;
  if (value.dtype().is_bool()) {
    converter_.Bind(var, converter_.Bool(value));
    return;
  }
  converter_.Bind(var, StoredValue(value));
}

// What a variable holds after `value` is put into it. Pure index arithmetic over loops and threads
// is taken as the mathematical value, which is what it is once the host has inlined it; a value
// computed from memory can be anything and wraps.
LinearExpr Walker::StoredValue(const PrimExpr& value) {
  const LinearExpr linear = converter_.Stored(value);
  const tvm::DataType t = value.dtype();
  bool from_memory = false;
  tvm::tirx::PostOrderVisit(value, [&](const tvm::ffi::ObjectRef& object) {
    from_memory =
        from_memory || object.as<BufferLoadNode>() != nullptr || object.as<CallNode>() != nullptr;
  });
  if (t.is_bool() || (t.is_int() && t.bits() >= 32 && !from_memory)) return linear;
  return terms_.Wrap(linear, t.bits(), t.is_int());
}

// A variable of the thread holds what was stored, until the next store.
void Walker::KnowStored(const BufferStoreNode* op, const LinearExpr& value) {
  const BufferLoad read(op->buffer, op->indices);
  Know(Eq(converter_.Int(read), value));
}

void Walker::VisitStmt_(const BindNode* op) {
  VisitExpr(op->value);
  BindValue(op->var.get(), op->value);
  memory_.Clobber(CollectEffects(op->value));
}

void Walker::VisitStmt_(const AssertStmtNode* op) {
  VisitExpr(op->condition);
  KnowCondition(op->condition, true);
  memory_.Clobber(CollectEffects(op->condition));
}

void Walker::VisitStmt_(const BufferStoreNode* op) {
  const int visit = CountVisit(op);
  const bool tracked = StoresScalar(op) && !op->predicate && op->buffer->dtype == op->value.dtype();
  const tvm::DataType type = op->buffer->dtype;
  // What lies in memory has its type's width, whatever was computed.
  auto stored = [&] {
    return tracked ? terms_.Wrap(StoredValue(op->value), type.bits(), type.is_int()) : LinearExpr();
  };
  const Known outer = Save();
  auto predicate = [&] {
    if (!op->predicate) return;
    VisitExpr(op->predicate.value());
    KnowCondition(op->predicate.value(), true);
  };
  LinearExpr value;
  if (StoreHasEffect(op)) {
    predicate();
    VisitExpr(op->value);
    value = stored();
    memory_.Clobber(CollectEffects(op->value));
    for (const PrimExpr& index : op->indices) VisitExpr(index);
    recorder_.Element(op, visit, AccessKind::kStore, op->buffer, op->indices, 1, place_);
  } else {
    for (const PrimExpr& index : op->indices) VisitExpr(index);
    predicate();
    const int id =
        recorder_.Element(op, visit, AccessKind::kStore, op->buffer, op->indices, 1, place_);
    // A pure right-hand side may be left out with its store: its loads are under the store's guard.
    const std::vector<int> under = place_.under;
    if (id >= 0 && !ValueGoesFirst(op)) place_.under.push_back(id);
    VisitExpr(op->value);
    place_.under = under;
    value = stored();
  }
  Restore(outer);
  memory_.Clobber(CollectEffects(tvm::ffi::GetRef<Stmt>(op)));
  if (tracked) KnowStored(op, value);
}

void Walker::VisitStmt_(const EvaluateNode* op) {
  const auto* call = op->value.as<CallNode>();
  const std::string name = call != nullptr ? OpName(call) : "";
  statement_call_ = call;
  VisitExpr(op->value);
  statement_call_ = nullptr;
  if (name == "tirx.assume") KnowCondition(call->args[0], true);
  memory_.Clobber(CollectEffects(op->value));
  ends_ = EndsControl(name);
}

void Walker::VisitStmt_(const SBlockRealizeNode* op) {
  VisitExpr(op->predicate);
  for (size_t i = 0; i < op->iter_values.size(); ++i) {
    VisitExpr(op->iter_values[i]);
    BindValue(op->block->iter_vars[i]->var.get(), op->iter_values[i]);
  }
  const Known outer = Save();
  const bool always = tvm::tirx::is_one(op->predicate);
  if (!always) KnowCondition(op->predicate, true);
  VisitStmt(op->block);
  if (!always) Restore(outer);
}

void Walker::VisitStmt_(const SBlockNode* op) {
  for (const Buffer& buffer : op->alloc_buffers) {
    buffer_of_data_[buffer->data.get()] = buffer;
    KnowShape(buffer);
  }
  for (const MatchBufferRegion& match : op->match_buffers) KnowShape(match->buffer);
  if (op->init) VisitStmt(op->init.value());
  VisitStmt(op->body);
}

void Walker::VisitStmt_(const DeclBufferNode* op) {
  buffer_of_data_.emplace(op->buffer->data.get(), op->buffer);
  KnowShape(op->buffer);
}

void Walker::VisitStmt_(const AllocBufferNode* op) {
  buffer_of_data_[op->buffer->data.get()] = op->buffer;
  KnowShape(op->buffer);
}

}  // namespace tileguard
