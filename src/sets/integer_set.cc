#include "integer_set.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <limits>
#include <utility>

namespace tileguard {

namespace {

template <typename T, T* (*Free)(T*)>
struct Deleter {
  void operator()(T* object) const { Free(object); }
};
using Matrix = std::unique_ptr<isl_mat, Deleter<isl_mat, isl_mat_free>>;
using Point = std::unique_ptr<isl_point, Deleter<isl_point, isl_point_free>>;
using Value = std::unique_ptr<isl_val, Deleter<isl_val, isl_val_free>>;

Matrix MakeMatrix(isl_ctx* ctx, const std::vector<std::vector<int64_t>>& rows, size_t columns) {
  Matrix m(isl_mat_alloc(ctx, static_cast<unsigned>(rows.size()), static_cast<unsigned>(columns)));
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const int64_t v = rows[r][c];
      const int row = static_cast<int>(r);
      const int column = static_cast<int>(c);
      if (v >= std::numeric_limits<int>::min() && v <= std::numeric_limits<int>::max()) {
        m.reset(isl_mat_set_element_si(m.release(), row, column, static_cast<int>(v)));
      } else {
        m.reset(isl_mat_set_element_val(m.release(), row, column, isl_val_int_from_si(ctx, v)));
      }
    }
  }
  return m;
}

// isl_val_get_num_si fails on values beyond long; such a point is of no use to a caller.
bool ReadCoordinate(isl_ctx* ctx, isl_val* value, int64_t* out) {
  const Value lowest(isl_val_int_from_si(ctx, std::numeric_limits<int64_t>::min()));
  const Value highest(isl_val_int_from_si(ctx, std::numeric_limits<int64_t>::max()));
  if (isl_val_ge(value, lowest.get()) != isl_bool_true ||
      isl_val_le(value, highest.get()) != isl_bool_true) {
    return false;
  }
  *out = isl_val_get_num_si(value);
  return true;
}

}  // namespace

struct SetContext::Impl {
  isl_ctx* ctx = isl_ctx_alloc();
  ~Impl() { isl_ctx_free(ctx); }
};

SetContext::SetContext() : impl_(std::make_unique<Impl>()) {
  // Errors come back as null objects and are answered as kQuota; isl prints nothing and never
  // aborts.
  isl_options_set_on_error(impl_->ctx, ISL_ON_ERROR_CONTINUE);
}

SetContext::~SetContext() = default;

void SetContext::StartBudget(uint64_t operations) {
  isl_ctx_reset_error(impl_->ctx);
  isl_ctx_reset_operations(impl_->ctx);
  isl_ctx_set_max_operations(impl_->ctx, operations);
}

SearchResult SetContext::FindPoint(const IntegerSystem& system) {
  ++searches_;
  isl_ctx* ctx = impl_->ctx;
  SearchResult result;
  isl_ctx_reset_error(ctx);
  const size_t columns = system.dims + 1;
  Matrix equalities = MakeMatrix(ctx, system.equalities, columns);
  Matrix inequalities = MakeMatrix(ctx, system.inequalities, columns);
  isl_space* space = isl_space_set_alloc(ctx, 0, static_cast<unsigned>(system.dims));
  isl_basic_set* set =
      isl_basic_set_from_constraint_matrices(space, equalities.release(), inequalities.release(),
                                             isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
  const Point point(isl_basic_set_sample_point(set));
  if (!point) return result;
  const isl_bool is_void = isl_point_is_void(point.get());
  // isl_bool_error is -1 and truthy: compare with the two answers, never convert.
  if (is_void == isl_bool_true) {
    result.outcome = SearchOutcome::kEmpty;
    return result;
  }
  if (is_void != isl_bool_false) return result;
  std::vector<int64_t> coordinates(system.dims);
  for (size_t i = 0; i < system.dims; ++i) {
    const Value v(isl_point_get_coordinate_val(point.get(), isl_dim_set, static_cast<int>(i)));
    if (!v || !ReadCoordinate(ctx, v.get(), &coordinates[i])) return result;
  }
  result.outcome = SearchOutcome::kPoint;
  result.point = std::move(coordinates);
  return result;
}

}  // namespace tileguard
