"""BibTeX entries of this package and of the papers that it implements."""

from __future__ import annotations

from outperform.base.version import __version__

__all__ = ["bibtex"]

CITATION = """\
@software{outperform,
  title   = {outperform: is classifier A really better than classifier B?},
  version = {%s}
}
@inproceedings{zhang2016bayesian,
  title     = {Bayesian Performance Comparison of Text Classifiers},
  author    = {Zhang, Dell and Wang, Jun and Yilmaz, Emine and Wang, Xiaoling and Zhou, Yuxin},
  booktitle = {SIGIR},
  year      = {2016},
  pages     = {15--24},
  doi       = {10.1145/2911451.2911547}
}
@inproceedings{zhang2015hierarchical,
  title     = {A Bayesian Hierarchical Model for Comparing Average F1 Scores},
  author    = {Zhang, Dell and Wang, Jun and Zhao, Xiaoxue and Wang, Xiaoling},
  booktitle = {ICDM},
  year      = {2015}
}
@inproceedings{wang2019bayes,
  title     = {Bayes Test of Precision, Recall, and F1 Measure for Comparison of Two Natural Language
               Processing Models},
  author    = {Wang, Ruibo and Li, Jihong},
  booktitle = {ACL},
  year      = {2019},
  pages     = {4135--4145}
}"""


def bibtex() -> str:
    """Return all entries."""
    return CITATION % __version__
