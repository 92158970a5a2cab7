"""The HTML report, in which readers apply a ROPE of their own (SIGIR'16 §3.2.2)."""

from outperform.render.report.exhibits import Drawing, Exhibit
from outperform.render.report.page import page, snippet

__all__ = ["Drawing", "Exhibit", "page", "snippet"]
