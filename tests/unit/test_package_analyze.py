"""tileguard.analyze: what it takes, for which target, and what it says of a ragged kernel."""

from __future__ import annotations

from typing import Any

import pytest
import tilelang
from tilelang import tvm

import tileguard
from tests.unit import kernels
from tileguard import lowering


@tilelang.jit(target="c", execution_backend="cython")
def jitted(tile: int, size: int | None = None) -> Any:
    return kernels.ragged_add(tile, size)


def facts(report: tileguard.Report) -> list[tuple[Any, ...]]:
    return [(access.buffer, access.kind, access.verdict, access.indices) for access in report.accesses]


def test_ragged_kernel() -> None:
    report = tileguard.analyze(kernels.ragged_add())
    assert sorted((access.buffer, access.kind, access.scope) for access in report.accesses) == [
        ("a", "load", "global"),
        ("c", "store", "global"),
    ]
    guarded = [access for access in report.accesses if access.verdict == "Guarded"]
    assert "c" in [access.buffer for access in guarded]
    for access in guarded:
        assert access.guards
        assert access.counterexample is not None
        assert not 0 <= access.counterexample.index < access.counterexample.extent
    assert report.ok
    assert report.guard_atoms == 1


def test_whole_tiles_are_proved() -> None:
    report = tileguard.analyze(kernels.ragged_add(tile=128, size=1024))
    assert report.accesses
    assert {access.verdict for access in report.accesses} == {"Proved"}
    assert report.guard_atoms == 0


def test_always_out_of_bounds() -> None:
    report = tileguard.analyze(kernels.beyond_the_end())
    assert [access.verdict for access in report.accesses] == ["OutOfBounds"]
    assert not report.ok


def test_every_form_of_a_kernel_says_the_same() -> None:
    """PrimFunc, maker, lowered module, jitted function, compiled kernel."""
    func = kernels.ragged_add(64)
    expected = facts(tileguard.analyze(func, "c"))
    assert expected
    assert facts(tileguard.analyze(kernels.ragged_add, "c", args=(64,))) == expected
    assert facts(tileguard.analyze(lowering.module_at_pass(func, "c"))) == expected
    assert facts(tileguard.analyze(jitted, args=(64,))) == expected
    assert facts(tileguard.analyze(jitted, kwargs={"tile": 64})) == expected
    assert facts(tileguard.analyze(tilelang.compile(func, target="c", execution_backend="cython"))) == expected


def test_analysis_changes_nothing() -> None:
    func = kernels.ragged_add()
    module = lowering.module_at_pass(func)
    text = module.script()
    tileguard.analyze(module)
    tileguard.analyze(func)
    assert module.script() == text
    assert not tileguard.is_installed()


def test_targets() -> None:
    """The default is sm_90, not the sm_50 of a bare "cuda"; an enclosing target comes first, a jitted one's own too."""
    assert lowering.resolve_target().attrs["arch"] == "sm_90"
    assert lowering.resolve_target("cuda").attrs["arch"] == "sm_90"
    with tvm.target.Target({"kind": "cuda", "arch": "sm_80"}):
        assert lowering.resolve_target().attrs["arch"] == "sm_80"
    assert lowering.resolve_target("c").kind.name == "c"
    assert tileguard.analysis.resolve(jitted, (64,)).target == "c"


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        (3, {}, "int is neither a PrimFunc"),
        (lambda: 3, {}, "int is neither a PrimFunc"),
        (kernels.ragged_add, {"args": (1, 2, 3)}, "ragged_add cannot be built"),
        (jitted, {}, "jitted cannot be built"),
        (kernels.ragged_add, {"target": "abacus"}, "'abacus' is not a target"),
        (kernels.ragged_add, {"target": {"kind": "cuda", "colour": "red"}}, "is not a target"),
        (kernels.ragged_add, {"pass_configs": "fast"}, "pass_configs must be a mapping"),
        (kernels.ragged_add, {"pass_configs": {"tileguard.guard_scopes": "gobal"}}, "not 'gobal'"),
        (kernels.ragged_add, {"pass_configs": {"tileguard.hoist_guards": "maybe"}}, "tileguard.hoist_guards"),
        (tvm.tirx.PrimFunc([], tvm.tirx.Evaluate(0)), {}, "PrimFunc has no name"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_bad_input_is_one_sentence(value: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(tileguard.TileGuardError) as caught:
        tileguard.analyze(value, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def malformed() -> list[Any]:
    """Statements that no front end makes, each in a function with a buffer to speak of."""
    from tvm import ir, tirx

    x = tirx.decl_buffer((8,), "float32", name="x")
    i = tirx.Var("i", "int32")
    address = tirx.Call("handle", ir.Op.get("tirx.address_of"), [tirx.BufferLoad(x, [i])])
    statements = [
        tirx.Evaluate(tirx.Call("handle", ir.Op.get("tirx.address_of"), [])),
        tirx.Evaluate(tirx.Call("handle", ir.Op.get("tl.ptx_cp_async"), [address])),
        tirx.BufferStore(x, tirx.BufferLoad(x, [tirx.FloatImm("float32", 1.5)]), [0]),
        tirx.BufferStore(x, tirx.BufferLoad(x, [tirx.FloorDiv(i, tirx.IntImm("int32", 0))]), [0]),
    ]
    handle = tirx.Var("x_handle", "handle")
    target = {"target": tvm.target.Target("c"), "global_symbol": "made_by_hand"}
    return [tirx.PrimFunc([handle, i], statement, None, {handle: x}).with_attr(target) for statement in statements]


@pytest.mark.parametrize("func", malformed(), ids=["address", "copy", "float index", "by zero"])
def test_malformed_function_is_one_sentence(func: Any) -> None:
    """Named, and without the host's account of its own insides; by the pass as well."""
    with pytest.raises(tileguard.TileGuardError, match="made_by_hand") as caught:
        tileguard.analyze(func)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="TileGuard: made_by_hand is malformed: "):
        tileguard.transform.LegalizeSafeMemoryAccess()(tvm.IRModule({"made_by_hand": func}))


def test_kernel_that_tilelang_refuses_is_one_sentence() -> None:
    """A store by all threads to a local buffer in T.Parallel: TileLang's own semantic check says no."""
    import tilelang.language as T

    @T.prim_func
    def refused(a: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            held = T.alloc_local((32,), "float32")
            for i in T.Parallel(32):
                held[i] = a[i]

    with pytest.raises(tileguard.TileGuardError) as caught:
        tileguard.analyze(refused)
    assert str(caught.value).startswith("TileLang does not lower refused for ")
    assert "\n" not in str(caught.value)


def test_counter_example_of_a_product_replays() -> None:
    """The values it names give its index; no inner symbol of the proof shows."""
    import tilelang.language as T

    m = T.dynamic("m")

    @T.prim_func
    def strided(x: T.Tensor((100,), "float32"), y: T.Tensor((m, 8), "float32")):
        with T.Kernel(m, threads=8) as b:
            t = T.get_thread_binding()
            y[b, t] = x[b * m + t]

    (load,) = [access for access in tileguard.analyze(strided).accesses if access.buffer == "x"]
    found = load.counterexample
    assert found is not None
    named = {**found.shapes, **found.block, **found.thread}
    assert found.index == named["bx"] * named["m"] + named.get("t", 0) >= found.extent == 100
    assert named["bx"] < named["m"]
    assert not found.values
