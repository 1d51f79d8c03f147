"""Kernels with ragged shapes on a GPU: ours against TileLang's pass, Triton and torch."""
