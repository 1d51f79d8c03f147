"""Every op of the installed TileLang is classified, and docs/ops.md says how."""

from pathlib import Path
from typing import Any

import pytest
import tilelang.language as T
from tvm import tirx

import tileguard
from scripts import ops_table

ROOT = Path(__file__).resolve().parents[2]


def test_every_op_is_classified() -> None:
    unknown = [name for name in ops_table.operators() if ops_table.classify(name)[0] == "unclassified"]
    assert unknown == []


def test_an_unknown_op_would_be_noticed() -> None:
    assert ops_table.classify("tl.no_such_op") == ("unclassified", "unclassified")


def test_page_is_current() -> None:
    assert (ROOT / "docs" / "ops.md").read_text() == ops_table.table()


def reader(op: str) -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def kernel(x: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32) as _:
            t = T.get_thread_binding()
            T.evaluate(T.call_intrin("handle", tirx.op.Op.get(op), T.access_ptr(x[t], "r", 1)))

    return kernel


@pytest.mark.parametrize("op", ["tirx.prefetch", "tl.tma_load"])
def test_what_cannot_be_guarded_is_reported(op: str) -> None:
    accesses = tileguard.analyze(reader(op)).accesses
    reported = [access for access in accesses if access.buffer == "x"]
    assert [(access.verdict, access.reason, access.guards) for access in reported] == [("Unknown", "Unsupported", ())]
