"""Picks modules of a corpus by seed, for runs that cannot take all of them.

usage: python -m bench.corpus.sample [DIR] [--count 100] [--seed 7] [--out DIR2]
Without --out the chosen index lines are printed; with it they and their modules become a corpus of their own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path

from bench.corpus.store import Entry, Store
from tests.peer.source import cache_dir


def sample(store: Store, count: int, seed: int) -> list[Entry]:
    """`count` entries, or all there are. The same modules and seed give the same ones, however they were recorded."""
    entries = sorted(store.entries(), key=lambda entry: entry.key)
    return random.Random(seed).sample(entries, min(count, len(entries)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=cache_dir() / "corpus", metavar="DIR")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, metavar="DIR2")
    options = parser.parse_args()
    store = Store(options.folder)
    if not store.index.exists():
        print(f"{options.folder} holds no corpus: run python -m bench.corpus.capture first.", file=sys.stderr)
        return 2
    if options.out is not None and Store(options.out).index.exists():
        print(f"{options.out} already holds a corpus.", file=sys.stderr)
        return 2
    for entry in sample(store, options.count, options.seed):
        if options.out is None:
            print(json.dumps(asdict(entry)))
        else:
            store.copy(entry, Store(options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
