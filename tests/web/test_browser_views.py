"""Views beside the game: welcome, how machines learn, import by dropping, sound."""

import pytest
from playwright.sync_api import expect

from support.page_actions import prompt_says, status
from support.page_server import begin

pytestmark = pytest.mark.needs_debian("chromium")


def test_a_newcomer_is_welcomed_once_and_can_compare_learners(page, server):
    page.goto(f"{server.base}/")
    prompt_says(page, "Place a man")
    welcome = page.get_by_role("region", name="Welcome")
    for name in ("Play", "Puzzles", "Analysis", "Learn", "How machines learn"):
        expect(welcome).to_contain_text(name)
    welcome.get_by_role("button", name="Analysis").click()
    expect(page.get_by_role("tab", name="Analysis")).to_have_attribute("aria-selected", "true")
    welcome.get_by_role("link", name="How machines learn").click()
    page.get_by_label("Game").select_option("hexapawn")
    page.get_by_role("combobox", name="Position").select_option("A capture that Q-learning gets wrong")
    migo = page.get_by_role("region", name="MIGO")
    expect(migo.locator("strong").first).to_have_text("b3xa2")
    expect(migo.get_by_label("Keeps the value")).to_be_visible()
    expect(migo.get_by_role("button", name="Plays b3xa2")).to_be_visible()
    table = page.get_by_role("region", name="Q-learning", exact=True)
    expect(table).to_contain_text("Gives away 1")
    expect(table.locator(".certainty")).to_have_text("exact")
    page.get_by_role("button", name="Play from here").click()
    assert status(page) == "yours"
    page.goto(f"{server.base}/")
    status(page)
    expect(welcome).to_have_count(0)


def test_learners_look_at_the_position_of_a_game(page, server, client):
    view = begin(client, "noughts_and_crosses", position="X../.XO/..O x")
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_role("link", name="How do machines see this position?").click()
    expect(page.get_by_role("combobox", name="Position")).to_have_value(view["position"])
    expect(page.get_by_role("region", name="MENACE")).to_contain_text("c3")
