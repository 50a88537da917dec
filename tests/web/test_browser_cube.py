"""A money session with the cube in a real browser, and moves that wait for a confirmation."""

import pytest
from playwright.sync_api import expect

from support.page_actions import open_game, open_places, prompt_says, status, wait_for_event
from support.page_server import begin

pytestmark = pytest.mark.needs_debian("chromium")

LAST_MEN = "1:1,off:14 1:2,off:13 0 cube"


def press(page, name):
    page.get_by_role("button", name=name, exact=True).first.click()


def next_places(page):
    """Return the places that may be touched once the dice lie still."""
    wait_for_event(page, lambda: open_places(page), "places may be touched")
    return open_places(page)


def touch_first(page):
    """Touch the first place that may be touched, and wait for the answer."""
    first = next_places(page)[0]
    area = page.locator(".game-area")
    before = area.evaluate("area => [area.dataset.node, area.dataset.touched].join()")
    page.locator(f'.place[data-place="{first}"]').click()
    after = "area => [area.dataset.node, area.dataset.touched].join()"
    wait_for_event(page, lambda: area.evaluate(after) != before, "the touch is shown")
    expect(page.locator('.game-area[data-status="sending"]')).to_have_count(0)


def test_a_money_session_with_the_cube(page, server, client, pictures):
    view = begin(client, "backgammon", rules="money", position=LAST_MEN)
    page.goto(f"{server.base}/game/{view['id']}")
    stakes = page.locator(".stakes")
    expect(stakes).to_contain_text("Money session, game 1 · White 0, Black 0 · cube at 1")
    press(page, "Double to 2")
    expect(page.get_by_role("button", name="Pass and lose 1")).to_be_visible()
    press(page, "Take at 2")
    expect(stakes).to_contain_text("cube at 2, owned by Black")
    while status(page) != "over":
        touch_first(page)
    expect(stakes).to_contain_text("White 2, Black 0")
    page.screenshot(path=pictures / "backgammon_session.png")
    press(page, "Next game")
    expect(stakes).to_contain_text("Money session, game 2 · White 2, Black 0 · cube at 1")
    expect(page.locator(".message")).to_contain_text("won the opening roll")
    # The side that won the opening roll plays it; the other one doubles, and wins a point.
    first = page.locator(".prompt").inner_text().split(":")[0]
    while "roll" not in next_places(page):
        touch_first(page)
    press(page, "Double to 2")
    press(page, "Pass and lose 1")
    expect(page.get_by_role("button", name="Next game")).to_be_visible()
    score = "White 3, Black 0" if first == "Black" else "White 2, Black 1"
    expect(stakes).to_contain_text(score)
    # It is remembered by the server, not by this page.
    page.reload()
    expect(stakes).to_contain_text(score)


def test_resigning_asks_for_what(page, server, client):
    view = begin(client, "backgammon", rules="money", position="6:2,off:13 5:3,off:12 0 cube 2@1")
    page.goto(f"{server.base}/game/{view['id']}")
    press(page, "Roll")
    expect(page.get_by_role("button", name="Roll", exact=True)).to_be_hidden()
    while "roll" not in next_places(page):
        expect(page.get_by_role("button", name="Resign", exact=True)).to_be_hidden()
        touch_first(page)
    press(page, "Resign")
    page.locator("#resign-level").select_option(label="a gammon")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    press(page, "Accept")
    expect(page.locator(".stakes")).to_contain_text("White 4, Black 0")


def test_moves_wait_and_the_board_turns(page, server, client):
    start = "6:3,off:12 6:1,3:1,off:13 1 31"
    view = begin(client, "backgammon", "random", None, position=start)
    page.goto(f"{server.base}/game/{view['id']}")
    expect(page.locator(".board-view")).to_have_class("board-view flipped")
    page.get_by_label("Confirm moves").check()
    confirm = page.get_by_role("button", name="Confirm move", exact=True)
    expect(confirm).to_be_hidden()
    while open_places(page):
        touch_first(page)
    expect(page.locator(".prompt")).to_have_text("Confirm your move, or undo a step")
    page.get_by_role("button", name="Undo this step").click()
    expect(confirm).to_be_hidden()
    wait_for_event(page, lambda: open_places(page), "the last step is open again")
    touch_first(page)
    assert client.get(f"/api/games/{view['id']}").json()["at"] == view["at"]
    confirm.click()
    expect(confirm).to_be_hidden()
    wait_for_event(
        page,
        lambda: client.get(f"/api/games/{view['id']}").json()["at"] != view["at"],
        "the move is played",
    )


def paced(page, server):
    """Give the page the pace that a person has."""
    page.goto(f"{server.base}/puzzles")
    page.evaluate("localStorage.pace = 1")


def point_numbers(page):
    """Return the numbers at the lower edge of the board, from left to right."""
    found = page.locator(".board-view .label").evaluate_all(
        """labels => labels.map((each) =>
            [+each.getAttribute('y'), +each.getAttribute('x'), each.textContent])"""
    )
    numbers = [each for each in found if each[2].isdigit()]
    lowest = max(each[0] for each in numbers)
    return [text for _, _, text in sorted(each for each in numbers if each[0] == lowest)]


HOME = [str(number) for number in range(12, 0, -1)]
"""The numbers at the lower edge as White counts the points."""


def test_nobody_resigns_by_a_touch_and_numbers_stay_with_the_viewer(page, server, client):
    """Black doubles: White, the person, sees its own numbers, before and after."""
    open_game(page, server, client, "backgammon", rules="money", position=LAST_MEN)
    assert open_places(page) == ["roll", "double"]
    assert point_numbers(page) == HOME
    press(page, "Double to 2")
    # Two people share the screen: the numbers are those of the side that decides.
    prompt_says(page, "Black: take and play for 2 points, or pass and lose 1")
    assert point_numbers(page) == [str(number) for number in range(13, 25)]
    doubled = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 1 doubled"
    open_game(page, server, client, "backgammon", None, "random", rules="money", position=doubled)
    prompt_says(page, "Take and play for 2 points")
    assert point_numbers(page) == HOME
    press(page, "Take at 2")
    expect(page.locator(".stakes")).to_contain_text("cube at 2, owned by you")
    assert point_numbers(page) == HOME


ONE_MAN = "1:1,off:14 1:2,off:13 0 cube 1 0-0/7"
"""White bears off its last man with any roll, in a match to 7."""


def test_the_result_of_a_game_of_a_match_is_read_before_the_next_game(page, server, client):
    open_game(page, server, client, "backgammon", rules="tournament", position=ONE_MAN)
    press(page, "Roll")
    for place in ("1", "off"):
        page.locator(f'.place.enabled[data-place="{place}"]').click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("White wins 1 point")
    expect(dialog).to_contain_text("White 1, Black 0")
    expect(page.locator(".stakes")).to_contain_text("White 0, Black 0")
    dialog.get_by_role("button", name="Next game").click()
    expect(page.locator(".stakes")).to_contain_text("White 1, Black 0")
    expect(page.locator(".message")).to_contain_text("won the opening roll")


def test_the_dice_roll_by_themselves_where_doubling_is_impossible(page, server, client):
    paced(page, server)
    # Black owns the cube.
    start = "6:2,off:13 5:3,off:12 0 cube 2@1"
    view = open_game(page, server, client, "backgammon", rules="money", position=start)
    prompt_says(page, "you rolled")
    moves = client.get(f"/api/games/{view['id']}").json()["moves"]
    assert [each["text"] for each in moves][1] == "roll"
    expect(page.locator(".message")).not_to_contain_text("did not double")
