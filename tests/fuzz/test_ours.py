"""Random kernels through our pass: none out of bounds, none different, none more guarded.

TILEGUARD_FUZZ_COUNT kernels in all (1,000), TILEGUARD_FUZZ_SEED chooses which; the chunks run
in parallel under pytest-xdist.  A failure leaves a shrunk kernel in build/fuzz/.
"""

import os
import pathlib

import pytest

from tests.fuzz.driver import Driver, parser

CHUNKS = 10
COUNT = int(os.environ.get("TILEGUARD_FUZZ_COUNT", "1000"))
SEED = os.environ.get("TILEGUARD_FUZZ_SEED", "1")
OUT = pathlib.Path(__file__).parents[2] / "build" / "fuzz"


def _run(chunk: int, *more: str):
    size = -(-COUNT // CHUNKS)
    args = ["--seed", SEED, "--start", str(chunk * size), "--count", str(size), "--out", str(OUT), "--peer", *more]
    return Driver(parser().parse_args(args)).run()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_kernels(chunk):
    t = _run(chunk, "--execute-c", "10")
    assert not t.faults, f"seed {SEED}: {t.faults}; see {t.files}"
    # The claim is empty if nothing ran: most kernels must be judged, a third in a real pipeline.
    assert t.status["ok"] + t.failures["out-of-budget"] >= 0.85 * t.kernels
    assert t.pipelines["cuda"] + t.pipelines["c"] >= 0.3 * t.kernels
    assert t.runs >= 2 * t.status["ok"]
    assert t.guards <= t.peer_guards and t.dynamic <= t.peer_dynamic, f"more guards than TileLang's: {t.more}"
