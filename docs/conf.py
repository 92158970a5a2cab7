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
    "sphinx_gallery.gen_gallery",
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

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "nested_sections": False,
    "abort_on_example_error": True,
    "capture_repr": ("__repr__",),  # the line that a terminal shows, not the page that a notebook does
    "ignore_repr_types": "matplotlib",
    "image_srcset": ["2x"],
    "doc_module": ("outperform",),
    "reference_url": {"outperform": None},  # names in the code lead to the reference
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": float("inf"),
}

html_theme = "furo"
html_title = f"outperform {version}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["outperform.css"]
