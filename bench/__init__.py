"""Measurements: what the pass costs and what it saves, on TileLang's own kernels."""
