"""What tests of single kernels share: lowering, inputs, judging by the oracle, reading generated code."""

import pytest

pytest.register_assert_rewrite("tests.helpers.checks")
