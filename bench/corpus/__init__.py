"""Every module that reaches the pass when TileLang's own examples and tests run, and both passes replayed over them.

`capture` records, `sample` picks some by seed, `replay` measures. Nothing of TileLang's is kept in the repository: the
corpus lies in the user's cache directory and is made again from the source release on PyPI.
"""
