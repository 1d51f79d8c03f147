// Which memory a value was read from, and when: the epochs behind "a fact ends at the next write".
#ifndef TILEGUARD_EXTRACT_MEMORY_STATE_H_
#define TILEGUARD_EXTRACT_MEMORY_STATE_H_

#include <tvm/tirx/stmt.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tileguard {

/*!
 * \brief What a piece of a program may do to memory, by the data variable of the buffer (views of
 * one allocation share it).
 */
struct Effects {
  std::unordered_set<const tvm::tirx::VarNode*> written;
  bool barrier = false;  // other threads' writes to shared memory become visible
  bool breaks = false;   // may leave the innermost loop early
};

/*! \brief Writes of a statement or expression, its nested statements included. */
Effects CollectEffects(const tvm::tirx::Stmt& stmt);
Effects CollectEffects(const tvm::PrimExpr& expr);

/*!
 * \brief Has the value of a store, or an index of it, an effect? Then the value is evaluated first,
 * and what the indices read is read after its effects: C++17 orders an assignment so.
 */
bool StoreHasEffect(const tvm::tirx::BufferStoreNode* store);

/*!
 * \brief Must the value of a store be there before any of it is stored? So it is with an effect,
 * and for a vector that reads what it overwrites or whose lanes are made of several lanes.
 */
bool ValueGoesFirst(const tvm::tirx::BufferStoreNode* store);

/*! \brief True when evaluating `expr` changes nothing, so it may be skipped or evaluated twice. */
bool IsPure(const tvm::PrimExpr& expr);

/*!
 * \brief Epoch counters by data variable. Two reads of one location are the same value when the
 * epoch is the same. Global memory that the function itself writes has no stable epoch: another
 * thread may write between any two reads.
 */
class MemoryState {
 public:
  /*! \param function_effects everything the function writes. */
  explicit MemoryState(const Effects& function_effects) : function_(function_effects) {}

  /*! \brief A text that changes whenever a read of `buffer` may give another value. */
  std::string Epoch(const tvm::tirx::Buffer& buffer);
  /*! \brief True when no write of this function can reach `buffer`. */
  bool IsReadOnly(const tvm::tirx::Buffer& buffer) const;
  /*! \brief The last write to each variable, for Return: where a branch begins, memory is what it
   * was before the other branch. */
  struct Moment {
    std::unordered_map<const tvm::tirx::VarNode*, int> written;
    int barrier = 0;
  };
  Moment Now() const { return now_; }
  void Return(Moment moment) { now_ = std::move(moment); }
  /*! \brief Ends what is known of everything that `effects` may write. */
  void Clobber(const Effects& effects);

 private:
  const Effects& function_;
  Moment now_;
  int writes_ = 0;  // of the whole function: no two writes give one epoch
  int unstable_reads_ = 0;
};

}  // namespace tileguard

#endif  // TILEGUARD_EXTRACT_MEMORY_STATE_H_
