"""Scenarios as the tests of triggers write them, without a file."""

from tablectl.testing.runner import play as play
from tablectl.testing.scenario import Form as Form
from tablectl.testing.scenario import Scenario as Scenario
from tablectl.testing.scenario import Step as Step
