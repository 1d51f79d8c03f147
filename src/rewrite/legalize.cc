#include "legalize.h"

#include <sstream>
#include <utility>

#include "../extract/second_opinion.h"
#include "../guard/decide.h"
#include "hoist_guards.h"
#include "rewriter.h"
#include "vector_tails.h"
#include "warnings.h"

namespace tileguard {

namespace {

std::string Where(const AccessSite& site) {
  std::ostringstream out;
  if (site.span.defined() && site.span->source_name.defined()) {
    out << " at " << site.span->source_name->name << ":" << site.span->line << ":"
        << site.span->column;
  }
  return out.str();
}

std::string What(const AccessSite& site) {
  std::ostringstream out;
  out << ToString(site.query.kind) << " of " << site.buffer->name << site.indices << " (shape "
      << site.shape << ")";
  return out.str();
}

void Warn(const Analysis& analysis) {
  for (size_t i = 0; i < analysis.decisions.size(); ++i) {
    const AccessSite& site = analysis.extraction->sites[i];
    const Decision& decision = analysis.decisions[i];
    if (decision.verdict == Verdict::kOutOfBounds) {
      EmitWarning(What(site) + Where(site) + " is out of bounds on every execution");
    }
    if (!site.unsupported.empty() && decision.verdict != Verdict::kProved) {
      EmitWarning(What(site) + Where(site) + " is left as it was: " + site.unsupported);
    }
  }
}

}  // namespace

Analysis Analyze(const tvm::tirx::PrimFunc& func, const Options& options, bool explain) {
  Analysis out;
  out.extraction = Extract(func, options.GuardedScopes(), explain);
  std::vector<AccessQuery> queries;
  queries.reserve(out.extraction->sites.size());
  for (const AccessSite& site : out.extraction->sites) queries.push_back(site.query);
  const std::vector<AccessSite>& sites = out.extraction->sites;
  const SecondOpinion opinion = [&sites](int id, int dim, bool upper) {
    return HostProves(sites[static_cast<size_t>(id)], dim, upper);
  };
  Budget budget;
  budget.operations_per_access = static_cast<uint64_t>(options.budget_access);
  budget.searches_per_function = static_cast<uint64_t>(options.budget_searches);
  out.decisions = DecideAll(&out.extraction->symbols, queries, budget, opinion, explain);
  return out;
}

tvm::tirx::PrimFunc Legalize(const tvm::tirx::PrimFunc& func, const Options& options) {
  const Analysis analysis = Analyze(func, options, false);
  if (options.warnings) Warn(analysis);
  Rewriter rewriter(*analysis.extraction, analysis.decisions);
  tvm::tirx::PrimFunc out = rewriter.Run(func);
  // What needs no guard stays as its author wrote it, but for copies that the host could not lower.
  const bool proved = out.same_as(func);
  // The scalar tails are serial loops like any other: hoisting comes last. What it puts in front of
  // a loop may settle what a lane asks inside, and so on; two rounds are nearly always one too
  // many.
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    const tvm::tirx::PrimFunc before = out;
    if (options.vector_tails) out = KeepVectors(out, options, proved);
    if (options.hoist_guards && !proved) out = HoistGuards(out);
    if (out.same_as(before)) break;
  }
  return out;
}

}  // namespace tileguard
