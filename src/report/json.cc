#include "json.h"

#include <sstream>

#include "../rewrite/condition.h"

namespace tileguard {

namespace {

using nlohmann::json;
using tvm::PrimExpr;

std::string Text(const PrimExpr& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}

json Texts(const tvm::ffi::Array<PrimExpr>& exprs) {
  json out = json::array();
  for (const PrimExpr& e : exprs) out.push_back(Text(e));
  return out;
}

void AddConjuncts(const PrimExpr& condition, json* out) {
  if (const auto* both = condition.as<tvm::tirx::AndNode>()) {
    AddConjuncts(both->a, out);
    AddConjuncts(both->b, out);
  } else {
    out->push_back(Text(condition));
  }
}

json Location(const tvm::Span& span) {
  if (!span.defined() || !span->source_name.defined()) return nullptr;
  std::ostringstream out;
  out << std::string(span->source_name->name) << ":" << span->line << ":" << span->column;
  return out.str();
}

json Example(const CounterExample& e) {
  return {{"shapes", e.shapes}, {"block", e.block}, {"thread", e.thread}, {"loops", e.loops},
          {"values", e.values}, {"dim", e.dim},     {"index", e.index},   {"extent", e.extent}};
}

json AccessReport(int id, const AccessSite& site, const Decision& decision) {
  json guards = json::array();
  if (site.query.guardable && decision.NeedsGuard()) {
    AddConjuncts(BuildCondition(site, decision, site.indices), &guards);
  }
  const bool unsupported = !site.unsupported.empty() && decision.verdict != Verdict::kProved;
  json out;
  out["id"] = id;
  out["buffer"] = std::string(site.buffer->name);
  out["scope"] = std::string(site.buffer.scope());
  out["kind"] = ToString(site.query.kind);
  out["dtype"] = tvm::ffi::DLDataTypeToString(site.buffer->dtype);
  out["indices"] = Texts(site.indices);
  out["shape"] = Texts(site.shape);
  out["verdict"] = unsupported ? "Unknown" : ToString(decision.verdict);
  out["reason"] = nullptr;
  if (unsupported) {
    out["reason"] = "Unsupported";
  } else if (decision.reason != UnknownReason::kNone) {
    out["reason"] = ToString(decision.reason);
  }
  out["guards"] = guards;
  out["counterexample"] =
      decision.counterexample ? Example(*decision.counterexample) : json(nullptr);
  out["safe_if"] = decision.safe_if ? json(*decision.safe_if) : json(nullptr);
  out["location"] = Location(site.span);
  return out;
}

}  // namespace

json FunctionReport(const std::string& name, const Analysis& analysis, double milliseconds) {
  json accesses = json::array();
  size_t atoms = 0;
  for (size_t i = 0; i < analysis.decisions.size(); ++i) {
    const AccessSite& site = analysis.extraction->sites[i];
    if (site.query.guardable) atoms += analysis.decisions[i].atoms.size();
    accesses.push_back(AccessReport(static_cast<int>(i), site, analysis.decisions[i]));
  }
  return {
      {"name", name}, {"pass_ms", milliseconds}, {"guard_atoms", atoms}, {"accesses", accesses}};
}

}  // namespace tileguard
