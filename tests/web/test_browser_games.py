"""Whole games in a real browser: every game by clicking, and by the keyboard alone."""

import json
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from support.page_actions import (
    bounding_box,
    click_through,
    key_through,
    open_game,
    open_places,
    prompt_says,
    state,
    status,
    wait_for_event,
)
from support.page_server import begin

pytestmark = pytest.mark.needs_debian("chromium")


@pytest.mark.parametrize(
    ("game", "rules", "opponent"),
    [
        ("nine_mens_morris", "", "focused"),
        pytest.param("backgammon", "hyper", "random", marks=pytest.mark.slow),
        pytest.param("noughts_and_crosses", "", "playouts", marks=pytest.mark.slow),
        ("hexapawn", "", "playouts"),
    ],
)
def test_a_game_can_be_clicked_to_its_end(page, server, client, pictures, game, rules, opponent):
    open_game(page, server, client, game, None, opponent, rules=rules)
    assert click_through(page, seed=3) > 2
    assert open_places(page) == []
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    page.screenshot(path=pictures / f"{game}.png")


@pytest.mark.parametrize(
    ("game", "more"),
    [
        # A Morris game from its middle: a whole one takes too many key presses.
        ("nine_mens_morris", {"position": "WWB/BW./.../W..B../..B/.W./B.. w 2 2"}),
        ("backgammon", {"position": "6:1,3:1,off:13 4:1,2:1,off:13 0 31"}),
        pytest.param("noughts_and_crosses", {}, marks=pytest.mark.slow),
        ("hexapawn", {}),
    ],
)
def test_a_game_can_be_played_without_a_mouse(page, server, client, game, more):
    opponent = "focused" if game == "nine_mens_morris" else "random"
    open_game(page, server, client, game, None, opponent, **more)
    assert key_through(page, seed=5) > 0
    expect(page.locator("#live-region")).to_contain_text(page.locator(".prompt").inner_text())


MILL = "BB./.../..W/...W../.W./.../B.. w 0 0"
"""White can close the mill e5-e4-e3 with the man on d3, and flies."""


def test_a_move_of_three_steps_can_be_taken_back_until_it_is_complete(page, server, client):
    view = open_game(page, server, client, "nine_mens_morris", None, "random", position=MILL)
    prompt_says(page, "Move one of your men")
    page.locator('[data-place="d3"]').click()
    prompt_says(page, "Choose where it goes")
    page.locator('[data-place="e3"]').click()
    prompt_says(page, "take one of Black’s men")
    assert set(open_places(page)) == {"a7", "d7", "a1"}
    page.get_by_role("button", name="Undo this step").click()
    prompt_says(page, "Choose where it goes")
    page.locator('[data-place="d3"]').press("Escape")
    prompt_says(page, "Move one of your men")
    assert client.get(f"/api/games/{view['id']}").json()["moves"][1:] == []
    for place in ("d3", "e3", "a1"):
        page.locator(f'[data-place="{place}"]').click()
    prompt_says(page, "You won: Alfie had too few men left.")


def watch_requests(page):
    """Return the list to which the requests of the page to the server are added."""
    found = []
    page.on("request", lambda each: "/api/" in each.url and found.append(each.url))
    return found


@pytest.mark.parametrize(
    ("game", "position", "places", "illegal", "last"),
    [
        ("nine_mens_morris", MILL, ("d3", "e3"), ("g1", "e4", "d3"), "a1"),
        (
            "backgammon",
            "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31",
            ("8", "5"),
            ("1", "23", "5"),
            "6",
        ),
    ],
)
def test_a_touch_asks_nobody_and_an_illegal_one_does_nothing(
    page, server, client, game, position, places, illegal, last
):
    open_game(page, server, client, game, position=position)
    requests = watch_requests(page)
    for place in places:
        page.locator(f'[data-place="{place}"]').click()
    prompt, before = page.locator(".prompt").inner_text(), state(page)
    assert before == ("0", " ".join(places))
    for place in illegal:
        if place not in open_places(page):
            page.locator(f'[data-place="{place}"]').click(force=True)
    assert (page.locator(".prompt").inner_text(), state(page)) == (prompt, before)
    assert requests == []
    page.locator(f'[data-place="{last}"]').click()
    if game == "backgammon":
        assert requests == []
        page.locator('.place.enabled[data-place="5"]').click()
    expect(page.locator(".moves .move").first).to_be_visible()
    assert [each.rpartition("/")[2].partition("?")[0] for each in requests] == ["moves"]


def test_touching_another_man_begins_anew_and_touching_again_takes_back(page, server, client):
    open_game(page, server, client, "hexapawn")
    for place, touched in (("a1", "a1"), ("b1", "b1"), ("b1", ""), ("c1", "c1")):
        page.locator(f'[data-place="{place}"]').click(force=True)
        assert state(page) == ("0", touched)
    page.keyboard.press("Escape")
    assert state(page) == ("0", "")


def test_a_double_goes_on_beyond_what_is_listed_at_once(page, server, client):
    """One man takes all four steps; each can be undone."""
    position = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 11"
    view = open_game(page, server, client, "backgammon", position=position)
    for start, end in (("8", "7"), ("6", "5"), ("8", "7")):
        for place in (start, end):
            page.locator(f'.place.enabled[data-place="{place}"]').click()
    page.get_by_role("button", name="Undo this step").click()
    page.locator('.place.enabled[data-place="7"]').click()
    page.locator('.place.enabled[data-place="7"]').click()
    page.locator('.place.enabled[data-place="6"]').click()
    expect(page.locator(".moves")).to_contain_text("8/5 8/7")  # the same board
    assert client.get(f"/api/games/{view['id']}").json()["at"] > 0


def test_two_pages_of_one_game_show_the_same(page, context, server, client):
    view = open_game(page, server, client, "nine_mens_morris")
    other = context.new_page()
    other.goto(f"{server.base}/game/{view['id']}")
    for number, place in enumerate(("d6", "f4", "b4", "d2"), 1):
        mover, watcher = (page, other) if number % 2 else (other, page)
        expect(mover.locator(f'.place.enabled[data-place="{place}"]')).to_be_visible()
        mover.locator(f'[data-place="{place}"]').click()
        expect(watcher.locator(".moves .move")).to_have_count(number)
    outlines = "men => men.map((man) => man.outerHTML)"
    drawn = [each.locator(".board-view .man").evaluate_all(outlines) for each in (page, other)]
    assert len(drawn[0]) == 18  # also those still to be placed
    assert drawn[0] == drawn[1]


def test_a_page_that_missed_a_move_shows_the_game_as_it_is(page, server, client):
    page.route_web_socket("**/live*", lambda socket: None)
    view = open_game(page, server, client, "nine_mens_morris")
    for number in range(18):
        body = {"node": number, "move": f"{'abcdefg'[number % 7]}{7 if number % 2 else 1}"}
        client.post(f"/api/games/{view['id']}/moves", json=body)
    now = client.get(f"/api/games/{view['id']}").json()
    assert now["at"] > 0
    page.locator('[data-place="d2"]').click()
    expect(page.locator(f'.game-area[data-node="{now["at"]}"]')).to_be_visible()
    expect(page.locator(".moves .move")).to_have_count(len(now["moves"]) - 1)


def test_a_man_can_be_dragged(page, server, client):
    view = open_game(page, server, client, "hexapawn")
    start, end = (bounding_box(page.locator(f'[data-place="{name}"]')) for name in ("b1", "b2"))
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=6)
    expect(page.locator(".ghost")).to_be_visible()
    page.mouse.up()
    prompt_says(page, "Black: choose one of your pawns")
    assert client.get(f"/api/games/{view['id']}").json()["position"] == "BBB/.W./W.W b"


def test_a_dragged_man_stays_in_the_hand_when_the_board_is_drawn_again(page, server, client):
    view = open_game(page, server, client, "hexapawn")
    board = page.locator(".board-view > svg")
    start, end = (bounding_box(page.locator(f'[data-place="{name}"]')) for name in ("b1", "b2"))
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=6)
    expect(page.locator(".ghost")).to_be_visible()
    expect(page.locator('.game-area[data-touched="b1"]')).to_be_visible()
    board.evaluate("svg => svg.classList.add('first')")
    comment = {"node": view["at"], "text": "Mind the pawn."}
    assert client.post(f"/api/games/{view['id']}/remarks", json=comment).status_code == 200
    expect(page.locator(".board-view > svg:not(.first)")).to_be_visible()
    expect(page.locator(".ghost")).to_be_visible()
    page.mouse.up()
    prompt_says(page, "Black: choose one of your pawns")
    assert client.get(f"/api/games/{view['id']}").json()["position"] == "BBB/.W./W.W b"
    expect(page.locator(".ghost")).to_have_count(0)


def test_a_click_counts_although_the_board_is_drawn_again_under_the_finger(page, server, client):
    view = open_game(page, server, client, "hexapawn")
    board = page.locator(".board-view > svg")
    board.evaluate("svg => svg.classList.add('first')")
    place = bounding_box(page.locator('[data-place="b1"]'))
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    comment = {"node": view["at"], "text": "Mind the pawn."}
    assert client.post(f"/api/games/{view['id']}/remarks", json=comment).status_code == 200
    expect(page.locator(".board-view > svg:not(.first)")).to_be_visible()
    page.mouse.up()
    expect(page.locator('.game-area[data-touched="b1"]')).to_be_visible()


def test_an_old_message_that_comes_late_is_not_shown(page, server, client):
    messages, sockets = [], []

    def hold_messages(socket):
        sockets.append(socket)
        socket.connect_to_server().on_message(lambda text: messages.append(text))

    page.route_web_socket("**/live*", hold_messages)
    view = open_game(page, server, client, "hexapawn")
    wait_for_event(page, lambda: messages, "the game is sent as it is before the move")
    page.evaluate("""() => {
        window.nodes = [];
        const area = document.querySelector(".game-area");
        new MutationObserver(() => window.nodes.push(area.dataset.node)).observe(
            area, { attributeFilter: ["data-node"] });
    }""")
    for place in ("b1", "b2"):
        page.locator(f'[data-place="{place}"]').click()
    prompt_says(page, "Black: choose one of your pawns")
    sockets[0].send(messages[0])
    comment = {"node": 1, "text": "Well met."}
    assert client.post(f"/api/games/{view['id']}/remarks", json=comment).status_code == 200
    wait_for_event(page, lambda: "Well met." in messages[-1], "the comment is sent")
    sockets[0].send(messages[-1])
    expect(page.locator(".moves")).to_contain_text("Well met.")
    nodes = page.evaluate("window.nodes")
    assert nodes == sorted(nodes), "never back to an earlier node"


def test_dice_may_be_played_in_either_order_and_one_man_may_take_both(page, server, client):
    start = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31"
    open_game(page, server, client, "backgammon", position=start)
    prompt_says(page, "you rolled 3 and 1")
    for place in ("6", "5", "8", "5"):
        page.locator(f'[data-place="{place}"]').click()
    expect(page.locator(".moves")).to_contain_text("8/5 6/5")
    page.get_by_role("button", name="Take back").click()
    for place in ("24", "20"):
        page.locator(f'[data-place="{place}"]').click()
    expect(page.locator(".moves")).to_contain_text("24/20")


def test_players_play_each_other_with_pause_and_speed(page, server, client):
    open_game_watching = begin(client, "nine_mens_morris", "random", "random", delay=60)
    page.goto(f"{server.base}/game/{open_game_watching['id']}")
    page.get_by_role("button", name="Pause").click()
    prompt_says(page, "press Resume")
    # The second wish is told before the first has reached the server.
    held = []
    page.route("**/pace*", lambda route: held.append(route), times=1)
    page.get_by_label("Speed").select_option("no delay")
    page.get_by_role("button", name="Resume", exact=True).click()
    wait_for_event(page, lambda: held, "the first wish is sent")
    held[0].continue_()
    assert status(page) == "over"


def test_others_may_go_on_with_a_game(page, server, client):
    measured = json.loads(files("ludus.web").joinpath("strengths.json").read_text())
    strength = measured["nine_mens_morris"]["negascout:level=2"]
    open_game(page, server, client, "nine_mens_morris")
    page.get_by_role("button", name="Players").click()
    page.get_by_label("Who plays Black").select_option("negascout")
    page.get_by_label("Level of Black").fill("2")
    expect(page.locator("dialog .player-info").nth(1)).to_contain_text(f"Elo {strength['elo']}")
    page.locator("dialog").get_by_role("button", name="Apply").click()
    page.locator('[data-place="d6"]').click()
    expect(page.locator(".moves .move")).to_have_count(2)
    expect(page.locator(".seat-cards")).to_contain_text("Negascout, level 2")


def test_dice_are_used_up_and_pips_counted_in_the_middle_of_a_move(page, server, client):
    start = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 33"
    view = begin(client, "backgammon", position=start)
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    expect(page.locator(".board-view .die")).to_have_count(4)
    expect(page.locator(".board-view .die.used")).to_have_count(0)
    page.locator('[data-place="8"]').click()
    page.locator('.place.enabled[data-place="5"]').click()
    expect(page.locator(".board-view .die.used")).to_have_count(1)
    expect(page.locator(".seat-card").first).to_contain_text("164 pips to go")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".board-view .tag").first).to_be_visible()
    # What is played already is not advised again, and labels are ranks.
    assert page.locator(".board-view .way").count() <= 6
    texts = page.locator(".board-view .tagged").all_text_contents()
    assert set(texts) <= {"1", "2"}


START_WITH_21 = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 21"


def test_several_turns_are_shown_one_after_the_other(browser, server, client):
    view = begin(client, "backgammon", None, "random", position=START_WITH_21)
    context = browser.new_context(reduced_motion="no-preference")
    try:
        page = context.new_page()
        page.goto(f"{server.base}/game/{view['id']}")
        status(page)
        for place in ("13", "11", "6", "5"):
            page.locator(f'.place.enabled[data-place="{place}"]').click()
        page.wait_for_selector(".game-area[data-replay]")
        page.wait_for_selector('.game-area:not([data-replay])[data-status="yours"]')
    finally:
        context.close()


def test_phones_on_their_side_show_the_whole_board(new_context, server, client):
    for game in ("nine_mens_morris", "backgammon"):
        view = begin(client, game)
        with new_context(viewport={"width": 740, "height": 360}) as context:
            page = context.new_page()
            page.goto(f"{server.base}/game/{view['id']}")
            status(page)
            box = bounding_box(page.locator(".board-view > svg"))
            assert box["y"] + box["height"] <= 360
            assert page.evaluate("document.documentElement.scrollWidth") <= 740


def test_a_repetition_is_announced_in_time(client):
    view = begin(client, "nine_mens_morris", position="WW./.../.../....W./.../..B/BB. w 0 0")
    for move in ("f4-g4", "f2-e4", "g4-f4"):
        assert "Careful" not in view["prompt"]
        body = {"node": view["at"], "move": move}
        view = client.post(f"/api/games/{view['id']}/moves", json=body).json()
    assert "Careful: e4-f2 repeats a position: a draw" in view["prompt"]
