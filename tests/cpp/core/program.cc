#include "program.h"

#include <algorithm>
#include <utility>

namespace tileguard {
namespace testing {

namespace {

using Op = Tree::Op;

std::vector<int64_t> OfKind(const Program& program, bool shapes) {
  std::vector<int64_t> out;
  for (int64_t v : program.box.Variables()) {
    const bool shape = program.box.kinds[static_cast<size_t>(v)] == SymbolKind::kShape;
    if (shape == shapes) out.push_back(v);
  }
  return out;
}

// Bounds of shapes are facts as often as they are the symbol's own: kernels assume them.
void AddVariable(Program* program, SymbolKind kind, int64_t lo, int64_t hi, bool told) {
  program->box.lo.push_back(lo);
  program->box.hi.push_back(hi);
  program->box.told.push_back(told);
  program->box.kinds.push_back(kind);
}

Tree RandomExtent(const Program& program, Random* random) {
  if (random->OneIn(3)) return Constant(random->Int(1, 9));
  const Tree shape = Variable(random->Pick(OfKind(program, true)));
  if (random->OneIn(2)) return shape;
  if (random->OneIn(3)) return RandomTree({OfKind(program, true), false}, 2, random);
  const Op op = random->Pick(std::vector<Op>{Op::kAdd, Op::kMul, Op::kSub});
  return Make(op, {shape, Constant(random->Int(1, 3))});
}

// Tiles of 2 or 4, mirrored rows, offsets; now and then anything.
Tree RandomIndex(const Program& program, Random* random) {
  const std::vector<int64_t> inner = OfKind(program, false);
  if (random->OneIn(4)) return RandomTree({program.box.Variables(), false}, 2, random);
  if (random->OneIn(3)) return RandomTree({inner, false}, 1, random);
  const int64_t tile = program.lane >= 0 ? program.lanes() : random->Int(2, 4);
  const Tree base = Make(Op::kMul, {Variable(random->Pick(inner)), Constant(tile)});
  Tree index = Make(Op::kAdd,
                    {base, Variable(program.lane >= 0 && !random->OneIn(4) ? program.lane
                                                                           : random->Pick(inner))});
  if (random->OneIn(4)) index = Make(Op::kAdd, {index, Constant(random->Int(-3, 3))});
  if (random->OneIn(8)) {
    index = Make(Op::kSub, {Variable(random->Pick(OfKind(program, true))), index});
  }
  return index;
}

TreeAccess RandomAccess(const Program& program, Random* random) {
  TreeAccess access;
  for (int64_t d = random->Pick(std::vector<int64_t>{1, 1, 2, 2, 3}); d > 0; --d) {
    access.dims.push_back({RandomIndex(program, random), RandomExtent(program, random)});
  }
  access.guardable = !random->OneIn(5);
  for (size_t d = 0; d < access.dims.size(); ++d) {
    if (!random->OneIn(3)) continue;
    access.fits.push_back({static_cast<int>(d), access.dims[d].index,
                           static_cast<int>(random->Int(2, 5)), random->OneIn(2)});
  }
  return access;
}

bool Fulfilled(const Program& program, size_t facts, const Point& point) {
  return std::all_of(program.facts.begin(),
                     program.facts.begin() + static_cast<std::ptrdiff_t>(facts),
                     [&](const Tree& fact) { return Truth(fact, point); });
}

}  // namespace

Program RandomProgram(Random* random) {
  Program program;
  for (int64_t n = random->Int(1, 2); n > 0; --n) {
    AddVariable(&program, SymbolKind::kShape, 0, random->Int(2, 9), random->OneIn(2));
  }
  for (int64_t n = random->Int(1, 2); n > 0; --n) {
    const SymbolKind kind = random->Pick(std::vector<SymbolKind>{
        SymbolKind::kBlock, SymbolKind::kThread, SymbolKind::kLoop, SymbolKind::kMemory});
    const int64_t lo = kind == SymbolKind::kMemory ? random->Int(-2, 0) : 0;
    AddVariable(&program, kind, lo, lo + random->Int(0, 4), !random->OneIn(4));
  }
  Grammar facts{program.box.Variables(), false};
  if (random->OneIn(2)) {
    program.lane = static_cast<int>(program.box.size());
    AddVariable(&program, SymbolKind::kLane, 0, random->OneIn(2) ? 1 : 3, true);
  }
  for (int64_t n = random->Int(0, 3); n > 0; --n) {
    program.facts.push_back(RandomTruth(facts, static_cast<int>(random->Int(0, 2)), random));
  }
  for (int64_t n = random->Int(1, 3); n > 0; --n) {
    TreeAccess access = RandomAccess(program, random);
    access.facts = program.accesses.empty() ? 0 : program.accesses.back().facts;
    access.facts += static_cast<size_t>(
        random->Int(0, static_cast<int64_t>(program.facts.size() - access.facts)));
    // Nested places see every guard around them.
    if (!program.accesses.empty() && random->OneIn(2)) {
      access.under = program.accesses.back().under;
      access.under.push_back(static_cast<int>(program.accesses.size()) - 1);
    }
    program.accesses.push_back(std::move(access));
  }
  return program;
}

std::string Program::Text() const {
  std::string out = "box:";
  for (size_t i = 0; i < box.size(); ++i) {
    out += " v" + std::to_string(i) + " in [" + std::to_string(box.lo[i]) + ", " +
           std::to_string(box.hi[i]) + "]" + (box.kinds[i] == SymbolKind::kShape ? " shape" : "") +
           (box.told[i] ? "" : " by fact") + (static_cast<int>(i) == lane ? " lane" : "");
  }
  for (size_t i = 0; i < facts.size(); ++i) {
    out += "\nfact " + std::to_string(i) + ": " + ToString(facts[i]);
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    out += "\naccess " + std::to_string(i) + " after " + std::to_string(accesses[i].facts) +
           " facts" + (accesses[i].guardable ? "" : ", not guardable");
    for (int outer : accesses[i].under) out += ", under " + std::to_string(outer);
    for (const TreeDim& d : accesses[i].dims) {
      out += "\n  " + ToString(d.index) + " of " + ToString(d.extent);
    }
  }
  return out;
}

Point AtLane(const Program& program, Point point, int64_t lane) {
  if (program.lane >= 0) point[static_cast<size_t>(program.lane)] = lane;
  return point;
}

bool InBounds(const TreeAccess& access, const Point& point) {
  return std::all_of(access.dims.begin(), access.dims.end(), [&](const TreeDim& d) {
    const int64_t index = Value(d.index, point);
    return 0 <= index && index < Value(d.extent, point);
  });
}

bool AtomHolds(const TreeAccess& access, const GuardAtom& atom, const Point& point) {
  const TreeDim& d = access.dims[static_cast<size_t>(atom.dim)];
  if (atom.positive_extent) return 0 < Value(d.extent, point);
  const int64_t index = Value(d.index, point);
  return atom.upper ? index < Value(d.extent, point) : 0 <= index;
}

std::vector<Point> Executions(const Program& program, size_t id) {
  const TreeAccess& access = program.accesses[id];
  std::vector<Point> out;
  ForEachPoint(program.box.lo, program.box.hi, [&](const Point& p) {
    if (!Fulfilled(program, access.facts, p)) return;
    const bool reached = std::all_of(access.under.begin(), access.under.end(), [&](int outer) {
      const TreeAccess& around = program.accesses[static_cast<size_t>(outer)];
      return !around.guardable || InBounds(around, p);
    });
    if (reached) out.push_back(p);
  });
  return out;
}

std::vector<AccessQuery> Queries(const Program& program, World* world) {
  std::vector<AccessQuery> out;
  auto at = [&](const TreeAccess& access, const LinearExpr* lane) {
    std::vector<LinearExpr> leaves = world->leaves();
    if (lane != nullptr) leaves[static_cast<size_t>(program.lane)] = *lane;
    std::vector<DimForm> forms;
    for (const TreeDim& d : access.dims) {
      forms.push_back(
          {ToExpr(d.index, leaves, &world->terms()), ToExpr(d.extent, leaves, &world->terms())});
    }
    return forms;
  };
  for (const TreeAccess& access : program.accesses) {
    AccessQuery query;
    query.facts = WithFact(nullptr, world->UntoldBounds());
    for (size_t i = 0; i < access.facts; ++i) {
      query.facts = WithFact(query.facts, world->Truth(program.facts[i]));
    }
    query.dims = at(access, nullptr);
    if (program.lane >= 0) {
      const LinearExpr first = 0;
      const LinearExpr last = program.lanes() - 1;
      query.first = at(access, &first);
      query.last = at(access, &last);
    }
    query.lanes = static_cast<int>(program.lanes());
    query.rank = static_cast<int>(access.dims.size());
    query.under = access.under;
    query.guardable = access.guardable;
    for (const TreeFit& fit : access.fits) {
      query.fits.push_back({fit.dim, world->Expr(fit.value), fit.bits, fit.is_signed});
    }
    out.push_back(std::move(query));
  }
  return out;
}

Decided::Decided(const Program& program, const std::vector<size_t>& order, const Budget& budget,
                 bool explain)
    : world_(program.box, order), queries_(Queries(program, &world_)) {
  decisions_ = DecideAll(&world_.symbols(), queries_, budget, nullptr, explain);
}

Budget Unlimited() {
  Budget budget;
  budget.operations_per_access = 0;
  budget.searches_per_function = 1000000;
  return budget;
}

}  // namespace testing
}  // namespace tileguard
