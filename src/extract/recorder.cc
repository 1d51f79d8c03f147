#include "recorder.h"

#include <tvm/tirx/analysis.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>

#include <algorithm>
#include <utility>

namespace tileguard {

namespace {

using tvm::PrimExpr;
using namespace tvm::tirx;  // NOLINT: the node classes of the host IR

int VectorLanes(const tvm::ffi::Array<PrimExpr>& indices) {
  int lanes = 1;
  for (const PrimExpr& index : indices) lanes = std::max(lanes, index.dtype().lanes());
  return lanes;
}

bool Uses(const tvm::ffi::Array<PrimExpr>& indices, const Var& var) {
  return std::any_of(indices.begin(), indices.end(), [&](const PrimExpr& index) {
    return UsesVar(index, [&](const VarNode* v) { return v == var.get(); });
  });
}

}  // namespace

PrimExpr FlatOffset(const Buffer& buffer, const tvm::ffi::Array<PrimExpr>& indices) {
  const tvm::DataType wide = tvm::DataType::Int(64);
  PrimExpr offset = tvm::IntImm(wide, 0);
  for (size_t d = 0; d < indices.size(); ++d) {
    if (d > 0) offset = offset * tvm::cast(wide, buffer->shape[d]);
    offset = offset + tvm::cast(wide, indices[d]);
  }
  return offset;
}

int Recorder::Element(const tvm::ffi::Object* node, int visit, AccessKind kind,
                      const Buffer& buffer, const tvm::ffi::Array<PrimExpr>& indices, int elements,
                      const Place& place) {
  AccessSite site;
  site.buffer = buffer;
  site.indices = indices;
  site.shape = buffer->shape;
  site.elements = elements;
  site.query.kind = kind;
  return Add(node, visit, std::move(site), place);
}

int Recorder::Span(const tvm::ffi::Object* node, int visit, AccessKind kind, const Buffer& buffer,
                   const PrimExpr& offset, const PrimExpr& count, const Place& place) {
  const tvm::DataType wide = tvm::DataType::Int(64);
  AccessSite site;
  site.buffer = buffer;
  PrimExpr size = tvm::IntImm(wide, 1);
  for (const PrimExpr& extent : buffer->shape) size = size * tvm::cast(wide, extent);
  const PrimExpr first = tvm::cast(wide, offset);
  site.indices = {first};
  site.shape = {size};
  if (!is_one(count)) {
    site.indices.push_back(first + (tvm::cast(wide, count) - tvm::IntImm(wide, 1)));
    site.shape.push_back(size);
    site.query.is_span = true;
  }
  site.flattened = true;
  site.count = tvm::cast(wide, count);
  site.query.kind = kind;
  return Add(node, visit, std::move(site), place);
}

int Recorder::Add(const tvm::ffi::Object* node, int visit, AccessSite site, const Place& place) {
  if (!all_scopes_ && !IsGuarded(site.buffer.scope())) return -1;
  site.vector_lanes = VectorLanes(site.indices);
  site.query.rank = static_cast<int>(site.indices.size());
  site.query.guardable = IsGuarded(site.buffer.scope());
  site.span = place.span;
  site.query.facts = place.facts;
  site.query.under = place.under;
  site.index_must_be_bound = MustBind(site.indices);
  if (site.indices.size() != site.shape.size()) {
    site.unsupported = "the number of indices differs from the rank of the buffer";
    site.query.guardable = false;
  } else {
    try {
      AddForms(&site, place);
      AddFrozen(&site, place);
    } catch (const CoefficientOverflow&) {
      site.query.dims.clear();
      site.query.first.clear();
      site.query.last.clear();
    }
  }
  const int id = static_cast<int>(out_->sites.size());
  out_->sites.push_back(std::move(site));
  out_->by_place[{node, visit}].push_back(id);
  return id;
}

// Lanes come from the index itself (a Ramp), from an op that touches several elements, or from the
// enclosing vectorized loop; the first that applies is the one a guard may have to be freed of.
void Recorder::AddForms(AccessSite* site, const Place& place) {
  const int lanes = std::max(site->vector_lanes, site->elements);
  if (lanes > 1) {
    const bool vector = site->vector_lanes > 1;
    const LinearExpr lane = LaneSymbol(lanes, vector);
    auto forms = [&](const LinearExpr& at) {
      return vector ? Forms(*site, Lane{at}, 0) : Forms(*site, Lane{}, at);
    };
    converter_->TakeObligations();
    fits_.clear();
    site->query.dims = forms(lane);
    AddFits(site);
    site->query.lanes = lanes;
    if (!IsRepeatable(site->indices)) return;
    site->query.first = forms(0);
    site->query.last = forms(lanes - 1);
    return;
  }
  converter_->TakeObligations();
  fits_.clear();
  site->query.dims = Forms(*site, Lane{}, 0);
  AddFits(site);
  const VectorLoop* loop = place.vector_loop;
  if (loop == nullptr || !IsRepeatable(site->indices) || !Uses(site->indices, loop->var)) return;
  site->lane_var = loop->var;
  site->query.lanes = static_cast<int>(loop->last_value - loop->first_value + 1);
  site->lane_first = loop->first;
  site->lane_last = loop->last;
  const LinearExpr symbol = converter_->Rebind(loop->var.get(), loop->first_value);
  site->query.first = Forms(*site, Lane{}, 0);
  converter_->Rebind(loop->var.get(), loop->last_value);
  site->query.last = Forms(*site, Lane{}, 0);
  converter_->Rebind(loop->var.get(), symbol);
}

// One lane of a statement is one lane of all its vectors, so vectors of a width share their symbol;
// the elements of a range access are its own.
LinearExpr Recorder::LaneSymbol(int lanes, bool vector) {
  auto known = lane_symbols_.find(lanes);
  if (vector && known != lane_symbols_.end()) return known->second;
  SymbolInfo info;
  info.name = "lane";
  info.kind = SymbolKind::kLane;
  info.lo = 0;
  info.hi = lanes - 1;
  const LinearExpr symbol = LinearExpr::Symbol(out_->symbols.Add(std::move(info)));
  if (vector) lane_symbols_.emplace(lanes, symbol);
  return symbol;
}

// What a guard in the index's own type relies on: operands, index and extent all fit their types.
void Recorder::AddFits(AccessSite* site) {
  site->query.fits = std::move(fits_);
  fits_.clear();
  auto require = [&](size_t dim, const LinearExpr& value, const tvm::DataType& type) {
    if (type.bits() >= 64 || value.IsConstant()) return;
    site->query.fits.push_back({static_cast<int>(dim), value, type.bits(), type.is_int()});
  };
  for (size_t d = 0; d < site->query.dims.size(); ++d) {
    require(d, site->query.dims[d].index, site->indices[d].dtype());
    require(d, site->query.dims[d].extent, site->shape[d].dtype());
  }
}

std::vector<DimForm> Recorder::Forms(const AccessSite& site, const Lane& lane,
                                     const LinearExpr& element) {
  std::vector<DimForm> forms;
  for (size_t d = 0; d < site.indices.size(); ++d) {
    DimForm form{converter_->Int(site.indices[d], lane), converter_->Int(site.shape[d])};
    for (FitRequirement fit : converter_->TakeObligations()) {
      fit.dim = static_cast<int>(d);
      fits_.push_back(std::move(fit));
    }
    if (d + 1 == site.indices.size()) form.index = form.index + element;
    forms.push_back(std::move(form));
  }
  return forms;
}

PrimExpr Recorder::Frozen(const PrimExpr& e) {
  return freezer_.Freeze(e, [this](const PrimExpr& read) {
    const bool integer = read.dtype().is_int() || read.dtype().is_uint();
    if (!integer || read.dtype().lanes() != 1) return "unknown" + std::to_string(++unknown_reads_);
    return Key(converter_->Int(read));
  });
}

// Only what the sets could not state needs a second opinion.
void Recorder::AddFrozen(AccessSite* site, const Place& place) {
  bool opaque = false;
  for (const DimForm& form : site->query.dims) {
    for (const LinearExpr* e : {&form.index, &form.extent}) {
      for (const LinearExpr::Term& t : e->terms()) {
        opaque = opaque || out_->symbols[t.first].kind == SymbolKind::kOpaque;
      }
    }
  }
  if (!opaque) return;
  site->frozen_facts = place.frozen_facts;
  for (const PrimExpr& index : site->indices) site->frozen_indices.push_back(Frozen(index));
}

bool Recorder::MustBind(const tvm::ffi::Array<PrimExpr>& indices) const {
  bool bind = false;
  for (const PrimExpr& index : indices) {
    bind = bind || !IsPure(index);
    PostOrderVisit(index, [&](const tvm::ffi::ObjectRef& object) {
      const auto* load = object.as<BufferLoadNode>();
      if (load != nullptr && !memory_->IsReadOnly(load->buffer)) bind = true;
    });
  }
  return bind;
}

bool Recorder::IsRepeatable(const tvm::ffi::Array<PrimExpr>& indices) const {
  bool repeatable = true;
  for (const PrimExpr& index : indices) {
    repeatable = repeatable && IsPure(index);
    PostOrderVisit(index, [&](const tvm::ffi::ObjectRef& object) {
      const auto* load = object.as<BufferLoadNode>();
      if (load == nullptr || memory_->IsReadOnly(load->buffer)) return;
      repeatable = repeatable && std::string(load->buffer.scope()) != "global";
    });
  }
  return repeatable;
}

// `shared` means shared memory of every kind: shared.dyn, ...
bool Recorder::IsGuarded(const std::string& scope) const {
  return std::any_of(guarded_scopes_.begin(), guarded_scopes_.end(),
                     [&](const std::string& guarded) {
                       return scope == guarded || scope.rfind(guarded + ".", 0) == 0;
                     });
}

}  // namespace tileguard
