"""The page as a table: paced replies, touches that do no harm, errors that pass."""

import pytest
from playwright.sync_api import expect

from support.page_actions import (
    bounding_box,
    open_game,
    open_places,
    prompt_says,
    state,
    status,
)
from support.page_server import begin

pytestmark = pytest.mark.needs_debian("chromium")

NOTE_NODES = """() => {
    const area = document.querySelector(".game-area");
    const seen = window.seen = [];
    const note = () => seen.push([performance.now(), area.dataset.node, area.dataset.status,
        document.querySelector(".prompt").textContent]);
    new MutationObserver(note).observe(area, { attributeFilter: ["data-node", "data-status"] });
}"""
"""Notes when the page shows another node or status."""

LAST_SHOWN = "() => window.seen.at(-1)"


@pytest.fixture
def paced(page, server):
    """The page with the pace that a person has."""
    page.goto(f"{server.base}/puzzles")
    page.evaluate("localStorage.removeItem('pace')")
    page.add_init_script("localStorage.removeItem('pace')")
    return page


def play_in_morris(page, place):
    """Play a move, and return for how many milliseconds it was seen before the answer."""
    page.evaluate(NOTE_NODES)
    began = page.evaluate("performance.now()")
    page.locator(f'.place.enabled[data-place="{place}"]').click()
    page.wait_for_selector('.game-area[data-node="2"][data-status="yours"]')
    return page.evaluate(LAST_SHOWN)[0] - began


def test_a_computer_lets_a_move_be_seen_before_it_answers(paced, server, client):
    open_game(paced, server, client, "nine_mens_morris", None, "random")
    assert play_in_morris(paced, "d6") >= 500


def test_a_click_on_the_board_or_a_setting_hurries_the_answer(paced, server, client):
    # So long a pace that the answer is not seen by waiting.
    paced.add_init_script("localStorage.setItem('pace', 1e8)")
    view = open_game(paced, server, client, "nine_mens_morris", None, "random")
    paced.locator('.place.enabled[data-place="d6"]').click()
    paced.wait_for_selector('.game-area[data-replay="2"]')
    assert client.get(f"/api/games/{view['id']}").json()["at"] == 2
    expect(paced.locator('.game-area[data-node="2"]')).to_have_count(0)
    paced.locator('[data-place="d6"]').click(force=True)
    assert status(paced) == "yours"
    assert state(paced) == ("2", "")


def test_the_heading_tells_the_dice_when_they_are_on_the_board(paced, server, client):
    """A reply and the roll after it are shown one after the other, the heading with the dice."""
    paced.emulate_media(reduced_motion="no-preference")
    start = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 21"
    open_game(paced, server, client, "backgammon", None, "random", position=start)
    for place in ("13", "11", "6"):
        paced.locator(f'.place.enabled[data-place="{place}"]').click()
    paced.evaluate("""() => {
        const dice = () => document.querySelectorAll(".board-view .die").length;
        window.frames_seen = [];
        new MutationObserver(() => window.frames_seen.push(
            [document.querySelector(".prompt").textContent, dice()]
        )).observe(document.querySelector(".game-area"), { childList: true, subtree: true });
    }""")
    paced.locator('.place.enabled[data-place="5"]').click()
    prompt_says(paced, "You rolled")
    frames = paced.evaluate("window.frames_seen")
    rolled = [dice for prompt, dice in frames if prompt.startswith("You rolled")]
    assert rolled
    assert min(rolled) >= 2
    # The other side's men have moved, and nobody's dice lie on the board.
    assert any(dice == 0 for prompt, dice in frames if "is thinking" in prompt)


def test_a_touch_in_the_past_of_a_running_game_returns_to_the_present(page, server, client):
    view = open_game(page, server, client, "hexapawn")
    for place in ("a1", "a2", "c3", "c2"):
        page.locator(f'.place.enabled[data-place="{place}"]').click()
    expect(page.locator(".moves .move")).to_have_count(2)
    page.get_by_role("button", name="To the beginning").click()
    prompt_says(page, "Looking back")
    assert open_places(page) == []
    page.locator('[data-place="b1"]').click(force=True)
    expect(page.locator('.game-area[data-status="yours"]')).to_have_attribute("data-node", "2")
    expect(page.locator("#notice")).to_contain_text("Back in the game")
    assert len(client.get(f"/api/games/{view['id']}").json()["moves"]) == 3
    assert state(page) == ("2", "")


def touch_and_drag(page, start, end):
    """Drag with a finger from one place to another."""
    boxes = [bounding_box(page.locator(f'[data-place="{name}"]')) for name in (start, end)]
    (x, y), (to_x, to_y) = [
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes
    ]
    session = page.context.new_cdp_session(page)

    def send(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": x, "y": y})
    for step in range(1, 11):
        send("touchMove", {"x": x + (to_x - x) * step / 10, "y": y + (to_y - y) * step / 10})
    send("touchEnd")


def test_a_man_is_dragged_by_touch_and_the_page_stays(new_context, server, client):
    with new_context(viewport={"width": 390, "height": 600}, has_touch=True) as context:
        page = context.new_page()
        view = open_game(page, server, client, "hexapawn")
        touch_and_drag(page, "b1", "b2")
        prompt_says(page, "Black: choose one of your pawns")
        assert client.get(f"/api/games/{view['id']}").json()["position"] == "BBB/.W./W.W b"
        assert page.evaluate("scrollY") == 0


def test_an_address_without_a_game_says_so(page, server):
    page.goto(f"{server.base}/game/")
    prompt_says(page, "There is no such game.")


def test_an_error_page_goes_when_the_server_is_back(page, server, client):
    view = begin(client, "hexapawn")
    path = f"**/api/games/{view['id']}"
    page.route(path, lambda route: route.abort("connectionrefused"))
    page.goto(f"{server.base}/game/{view['id']}")
    prompt_says(page, "The server does not answer")
    page.unroute(path)
    assert status(page) == "yours"


def test_analysis_shows_values_when_it_is_opened_and_a_hint_no_second_table(page, server, client):
    view = begin(client, "noughts_and_crosses", None, "random")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("tab", name="Analysis").click()
    expect(page.locator(".move-table")).to_have_count(1)
    expect(page.locator(".value-bar")).to_be_hidden()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".message")).to_contain_text("Hint from perfect play")
    expect(page.locator(".move-table")).to_have_count(1)
    # The next position is evaluated while the panel is open.
    page.locator(".place.enabled").first.click()
    expect(page.locator(".moves .move")).to_have_count(2)
    assert status(page) == "yours"
    expect(page.locator(".move-table tr").first).to_be_visible()


def test_a_review_speaks_of_you_and_its_numbers_agree(page, server, client):
    view = begin(client, "noughts_and_crosses", None, "random")
    view = client.post(f"/api/games/{view['id']}/seats", json={"seats": [{}, {}]}).json()
    for move in ("b2", "b1", "a1", "c3", "a2", "c2", "a3"):
        body = {"node": view["at"], "move": move}
        view = client.post(f"/api/games/{view['id']}/moves", json=body).json()
    seats = {"seats": [{}, {"player": "random"}]}
    client.post(f"/api/games/{view['id']}/seats", json=seats)
    page.goto(f"{server.base}/game/{view['id']}")
    expect(page.locator(".seat-cards")).to_contain_text("Alfie")
    expect(page.locator(".seat-cards")).not_to_contain_text("random")
    expect(page.locator("#game-title")).to_have_text("Noughts and crosses")
    # The winning line is drawn.
    expect(page.locator(".board-view .joined")).to_have_count(1)
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Review this game").click()
    sides = page.locator(".review-sides > div")
    expect(sides.first).to_contain_text("You")
    expect(sides.last).to_contain_text("Alfie")
    marked = page.locator(".mistakes > li")
    expect(marked.first).to_contain_text("Alfie b1")
    given = [sides.nth(side).locator("small").first.inner_text() for side in (0, 1)]
    assert sum(int(each.split()[4]) for each in given) == marked.count()
    expect(page.get_by_role("tabpanel", name="Review")).to_contain_text("Alfie wins")
    page.get_by_role("link", name="Puzzles").click()
    expect(page.locator("#game-title")).to_be_empty()


def test_a_closed_mill_glows(page, server, client):
    position = "BB./.../..W/...W../.W./.../B.. w 0 0"
    open_game(page, server, client, "nine_mens_morris", position=position)
    for place in ("d3", "e3", "a1"):
        page.locator(f'.place.enabled[data-place="{place}"]').click()
    expect(page.locator(".moves .move")).to_have_count(1)
    expect(page.locator(".board-view .joined")).to_have_count(1)
