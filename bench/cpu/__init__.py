"""Instructions that kernels of the C target execute, TileLang's pass against ours."""
