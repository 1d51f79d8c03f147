// Decides whether facts imply a goal, exactly over the integers, within a budget.
#ifndef TILEGUARD_PROVE_PROVER_H_
#define TILEGUARD_PROVE_PROVER_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "../model/assignment.h"
#include "../model/facts.h"
#include "../model/formula.h"
#include "../model/symbols.h"
#include "../sets/integer_set.h"

namespace tileguard {

/*! \brief What a question to the prover can end in. A solver that gives up is kUnknown, never kYes.
 */
enum class Answer { kYes, kNo, kUnknown };

struct Proof {
  Answer answer = Answer::kUnknown;
  Assignment witness;  // for kNo: a point of the facts where the goal fails

  bool Holds() const { return answer == Answer::kYes; }
};

/*!
 * \brief One prover a function. Facts are those of the list, the bounds and definitions of the
 * symbols met. A fact that shares no symbol with the goal, directly or through others, is left out:
 * that can only weaken the facts.
 */
class Prover {
 public:
  /*! \param search_limit isl searches allowed for the whole function. */
  Prover(const SymbolTable* symbols, uint64_t operations_per_access, uint64_t search_limit);

  const SymbolTable& symbols() const { return *symbols_; }
  /*! \brief A fresh operation budget: call once for each access. */
  void StartAccess();
  /*! \brief Does every integer point of `facts` and `extra` satisfy `goal`? */
  Proof Implies(const FactList& facts, const Formula& goal, const std::vector<Formula>& extra = {});
  /*! \brief False where the facts contradict each other: nothing is ever evaluated there. */
  bool MayHappen(const FactList& facts);
  /*! \brief Is there a point of `facts` and `extra`? kYes gives it as the witness. */
  Proof Satisfiable(const FactList& facts, const std::vector<Formula>& extra);

 private:
  struct System;
  Proof Search(System system, int depth);
  bool QuickYes(const FactList& facts, const Formula& goal,
                const std::vector<Formula>& extra) const;
  // `expand`: a fact that shares a symbol brings its other symbols along; else it must speak of
  // nothing new.
  std::vector<Formula> Relevant(const FactList& facts, std::vector<Formula> seeds,
                                bool expand) const;
  const std::vector<SymbolId>& Behind(SymbolId s) const;
  Proof Decide(const std::vector<Formula>& conjunction);

  const SymbolTable* symbols_;
  uint64_t operations_per_access_;
  uint64_t search_limit_;
  SetContext context_;
  int nodes_ = 0;
  std::unordered_map<const FactNode*, bool> may_happen_;
  mutable std::unordered_map<SymbolId, std::vector<SymbolId>> behind_;
  // Answers by the whole relevant system, for accesses that repeat (pipeline prologues, equal
  // loads).
  struct Entry {
    std::vector<Formula> key;
    Proof proof;
  };
  std::unordered_multimap<size_t, Entry> cache_;
};

}  // namespace tileguard

#endif  // TILEGUARD_PROVE_PROVER_H_
