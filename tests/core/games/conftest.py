"""Failures of the questions that all games are asked show their values."""

import pytest

pytest.register_assert_rewrite("tests.games.contract")
