// Small programs of guarded accesses whose every execution can be enumerated: the oracle that the
// decisions are held against. It knows nothing of the prover.
#ifndef TILEGUARD_TESTS_CPP_CORE_PROGRAM_H_
#define TILEGUARD_TESTS_CPP_CORE_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "guard/decide.h"
#include "world.h"

namespace tileguard {
namespace testing {

struct TreeDim {
  Tree index;
  Tree extent;
};

struct TreeFit {
  int dim = 0;
  Tree value;
  int bits = 3;
  bool is_signed = true;
};

/*! \brief One access. It stands where the first `facts` facts of the program hold. */
struct TreeAccess {
  std::vector<TreeDim> dims;
  size_t facts = 0;
  std::vector<int> under;
  std::vector<TreeFit> fits;
  bool guardable = true;
};

struct Program {
  Box box;
  int lane = -1;  // the variable that is the lane, if any
  std::vector<Tree> facts;
  std::vector<TreeAccess> accesses;

  int64_t lanes() const { return lane < 0 ? 1 : box.hi[static_cast<size_t>(lane)] + 1; }
  std::string Text() const;
};

/*! \brief Accesses of one to three dimensions, half of the programs with lanes, some nested. */
Program RandomProgram(Random* random);

/*! \brief `point` at another lane. */
Point AtLane(const Program& program, Point point, int64_t lane);
bool InBounds(const TreeAccess& access, const Point& point);
/*! \brief Truth of a kept comparison at `point`, whatever lane the atom names. */
bool AtomHolds(const TreeAccess& access, const GuardAtom& atom, const Point& point);
/*!
 * \brief Every execution of access `id`: its facts hold and the accesses it stands under are in
 * bounds, those that cannot be guarded excepted.
 */
std::vector<Point> Executions(const Program& program, size_t id);

/*! \brief The decisions on a program, with the symbols numbered in the order `order`. */
class Decided {
 public:
  Decided(const Program& program, const std::vector<size_t>& order, const Budget& budget,
          bool explain);

  const Decision& operator[](size_t id) const { return decisions_[id]; }
  const std::vector<AccessQuery>& queries() const { return queries_; }
  World& world() { return world_; }

 private:
  World world_;
  std::vector<AccessQuery> queries_;
  std::vector<Decision> decisions_;
};

/*! \brief No limit that a small program meets. */
Budget Unlimited();

std::vector<AccessQuery> Queries(const Program& program, World* world);

}  // namespace testing
}  // namespace tileguard

#endif  // TILEGUARD_TESTS_CPP_CORE_PROGRAM_H_
