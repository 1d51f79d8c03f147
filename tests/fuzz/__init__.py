"""Random kernels, run through the pass under test and judged by the oracle."""
