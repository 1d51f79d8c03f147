"""The kernels, by the kind of access they are about; each module has a list CASES."""
