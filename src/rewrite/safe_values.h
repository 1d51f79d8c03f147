// What a load outside its buffer reads.
#ifndef TILEGUARD_REWRITE_SAFE_VALUES_H_
#define TILEGUARD_REWRITE_SAFE_VALUES_H_

#include <tvm/tirx/function.h>
#include <tvm/tirx/stmt.h>

#include <unordered_map>

namespace tileguard {

/*!
 * \brief The type of one lane. TVM's own `element_of` refuses types that TileLang registers beside
 * TVM's (fp4 unpacked to bytes), even when they have one lane already.
 */
tvm::DataType ScalarOf(const tvm::DataType& dtype);

/*!
 * \brief The safe values in force, by data variable, with the type of the buffer they were declared
 * for. They hold inside the block that annotates them and nowhere else.
 */
class SafeValues {
 public:
  /*! \brief Learns the declared type of a buffer; a view of the same data does not replace it. */
  void Declare(const tvm::tirx::Buffer& buffer);
  /*! \brief Reads the `safe_value_map` of `block`. \return the values in force before, for Restore.
   */
  SafeValues Enter(const tvm::tirx::SBlockNode* block);
  void Restore(SafeValues before) { *this = std::move(before); }

  /*!
   * \brief The value a load of type `dtype` from `buffer` yields outside: the annotated value's
   * bits when the buffer is a view of another type, zero without annotation.
   */
  tvm::PrimExpr Of(const tvm::tirx::Buffer& buffer, const tvm::DataType& dtype) const;

 private:
  std::unordered_map<const tvm::tirx::VarNode*, tvm::DataType> declared_;
  std::unordered_map<const tvm::tirx::VarNode*, tvm::PrimExpr> values_;
};

}  // namespace tileguard

#endif  // TILEGUARD_REWRITE_SAFE_VALUES_H_
