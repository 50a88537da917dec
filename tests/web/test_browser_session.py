"""What happens around a game: take-back, reload, two tabs, a server that dies, small screens."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from support.page_actions import open_places, prompt_says, status, wait_for_event
from support.page_server import Server, begin
from support.repetition import repeat

pytestmark = pytest.mark.needs_debian("chromium")


@pytest.fixture
def morris(page, server, client):
    view = begin(client, "nine_mens_morris", None, "newbie")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    return view


def play(page, place):
    page.locator(f'[data-place="{place}"]').click()
    page.wait_for_selector(f'.place[data-place="{place}"]:not(.enabled)')
    return status(page)


def test_a_newcomer_lands_on_a_board_and_sees_what_to_do(page, server):
    page.goto(f"{server.base}/")
    prompt_says(page, "Place a man on a free point")
    assert len(open_places(page)) == 24
    assert "/game/" in page.url


def test_taking_back_returns_to_the_last_decision(page, morris):
    play(page, "d6")
    expect(page.locator(".moves .move")).to_have_count(2)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator('.place.enabled[data-place="d6"]')).to_have_count(1)
    play(page, "f4")
    # What was taken back is still there, as a variation.
    expect(page.locator(".variation")).to_contain_text("f4")


def test_a_reload_changes_nothing(page, morris):
    play(page, "d6")
    before = page.locator(".moves").inner_text()
    page.reload()
    status(page)
    assert page.locator(".moves").inner_text() == before


def test_two_tabs_see_the_same_game(page, context, morris):
    other = context.new_page()
    other.goto(page.url)
    status(other)
    play(page, "d6")
    expect(other.locator(".moves .move")).to_have_count(2)
    page.get_by_role("button", name="Take back").click()
    expect(other.locator('.place.enabled[data-place="d6"]')).to_have_count(1)


def test_the_server_may_die_in_the_middle(page, tmp_path):
    server = Server(tmp_path)
    try:
        with server.client() as client:
            view = begin(client, "nine_mens_morris", None, "newbie")
        page.goto(f"{server.base}/game/{view['id']}")
        play(page, "d6")
        before = page.locator(".moves").inner_text()
        server.kill_to_start_again()
        lost = page.locator("#connection")
        expect(lost).to_contain_text("No connection")
        # Another message neither hides that nor is an uncaught error.
        page.get_by_role("button", name="New game").click()
        expect(page.locator("#notice")).to_contain_text("does not answer")
        expect(lost).to_be_visible()
        page.get_by_role("tab", name="Set up").click()
        expect(page.get_by_role("button", name="Edit this position")).to_be_hidden()
        server.start()
        expect(lost).to_be_hidden()
        # Scripts that could not be loaded are requested again.
        page.get_by_role("button", name="New game").click()
        page.get_by_role("dialog", name="New game").get_by_role("button", name="Cancel").click()
        page.get_by_role("tab", name="Set up").click()
        expect(page.get_by_role("button", name="Edit this position")).to_be_visible()
        page.get_by_role("tab", name="Moves").click()
        assert page.locator(".moves").inner_text() == before
        assert play(page, "f4") == "yours"
    finally:
        server.kill()


def test_the_back_button_and_the_way_to_the_board(page, server, morris):
    game = page.url
    page.get_by_role("link", name="Puzzles").click()
    expect(page.get_by_role("button", name="Next puzzle")).to_be_visible()
    page.go_back()
    status(page)
    assert page.url == game
    page.get_by_role("link", name="Skip to the board").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(".place:focus")).to_have_count(1)


def test_looking_back_and_going_on_from_there(page, morris):
    for place in ("d6", "f4"):
        play(page, place if place in open_places(page) else open_places(page)[0])
    page.get_by_role("button", name="To the beginning").click()
    prompt_says(page, "Looking back")
    page.get_by_role("button", name="Continue from here").click()
    prompt_says(page, "Place a man")
    play(page, "a1")
    expect(page.locator(".variation")).to_have_count(1)


def test_a_comment_stays_with_its_move(page, morris, client):
    play(page, "d6")
    page.get_by_label("Comment on this move").fill("well {met}")
    page.get_by_label("Comment on this move").blur()
    expect(page.locator(".moves em")).to_have_text("well {met}")
    record = client.get(f"/api/games/{morris['id']}/record").json()["record"]
    assert "{well \\{met\\}}" in record


def test_a_link_holds_the_whole_game(page, context, server, client):
    view = begin(client, "hexapawn")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    for place in ("a1", "a2"):
        page.locator(f'[data-place="{place}"]').click()
    prompt_says(page, "Black:")
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#notice")).to_have_text("Copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert view["id"] not in link
    page.goto(link)
    expect(page.locator(".moves")).to_contain_text("a1-a2")
    assert view["id"] not in page.url
    # Nothing pasted: nothing happens. Our own link, bare moves and other games are understood.
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".error").first).to_contain_text("Paste a game or a position first")
    for text, found in (
        (link, "a1-a2"),
        ("b1-b2 a3xb2", "a3xb2"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10", "rolled 5 and 2"),
    ):
        page.locator("#main").evaluate("main => main.firstElementChild.dataset.former = 1")
        page.get_by_label("Paste a game").fill(text)
        page.get_by_role("button", name="Import").click()
        expect(page.locator("[data-former]")).to_have_count(0)
        expect(page.locator("#main")).to_contain_text(found)
        page.get_by_role("tab", name="Share").click()


def test_a_link_keeps_the_players(client):
    view = begin(client, "nine_mens_morris", None, "newbie")
    record = client.get(f"/api/games/{view['id']}/record").json()["record"]
    opened = client.post("/api/games", json={"record": record}).json()
    assert [seat["player"] for seat in opened["seats"]] == [None, "newbie"]


def test_addresses_that_lead_nowhere_say_so(page, server):
    for path, text in (
        ("game/doesnotexist", "There is no such game."),
        ("learn/doesnotexist", "There is no such game."),
        ("open#garbage", "This link contains no game."),
        ("open#Z2FyYmFnZQ==", "This link contains no game."),
        ("nowhere", "There is no such page."),
    ):
        page.goto("about:blank")
        page.goto(f"{server.base}/{path}")
        expect(page.locator(".prompt")).to_have_text(text)
        expect(page.get_by_role("link", name="Start a new game")).to_be_visible()


def test_moves_stand_in_two_columns_and_arrow_keys_step_through_them(page, morris):
    # There is nothing to take back before the first move.
    expect(page.get_by_role("button", name="Take back")).to_be_hidden()
    play(page, "d6")
    expect(page.get_by_role("button", name="Take back")).to_be_visible()
    cells = page.locator(".move-grid > *")
    expect(cells).to_have_count(3)
    first, second = (cells.nth(number).bounding_box() for number in (1, 2))
    assert first["y"] == second["y"]
    assert first["x"] < second["x"]
    page.locator(".prompt").click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".move[aria-current]")).to_have_text("d6")
    page.keyboard.press("ArrowUp")
    prompt_says(page, "Looking back: the beginning")
    page.keyboard.press("ArrowDown")
    status(page)


def test_a_position_is_set_up_on_the_board(page, morris, client):
    play(page, "d6")
    page.get_by_role("tab", name="Set up").click()
    panel = page.get_by_role("tabpanel", name="Set up")
    panel.get_by_role("button", name="Edit this position").click()
    prompt_says(page, "Set up a position")
    expect(page.locator(".board-view > svg.ludus")).to_have_count(1)
    panel.get_by_role("button", name="Clear the board").click()
    board = page.locator(".board-view")
    for side in ("White", "Black"):
        hand = panel.get_by_label(f"{side}, still to place")
        expect(hand).to_have_value("0")
        hand.fill("3")
        hand.blur()
    for side, places in (("White", ("a7", "d7", "g7")), ("Black", ("a1", "d1", "g1"))):
        panel.get_by_role("button", name=side, exact=True).click()
        for number, place in enumerate(places):
            board.locator(f'[data-place="{place}"]').click()
            expect(board.locator(f'[data-place="{place}"]')).to_have_attribute(
                "aria-label", f"{place}, a {side.lower()} man"
            )
            hand = panel.get_by_label(f"{side}, still to place")
            expect(hand).to_have_value(str(2 - number))
    panel.get_by_role("button", name="Play from here").click()
    prompt_says(page, "with three left they may jump")
    view = client.get(f"/api/games/{page.url.rpartition('/')[2]}").json()
    assert view["position"] == "WWW/.../.../....../.../.../BBB w 0 0"


SMALL, LARGE = (360, 740), (1600, 1000)
LOOKS = [
    *(("nine_mens_morris", SMALL, "dark"), ("nine_mens_morris", LARGE, "light")),
    *(("backgammon", SMALL, "light"), ("backgammon", LARGE, "dark")),
    *(("nine_mens_morris", SMALL, "light"), ("nine_mens_morris", LARGE, "dark")),
    *(("backgammon", SMALL, "dark"), ("backgammon", LARGE, "light")),
]
"""Every pair of a game, a size and colours is among the first four."""


@pytest.mark.parametrize(("game", "size", "scheme"), LOOKS[: repeat(4, 8)])
def test_every_size_and_colour_is_accessible(
    new_context, server, client, pictures, game, size, scheme
):
    view = begin(client, game)
    width, height = size
    window = {"width": width, "height": height}
    with new_context(viewport=window, color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(f"{server.base}/game/{view['id']}")
        status(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, "nothing may stick out sideways"
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}})
        assert found.violations_count == 0, found.generate_report()
        page.screenshot(path=pictures / f"{game}-{width}-{scheme}.png")


def test_dialog_puzzles_and_panels_are_accessible(new_context, server, client, pictures):
    view = begin(client, "nine_mens_morris", None, "newbie")
    with new_context(bypass_csp=True) as context:
        page = context.new_page()
        page.goto(f"{server.base}/game/{view['id']}")
        status(page)
        for tab in ("Analysis", "Review", "Share", "Set up"):
            page.get_by_role("tab", name=tab).click()
            assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
        page.get_by_role("button", name="New game").click()
        page.get_by_label("Choose both players").check()
        page.wait_for_selector("dialog[open] .seat-form")
        assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
        page.screenshot(path=pictures / "dialog.png")
        page.goto(f"{server.base}/puzzles")
        page.wait_for_selector(".place.enabled")
        assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
        page.screenshot(path=pictures / "puzzle.png")


def test_dialogs_explain_the_rules_and_start_a_game(page, server, morris):
    page.get_by_role("button", name="Rules").click()
    rules = page.get_by_role("dialog", name="How to play")
    expect(rules.locator("li").first).to_contain_text("9 men")
    rules.get_by_role("button", name="Close").click()
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog", name="New game")
    dialog.locator("#game-select").select_option("hexapawn")
    dialog.locator("#rules-select").select_option("four")
    # The players change with the rules; strengths are measured for usual rules only.
    expect(dialog.locator(".rung").first).to_contain_text("not measured")
    dialog.get_by_label("Two people").check()
    expect(dialog.get_by_role("group", name="You play")).to_be_hidden()
    dialog.get_by_role("button", name="Play").click()
    prompt_says(page, "White: choose one of your pawns")
    assert page.url.rpartition("/")[2] != morris["id"]


def test_opponents_have_names_and_are_listed_from_beginner_to_perfect(page, server, morris):
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog", name="New game")
    rungs = dialog.locator(".rung:has(meter)")
    expect(rungs.first).to_contain_text("Alfie")
    bars = rungs.locator("meter").evaluate_all("bars => bars.map((bar) => bar.value)")
    assert len(bars) >= 10
    assert bars == sorted(bars)
    expect(rungs.last.get_by_label("Strength: Elo")).to_be_visible()
    dialog.locator("#game-select").select_option("hexapawn")
    expect(rungs.last).to_contain_text("Olga")
    expect(dialog.get_by_label("a random side")).to_be_visible()
    dialog.get_by_label("Olga").check()
    dialog.get_by_role("radio", name="Black").check()
    dialog.get_by_role("button", name="Play").click()
    expect(page.locator(".seat-card").first).to_contain_text("Olga")
    assert status(page) == "yours"
    expect(page.locator(".moves .move")).to_have_count(1)


def test_the_puzzle_that_was_chosen_last_is_shown(page, server):
    """Whichever the server has ready first."""
    held, created = [], []
    page.route("**/api/puzzles*", lambda route: held.append(route), times=1)
    page.on("request", lambda sent: created.append(sent) if sent.method == "POST" else None)
    page.goto(f"{server.base}/puzzles")
    wait_for_event(page, lambda: held, "the first puzzle is requested")
    page.get_by_label("Game").select_option("noughts_and_crosses")
    expect(page.locator(".place")).to_have_count(9)
    with page.expect_response(lambda answer: answer.request == held[0].request) as answered:
        held[0].continue_()
    answered.value.finished()
    page.get_by_role("button", name="Next puzzle").click()
    expect(page.locator('.drill[data-state="open"] .place')).to_have_count(9)
    expect(page.locator(".prompt")).not_to_contain_text("Today")
    assert len(created) == 2, "games for the last two puzzles, none for the first"


def test_players_are_those_of_the_rules_that_were_chosen_last(page, morris):
    held = []
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog", name="New game")
    expect(dialog.locator(".rung").first).to_be_visible()
    page.route("**/api/opponents*", lambda route: held.append(route), times=1)
    dialog.locator("#game-select").select_option("hexapawn")
    wait_for_event(page, lambda: held, "the players of the usual rules are requested")
    dialog.locator("#rules-select").select_option("four")
    # The forms of these rules are there, hidden until they are chosen.
    expect(dialog.locator(".player-info").nth(1)).to_contain_text("not measured")
    dialog.get_by_label("Choose both players").check()
    dialog.get_by_label("Who plays Black").select_option("a person")
    with page.expect_response(lambda answer: answer.request == held[0].request) as answered:
        held[0].continue_()
    answered.value.finished()
    dialog.get_by_role("button", name="Play").click()
    prompt_says(page, "White: choose one of your pawns")


def test_numbers_have_at_most_three_significant_digits(page, server):
    page.goto(f"{server.base}/puzzles")
    numbers = [0, 3, 12345, 12345.6, 1 / 3, -0.5, 12.3456, -3.8e-34, None, "NaN"]
    script = """async (numbers) => {
        const { formatNumber } = await import("/static/text.js");
        return numbers.map((each) => formatNumber(each === "NaN" ? NaN : each));
    }"""
    expected = ["0", "3", "12345", "12346", "0.333", "−0.5", "12.3", "0", "", ""]
    assert page.evaluate(script, numbers) == expected


def test_the_end_of_a_game_offers_review_rematch_and_the_other_side(page, server, morris, client):
    play(page, "d6")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog", name="Resign").get_by_role("button", name="Resign").click()
    prompt_says(page, "you resigned")
    end = page.get_by_role("group", name="After the game")
    end.get_by_role("button", name="Review").click()
    expect(page.locator(".review-sides")).to_be_visible()
    # It stays resigned, until the move is taken back.
    page.reload()
    prompt_says(page, "you resigned")
    assert client.get(f"/api/games/{morris['id']}").json()["outcome"]["reason"] == "resigned"
    assert client.post(f"/api/games/{morris['id']}/resign").status_code == 409
    end.get_by_role("button", name="Swap sides").click()
    page.wait_for_url(lambda url: morris["id"] not in url)
    expect(page.locator(".seat-card").first).to_contain_text("Bea")
    status(page)
    page.get_by_role("link", name="My games").click()
    games = page.locator(".game-list li")
    expect(games).to_have_count(2)
    expect(games.nth(1)).to_contain_text("resigned")
    page.get_by_label("Search").fill("resigned")
    expect(games).to_have_count(1)
    games.get_by_role("link").click()
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".game-area")).to_have_attribute("data-status", "yours")


def test_a_page_that_loads_late_does_not_replace_the_next_one(page, server, client):
    view = begin(client, "hexapawn")
    held = []
    page.route("**/puzzles.js", lambda route: held.append(route), times=1)
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("link", name="Puzzles").click()
    page.wait_for_url("**/puzzles")
    wait_for_event(page, lambda: held, "the request for the page of puzzles")
    page.go_back()
    status(page)
    held.pop().continue_()
    page.wait_for_function("import('/static/puzzles.js')")
    expect(page.locator(".drill")).to_have_count(0)
    status(page)


def test_scripts_are_loaded_when_the_pointer_or_the_focus_comes_near(page, server, client):
    requested = []
    page.on("request", lambda request: requested.append(request.url.rpartition("/")[2]))
    page.goto(f"{server.base}/game/{begin(client, 'hexapawn')['id']}")
    status(page)
    assert "game.js" in requested
    assert not {"review.js", "newgamedialog.js", "puzzles.js"} & set(requested)
    with page.expect_request("**/review.js"):
        page.get_by_role("tab", name="Review").hover()
    with page.expect_request("**/newgamedialog.js"):
        page.get_by_role("button", name="New game").focus()
    with page.expect_request("**/puzzles.js"):
        page.get_by_role("link", name="Puzzles").hover()
