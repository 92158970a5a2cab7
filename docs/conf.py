"""Sphinx settings: `make docs` builds the pages, warnings as errors."""

import outperform

project = "outperform"
author = "the outperform authors"
version = release = outperform.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_filename_map = {  # names that differ in case alone are one file on some systems
    "outperform.Estimate": "outperform.Estimate_class",
    "outperform.datasets.Newsgroups": "outperform.datasets.Newsgroups_class",
}
autodoc_typehints = "none"  # numpydoc's Parameters say it in words
numpydoc_show_class_members = False  # the template of a class lists them

html_theme = "furo"
html_title = f"outperform {version}"
html_copy_source = False
