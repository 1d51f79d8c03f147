// Host headers that nearly every unit of the plugin includes; parsing them once halves the build on
// two cores.
#pragma once

#include <tvm/arith/analyzer.h>
#include <tvm/ir/transform.h>
#include <tvm/tirx/analysis.h>
#include <tvm/tirx/builtin.h>
#include <tvm/tirx/op.h>
#include <tvm/tirx/stmt_functor.h>
#include <tvm/tirx/transform.h>
