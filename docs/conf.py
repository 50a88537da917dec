"""Settings of the documentation site; `tools/build_docs.py` puts the sources together."""

project = "Ludus"
author = "the authors of Ludus"
copyright = "the authors of Ludus, MIT licence"  # noqa: A001 - a name of Sphinx

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
root_doc = "index"
exclude_patterns = ["**/.ipynb_checkpoints"]

# Pages are read on GitHub, too: headings have GitHub's anchors there and here.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Tutorials run in every build, and an error in one fails it.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 180
nb_execution_show_tb = True
nb_merge_streams = True

# Docstrings are plain text with code in single backticks.
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False
python_use_unqualified_type_names = True
viewcode_line_numbers = True

html_theme = "pydata_sphinx_theme"
html_title = "Ludus"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "Ludus"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# `make docs-links` checks links to other sites.
linkcheck_timeout = 20
linkcheck_workers = 4
