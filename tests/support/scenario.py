"""Scenarios as the tests of triggers write them, without a file."""

from tablectl.testing.scenarios.runner import play as play
from tablectl.testing.scenarios.scenario import Form as Form
from tablectl.testing.scenarios.scenario import Scenario as Scenario
from tablectl.testing.scenarios.scenario import Step as Step
