"""pytest plugin for TileLang's tests (`-p tests.peer.plugin`): a target without a GPU, and our pass on request.

Target "auto" becomes CUDA sm_90 through TileLang's public registry of detectors; nothing else is faked, so what needs
a GPU fails or skips alike without and with us. TILEGUARD_PEER=1 installs TileGuard.
"""

from __future__ import annotations

import os

import tilelang  # noqa: F401  (makes TileLang's own tvm importable for test files that begin with `import tvm`)
from tilelang.backend.target import register_target_detector
from tvm.target import Target

register_target_detector("cuda", lambda: Target({"kind": "cuda", "arch": "sm_90"}), override=True)

if os.environ.get("TILEGUARD_PEER") == "1":
    import tileguard

    tileguard.install()
