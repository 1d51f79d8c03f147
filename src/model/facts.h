// Facts that hold at one place of a program: a persistent list that nested places share.
#ifndef TILEGUARD_MODEL_FACTS_H_
#define TILEGUARD_MODEL_FACTS_H_

#include <memory>
#include <utility>

#include "formula.h"

namespace tileguard {

/*! \brief One fact in front of the facts of the enclosing place. */
struct FactNode {
  Formula fact;
  std::shared_ptr<const FactNode> outer;
};

/*! \brief Null is "nothing known". */
using FactList = std::shared_ptr<const FactNode>;

/*! \brief `facts` and one more; a trivial one adds nothing. */
inline FactList WithFact(FactList facts, Formula fact) {
  if (fact.IsTrue()) return facts;
  if (fact.kind == Formula::Kind::kAnd) {
    for (Formula& part : fact.args) facts = WithFact(std::move(facts), std::move(part));
    return facts;
  }
  return std::make_shared<const FactNode>(FactNode{std::move(fact), std::move(facts)});
}

}  // namespace tileguard

#endif  // TILEGUARD_MODEL_FACTS_H_
