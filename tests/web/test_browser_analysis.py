"""Analysis on the page from a fresh install: evaluation, hints, review, mistakes and puzzles."""

import re

import pytest
from playwright.sync_api import expect

from support.page_actions import bounding_box, prompt_says, status
from support.page_server import Server, analysed, begin

pytestmark = pytest.mark.needs_debian("chromium")

LINE = ["d6", "f4", "d2", "b4", "a7", "g7", "a4", "g4", "e3", "g1xe3", "d7"]
"""Black leaves White a mill at a1, White does not see it, and Black closes one on the g-file."""


def replay(client, game, moves, *players):
    view = begin(client, game, *players)
    for move in moves:
        body = {"node": view["at"], "move": move}
        answer = client.post(f"/api/games/{view['id']}/moves", json=body)
        assert answer.status_code == 200, answer.text
        view = answer.json()
    return view


def test_a_game_is_reviewed_and_its_mistakes_are_learned_from(page, server, client, pictures):
    view = replay(client, "nine_mens_morris", LINE)
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("button", name="Evaluation").click()
    expect(page.locator(".value-bar .certainty")).to_have_text("confident")
    expect(page.locator(".value-bar")).not_to_contain_text("depth")
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Review this game").click()
    mistakes = page.locator(".mistakes > li")
    expect(mistakes.first).to_contain_text("Black g4?")
    expect(mistakes.first).to_contain_text("confident")
    expect(mistakes.first).to_contain_text("takes the man on g4")
    expect(page.locator(".review-sides")).to_contain_text("Could do better in ")
    expect(page.locator(".chart .curve")).to_have_count(1)
    # The better move is drawn on the board of a past position.
    mistakes.first.get_by_role("button", name="Better move").click()
    prompt_says(page, "Looking back")
    expect(page.locator(".tag").first).to_be_visible()
    expect(page.locator(".message")).to_contain_text("Hint from")
    page.screenshot(path=pictures / "review.png")
    page.get_by_role("tab", name="Moves").click()
    expect(page.locator(".move.mistake").first).to_contain_text("?")
    page.get_by_role("tab", name="Analysis").click()
    # A button, or which resource of this machine does not suffice for it.
    expect(page.locator(".solve")).to_contain_text("Exact values for every position")
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Learn from").click()
    prompt_says(page, "(mistake). Find a better move.")
    drill = page.locator(".drill")
    expect(drill).to_have_attribute("data-state", "open")
    page.get_by_role("button", name="Show solution").click()
    expect(drill).to_have_attribute("data-state", "shown")
    expect(page.locator(".drill .tag").first).to_be_visible()
    page.get_by_role("button", name="Back to the game").click()
    status(page)


def test_a_reviewed_game_is_read_move_by_move(page, server, client, pictures):
    view = replay(client, "nine_mens_morris", LINE)
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Review this game").click()
    sides = page.locator(".review-sides > div")
    expect(sides.first).to_contain_text("% accuracy")
    assert bounding_box(page.locator(".chart"))["height"] >= 170
    caption, slider = page.locator(".review-now"), page.get_by_label("Position in the game")
    slider.fill("8")
    expect(caption).to_contain_text("Black g4? probably loses a drawn game: it allows a1xg4, which")
    expect(page.locator(".game-area")).to_have_attribute("data-node", "8")
    # The keys of a slider move it, and the game is played on from there to its end.
    slider.press("ArrowRight")
    expect(page.locator(".game-area")).to_have_attribute("data-node", "9")
    page.get_by_role("button", name="Play through").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(slider).to_have_value("11")
    expect(page.get_by_role("button", name="Play through")).to_be_visible()
    page.screenshot(path=pictures / "reading.png")
    # Going elsewhere stops it.
    page.get_by_role("button", name="Play through").click()
    page.get_by_role("button", name="Back to the game").click()
    expect(page.get_by_role("button", name="Play through")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".chart")).to_have_attribute("viewBox", re.compile(r"^0 0 3\d\d 180$"))


def test_hints_work_on_any_position(page, server, client):
    view = replay(client, "hexapawn", ["a1-a2"], None, "random")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("button", name="To the beginning").click()
    prompt_says(page, "Looking back")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".message")).to_contain_text("Hint from perfect play")
    # Moves that are equally good are not ranked.
    texts = page.locator(".board-view .tagged").all_text_contents()
    assert set(texts) == {"draws"}


def test_playing_on_after_the_opponents_mistake_leaves_nothing_paused(page, server, client):
    view = replay(client, "noughts_and_crosses", ["b2", "b1", "a1", "c3"])
    path = f"/api/games/{view['id']}"
    client.post(f"{path}/seats", json={"seats": [{}, {"player": "perfect"}]})
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Review this game").click()
    mistake = page.locator(".mistakes > li", has_text="Olga b1")
    expect(mistake).to_contain_text("exact")
    mistake.get_by_role("button", name="Play on").click()
    expect(page.locator(".game-area")).to_have_attribute("data-node", "2")
    assert status(page) == "yours"
    # Its own mistake is tried again, and the other side answers without being asked.
    page.locator('.place.enabled[data-place="a3"]').click()
    expect(page.locator(".moves .move")).to_have_count(6)
    assert status(page) == "yours"


def open_puzzle(page, server):
    """Open a puzzle of noughts and crosses, and return its part of the page."""
    page.goto(f"{server.base}/puzzles")
    drill = page.locator(".drill")
    expect(drill).to_have_attribute("data-state", "open")
    page.get_by_label("Game").select_option("noughts_and_crosses")
    expect(page.locator(".place")).to_have_count(9)
    expect(drill).to_have_attribute("data-state", "open")
    return drill


def test_puzzles_are_solved_move_by_move(page, server, client):
    kinds = client.get("/api/puzzles/kinds", params={"game": "noughts_and_crosses"}).json()
    drill = open_puzzle(page, server)
    offered = page.get_by_label("Difficulty").locator("option").count()
    assert offered == sum(each["kind"] == "win" for each in kinds)
    prompt_says(page, "only one move wins")
    for _ in range(3):
        if solve_one(page, drill) == "solved":
            break
    expect(drill).to_have_attribute("data-state", "solved")
    expect(page.locator(".puzzle")).to_contain_text("Solved in a row: ")
    page.get_by_role("button", name="Play it out").click()
    expect(page.locator(".seat-cards")).to_contain_text("Olga")


def solve_one(page, drill):
    """Try the places in turn; a wrong one is taken back. Return the state of the drill after it."""
    places = page.locator(".place.enabled").evaluate_all("all => all.map(one => one.dataset.place)")
    for place in places:
        page.locator(f'.place.enabled[data-place="{place}"]').click()
        page.wait_for_function(
            "place => /Correct: |is not the solution/.test(document.querySelector('.message')"
            ".textContent) && document.querySelector('.message').textContent.includes(place)",
            arg=place,
        )
        expect(drill).to_have_attribute("data-state", re.compile("wrong|right|solved"))
        if (state := drill.get_attribute("data-state")) != "wrong":
            return state
    raise AssertionError("no place is right")


def test_only_ones_own_moves_are_made_in_a_puzzle(page, server):
    """While the reply is being found, the places of the other side do not answer."""
    drill = open_puzzle(page, server)
    touches = []
    page.route("**/evaluation?*", lambda route: None)  # no answer
    page.on("request", lambda each: "/moves" in each.url and touches.append(each.url))
    with page.expect_request("**/evaluation?*"):
        page.locator(".place.enabled").first.click()
    if page.locator(".place.enabled").count():  # none if that move has won
        page.locator(".place.enabled").first.click()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert len(touches) == 1
    page.unroute_all(behavior="ignoreErrors")
    expect(drill).to_have_attribute("data-state", re.compile("wrong|right|solved"))


def test_a_small_game_is_solved_on_request(page, tmp_path):
    server = Server(tmp_path)
    try:
        with server.client() as client:
            rules = {"rules": "men=3"}
            view = begin(client, "nine_mens_morris", None, None, **rules)
            page.goto(f"{server.base}/game/{view['id']}")
            status(page)
            page.get_by_role("tab", name="Analysis").click()
            page.get_by_role("button", name="Solve this game completely").click()
            expect(page.locator(".solve")).to_contain_text("every evaluation is exact")
            found = analysed(client, f"/api/games/{view['id']}/evaluation")
            assert found["analysis"]["certainty"] == "exact"
            body = {"game": "nine_mens_morris", **rules, "action": "start"}
            assert client.post("/api/solve", json=body).status_code == 422
    finally:
        server.kill()


def test_a_game_too_large_for_the_disk_says_so(page, tmp_path, monkeypatch):
    # The kernel's file system has no free space on any machine.
    monkeypatch.setenv("LUDUS_ORACLE", "/proc/oracle")
    server = Server(tmp_path)
    try:
        with server.client() as client:
            view = begin(client, "nine_mens_morris", None, None, rules="men=3")
            page.goto(f"{server.base}/game/{view['id']}")
            status(page)
            page.get_by_role("tab", name="Analysis").click()
            expect(page.locator(".solve")).to_contain_text("cannot be solved completely on this")
            expect(page.locator(".solve")).to_contain_text("GB of disk; 0.0 GB are free")
            expect(page.locator(".solve button")).to_have_count(0)
    finally:
        server.kill()
