# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site, built by Sphinx from the pages as they lie in the repository.

Sphinx and not MkDocs: its source may be the whole repository, so that links between docs/, the
rooms' READMEs and the lessons hold on the site as they do in the repository, and each broken one
is a warning. `scripts/site` builds it, `scripts/lint links` only checks it.
"""

import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

project = "Outcore"
author = "The Outcore authors"
html_title = "Outcore"
extensions = ["myst_nb"]
root_doc = "docs/site/front"
source_suffix = {".md": "myst-nb", ".py": "myst-nb"}

# What belongs to the site: every page, and the lessons with their solutions.
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "analysis/README.md",
    "analysis/lessons/**.md",
    "analysis/lessons/**lesson*.py",
    "analysis/notebooks/*.py",
    "benchmarks/README.md",
    "cli/README.md",
    "configs/README.md",
    "docs/**.md",
    "engines/README.md",
    "results/README.md",
    "storage/**README.md",
    "tests/**README.md",
    "viewer/README.md",
    "workloads/README.md",
]

# Links are checked: a page, a heading or a file that is not there is a warning, and warnings are
# errors. Headings have the anchors that GitHub gives them.
myst_heading_anchors = 6

# Lessons are run each time, because what they show depends on the program too. The notebook about
# results is shown as it is, for it needs some.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "force"
nb_execution_excludepatterns = ["analysis/notebooks/*"]
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
os.environ["PYTHONPATH"] = str(ROOT / "analysis")

# Nothing is fetched: the theme, its icons and the search are files of the site, fonts are the
# reader's. Search shows titles and headings; excerpts would be fetched, which a browser refuses for
# pages that lie in a folder.
html_theme = "furo"
html_theme_options: dict[str, Any] = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#0072B2"},
    "dark_css_variables": {"color-brand-primary": "#56B4E9", "color-brand-content": "#56B4E9"},
}
html_extra_path = ["root"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["access.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False
# Of the package accessible-pygments, which comes with the theme: contrast of 7 to 1.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
