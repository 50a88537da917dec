"""A tour of every view: nothing in the console, nothing sticks out, and axe finds nothing."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from support.page_views import VIEWS

pytestmark = pytest.mark.needs_debian("chromium")

SIZES = {"desktop": (1280, 800), "portrait": (390, 844), "landscape": (844, 390)}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SHORT_TOUR = ("new game", "machines", "my games", "running", "card", "shared game")
"""Views that no other test gives to axe."""

EXPECTED = "the server responded with a status of"
"""What chromium itself says of the page of an unknown game."""


def take_tour(new_context, server, client, names, size, scheme):
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    context = new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    problems = []
    for name in names:
        VIEWS[name](page, server.base, client)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            problems.append(f"{name}: {wide} pixels wide")
        found = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}})
        if found.violations_count:
            problems.append(f"{name}: {found.generate_report()}")
    unexpected = [text for text in complaints if EXPECTED not in text]
    assert (problems, unexpected) == ([], [])


@pytest.mark.slow
def test_views_on_a_phone_in_the_dark(new_context, server, client):
    take_tour(new_context, server, client, SHORT_TOUR, "portrait", "dark")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_view(new_context, server, client, size, scheme):
    take_tour(new_context, server, client, VIEWS, size, scheme)
