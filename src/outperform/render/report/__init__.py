"""The HTML report, in which readers set the ROPE (SIGIR'16 §3.2.2)."""

from outperform.render.report.exhibits import Exhibit, Picture, exhibits
from outperform.render.report.notebook import snippet
from outperform.render.report.page import hashed, page, sources
from outperform.render.report.suite import suite

__all__ = ["Exhibit", "Picture", "exhibits", "hashed", "page", "snippet", "sources", "suite"]
