"""Kernels compiled with our pass, run on a GPU under compute-sanitizer and compared with the oracle."""
