"""The referee: scenarios in, results out, as tests/scenarios/SCENARIOS.md lays down."""

from cabinet.referee.check import Failure, Verdict, check_lines
from cabinet.referee.result import result_of_line

__all__ = ["Failure", "Verdict", "check_lines", "result_of_line"]
