"""The papers' tables and figures recomputed and compared with what was printed."""

from outperform.reproduction import sigir2016, icdm2015, acl2019  # isort: skip  # the order in which they are listed
from outperform.reproduction.cells import Cell, Claim
from outperform.reproduction.registry import REPRODUCTIONS, run, run_all
from outperform.reproduction.result import Reproduction, Reproductions

__all__ = [
    "REPRODUCTIONS", "Cell", "Claim", "Reproduction", "Reproductions", "acl2019", "icdm2015", "run", "run_all",
    "sigir2016",
]  # fmt: skip
