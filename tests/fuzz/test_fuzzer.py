"""The fuzzer itself: the same from a seed, able to find the peer's faults, shrinking them."""

import argparse
import json
import pathlib
import subprocess
import sys

import pytest

from tests.fuzz import check as judge
from tests.fuzz.driver import Driver, main, parser, replay
from tests.fuzz.exprs import bin_, call, lit
from tests.fuzz.generator import generate
from tests.fuzz.lowering import peer_pass
from tests.fuzz.shrink import shrink
from tests.fuzz.tree import E, Kernel, Launch, Param, S


def options(tmp_path: pathlib.Path, *more: str) -> argparse.Namespace:
    return parser().parse_args(["--out", str(tmp_path), *more])


def test_a_seed_gives_one_source_in_every_process():
    names = [f"t:{i}" for i in range(20)]
    here = [generate(n).source() for n in names]
    code = (
        "import json; from tests.fuzz.generator import generate; "
        f"print(json.dumps([generate(n).source() for n in {names}]))"
    )
    root = pathlib.Path(__file__).parents[2]
    out = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=root,
        env={"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "77", "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert json.loads(out.stdout) == here
    assert len(set(here)) == 20


def test_without_a_pass_the_accesses_outside_are_seen(tmp_path):
    d = Driver(options(tmp_path, "--pass", "none", "--count", "25", "--shrink", "0", "--seed", "t"))
    t = d.run()
    assert t.failures["oob"] >= 10
    assert set(t.failures) == {"oob"}


def test_the_peers_faults_are_found_shrunk_and_replayed(tmp_path):
    d = Driver(options(tmp_path, "--pass", "tilelang", "--count", "60", "--shrink", "60", "--keep", "1", "--seed", "v"))
    t = d.run()
    assert t.failures["oob"] >= 3 and t.failures["differ"] >= 1
    assert t.status["ok"] >= 20
    assert t.status["invalid"] <= t.kernels // 10
    for f in t.files[:4]:
        path = pathlib.Path(f)
        assert replay(path, "tilelang").startswith(path.name.split("_")[0])


def known_fault() -> Kernel:
    """A constant index, which the peer leaves alone, among much that is right."""
    n, i = E("n"), E("i")
    own = bin_("+", bin_("*", E("bx"), lit(8)), i)
    right = S("C[{0}] = {1}", (own, call("A[{0}]", own, type_="float32")))
    wrong = S("C[{0}] = {1}", (own, bin_("+", call("A[{0}]", lit(5), type_="float32"), right.kids[1])))
    loop = S("for i in T.Parallel(8):", (), ((right, S("if {0}:", (call("({0} < {1})", i, n),), ((wrong,),)), right),))
    params = (Param("A", (n,), "float32", "data"), Param("C", (n,), "float32", "out"))
    return Kernel("tile", params, ("n",), (), (Launch((call("T.ceildiv({0}, 8)", n),), 32, (loop, loop)),))


def test_shrinking_keeps_the_fault_and_little_else():
    kernel = known_fault()

    def fails(k, env):
        v = judge.check(k, "known", "none", peer_pass, [env])
        return v.failure is not None and v.failure.kind == "oob"

    assert fails(kernel, {"n": 3})
    small, env, used = shrink(kernel, {"n": 3}, fails, 200)
    assert fails(small, env) and used <= 200
    assert len(small.source()) < len(kernel.source()) * 0.7
    assert small.source().count("for ") <= 1 and "if " not in small.source()


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--pipelines", "vulkan"], "unknown pipeline or style: vulkan"),
        (["--count", "-1"], "--count is negative"),
        (["--replay", "nowhere.py"], "no such file: nowhere.py"),
    ],
)
def test_bad_usage_is_said_in_one_sentence(argv, says, capsys, tmp_path):
    assert main([*argv, "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.strip() == says
