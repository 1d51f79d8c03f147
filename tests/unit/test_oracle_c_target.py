"""The oracle against an independent executor: TileLang's C target, on kernels in bounds."""

import numpy as np
import pytest
import tilelang  # noqa: F401
import tilelang.language as T
import torch

from tests.fuzz.lowering import at_pass, only_function, peer_pass, raw_module, run_c
from tests.oracle import run


def stencil():
    n = T.dynamic("n")

    @T.prim_func
    def kernel(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 16), threads=32) as b:
            for i in T.Parallel(16):
                j = b * 16 + i
                if j >= 1 and j < n - 1:
                    y[j] = (x[j - 1] + x[j + 1]) * T.float32(0.5) - x[j]

    return kernel, {"x": (37, "float32"), "y": (37, "float32")}


def integers():
    n, m = T.dynamic("n, m")

    @T.prim_func
    def kernel(x: T.Tensor((n, m), "int32"), y: T.Tensor((n * m,), "int32"), k: T.int32):
        with T.Kernel(n, threads=32) as b:
            for j in T.serial(m):
                v = x[b, j]
                y[b * m + j] = (
                    T.floordiv(v, 7) * 1000003
                    + T.truncmod(v, 5) * k
                    + ((v >> 3) ^ (v & 255))
                    + T.Cast("int32", T.Cast("int8", v))
                    + T.max(T.min(v, 100), -100)
                )

    return kernel, {"x": ((5, 9), "int32"), "y": (45, "int32"), "k": 77}


def gather():
    @T.prim_func
    def kernel(x: T.Tensor((20,), "int64"), i: T.Tensor((33,), "int32"), y: T.Tensor((33,), "int64")):
        with T.Kernel(3, threads=32) as b:
            for t in T.Parallel(11):
                j = i[b * 11 + t] % 20
                y[b * 11 + t] = T.if_then_else(j > 9, x[j] * 3, x[19 - j])

    return kernel, {"x": (20, "int64"), "i": (33, "int32"), "y": (33, "int64")}


def search():
    n = T.dynamic("n")

    @T.prim_func
    def kernel(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=32):
            p = T.alloc_var("int32")
            hits = T.alloc_var("int32")
            p = 0
            hits = 0
            while p < n:
                for k in T.serial(4):
                    if p + k >= n:
                        break
                    if x[p + k] % 3 == 0:
                        continue
                    hits = hits + 1
                    y[p + k] = hits
                p = p + 4

    return kernel, {"x": (30, "int32"), "y": (30, "int32")}


def tiles():
    n = T.dynamic("n")

    @T.prim_func
    def kernel(x: T.Tensor((n, 40), "float16"), y: T.Tensor((n, 40), "float16")):
        with T.Kernel(T.ceildiv(n, 8), 2, threads=32) as (b, c):
            s = T.alloc_shared((8, 24), "float16")
            f = T.alloc_fragment((8, 24), "float16")
            T.copy(x[b * 8, c * 24], s)
            T.copy(s, f)
            for i, j in T.Parallel(8, 24):
                f[i, j] = f[i, j] * T.float16(2) + T.float16(1)
            T.copy(f, y[b * 8, c * 24])

    return kernel, {"x": ((19, 40), "float16"), "y": ((19, 40), "float16")}


def arguments(spec):
    rng = np.random.default_rng(5)
    args = {}
    for name, s in spec.items():
        if isinstance(s, int):
            args[name] = s
        elif s[1].startswith("float"):
            args[name] = rng.standard_normal(s[0]).astype(s[1])
        else:
            args[name] = rng.integers(-(2**31), 2**31, s[0]).astype(s[1])
    return args


@pytest.mark.parametrize("make", [stencil, integers, gather, search, tiles])
def test_oracle_agrees_with_the_c_target(make):
    kernel, spec = make()
    args = arguments(spec)
    tensors = [torch.from_numpy(v.copy()) if isinstance(v, np.ndarray) else v for v in args.values()]
    run_c(kernel, peer_pass, tensors)
    modules = [at_pass(kernel, "c"), at_pass(kernel, "cuda")]
    if make is not tiles:
        modules.append(raw_module(kernel))
    changed = 0
    for mod in modules:
        got = run(only_function(mod), args)
        for tensor, (name, before) in zip(tensors, args.items(), strict=True):
            if not isinstance(before, np.ndarray):
                continue
            assert got.outputs[name].tobytes() == tensor.numpy().tobytes(), name
            changed += int((tensor.numpy() != before).sum())
    assert changed > 0
