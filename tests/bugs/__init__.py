"""One file for each kind of fault of TileLang's own pass: kernels that it gets wrong and ours gets right."""
