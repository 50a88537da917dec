"""Where things stand on the page: on large screens, on phones, and in lists."""

import pytest
from playwright.sync_api import expect

from support.page_actions import bounding_box, status
from support.page_server import begin
from support.page_views import finish_game, open_puzzle

pytestmark = pytest.mark.needs_debian("chromium")

LAST_MEN = "6:2,off:13 5:3,off:12 0 cube 1"
SIDEWAYS = {"width": 844, "height": 390}
UPRIGHT = {"width": 390, "height": 844}


def test_a_puzzle_uses_the_window(new_context, server, client):
    for width, height, share in ((2560, 1440, 0.6), (SIDEWAYS["width"], SIDEWAYS["height"], 0.7)):
        with new_context(viewport={"width": width, "height": height}) as context:
            page = context.new_page()
            open_puzzle(page, server.base, client)
            box = bounding_box(page.locator(".board-view > svg"))
            assert box["height"] > share * height
            assert box["y"] + box["height"] <= height


def test_on_a_phone_the_board_stays_and_the_menu_is_behind_one_button(new_context, server, client):
    view = begin(client, "nine_mens_morris")
    with new_context(viewport=SIDEWAYS) as context:
        page = context.new_page()
        page.goto(f"{server.base}/game/{view['id']}")
        status(page)
        page.get_by_role("tab", name="Set up").click()
        edit = page.get_by_role("button", name="Edit this position")
        edit.scroll_into_view_if_needed()
        expect(edit).to_be_in_viewport()
        expect(page.locator(".board-view > svg")).to_be_in_viewport(ratio=0.99)
        page.set_viewport_size(UPRIGHT)
        # Upright the board stays at the top while what is below it is read.
        page.get_by_role("tab", name="Moves").click()
        page.get_by_role("textbox", name="Comment on this move").scroll_into_view_if_needed()
        expect(page.locator(".board-view > svg")).to_be_in_viewport(ratio=0.99)
        expect(page.get_by_role("link", name="Puzzles")).to_be_hidden()
        page.evaluate("scrollTo(0, 0)")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="Puzzles").click()
        expect(page.get_by_role("link", name="Puzzles")).to_be_hidden()
        expect(page.locator(".drill")).to_be_visible()


def test_a_phone_has_sheets_at_its_lower_edge(new_context, server, client):
    """What is rarely needed, and dialogs; at 200% zoom of a desktop, which is as narrow, too."""
    view = begin(client, "nine_mens_morris")
    for size in (UPRIGHT, {"width": 640, "height": 400}):
        with new_context(viewport=size) as context:
            page = context.new_page()
            page.goto(f"{server.base}/game/{view['id']}")
            status(page)
            rules = page.get_by_role("button", name="Rules")
            expect(rules).to_be_hidden()
            page.get_by_role("button", name="More …").click()
            sheet = bounding_box(page.locator("#more-tools"))
            assert (sheet["x"], sheet["width"]) == (0, size["width"])
            assert sheet["y"] + sheet["height"] == size["height"]
            rules.click()
            expect(rules).to_be_hidden()
            dialog = bounding_box(page.get_by_role("dialog"))
            assert dialog["width"] == size["width"]
            assert dialog["y"] + dialog["height"] == size["height"]
            assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def test_everything_is_on_the_screen_after_a_game_and_with_the_cube(new_context, server, client):
    match = begin(client, "backgammon", rules="tournament", position=LAST_MEN)
    with new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        for game in (finish_game(client), match["id"]):
            page.goto(f"{server.base}/game/{game}")
            status(page)
            expect(page.get_by_role("button", name="Rules")).to_be_in_viewport(ratio=1)


def test_only_what_belongs_to_it_is_shown_while_a_position_is_set_up(page, server, client):
    view = begin(client, "nine_mens_morris")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("button", name="Evaluation").click()
    expect(page.locator(".value-bar .certainty")).to_be_visible()
    page.get_by_role("tab", name="Set up").click()
    page.get_by_role("button", name="Edit this position").click()
    for name in (".value-bar", ".seat-cards", ".game-area > .toolbar"):
        expect(page.locator(name).first).to_be_hidden()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".seat-cards")).to_be_visible()


def test_the_selected_opponent_is_in_view_and_rules_have_names(page, server, client):
    page.goto(f"{server.base}/game/{begin(client, 'hexapawn')['id']}")
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog", name="New game")
    dialog.locator("#game-select").select_option("backgammon")

    expect(dialog.locator(".rung:has(:checked)")).to_be_in_viewport(ratio=0.99)
    expect(dialog.locator("#rules-select")).to_contain_text("Hypergammon, 3 men")


def test_dice_stand_where_their_move_will_be(page, server, client):
    view = begin(client, "backgammon", rules="money", position=LAST_MEN)
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("button", name="Roll", exact=True).click()
    cell = page.locator(".move-cell", has_text="roll")
    expect(cell.locator(".move.dice")).to_have_count(1)


def test_the_source_of_a_hint_is_named_in_words(page, server):
    page.goto(f"{server.base}/puzzles")
    script = 'async (spec) => (await import("/static/text.js")).sourceName(spec)'
    names = [page.evaluate(script, spec) for spec in ("bgsage:plies=1", "perfect play")]
    assert names == ["Backgammon Sage", "perfect play"]


def test_mistakes_are_marked_on_the_line_of_the_chart(page, server):
    page.goto(f"{server.base}/puzzles")
    script = """async (shares) => {
        const { findShare } = await import("/static/review.js");
        const points = shares.map((share) => ({ share }));
        return points.map((_, index) => findShare(points, index));
    }"""
    shares = [None, 0.25, None, 0.75, None]
    assert page.evaluate(script, shares) == [0.25, 0.25, 0.5, 0.75, 0.75]
    assert page.evaluate(script, [None]) == [0.5]


def test_reviewing_on_a_phone_keeps_the_board_in_view(new_context, server, client):
    """Every button of the list of mistakes changes a board that is seen."""
    id_ = finish_game(client)
    context = new_context(viewport=UPRIGHT)
    page = context.new_page()
    page.goto(f"{server.base}/game/{id_}")
    status(page)
    page.get_by_role("group", name="After the game").get_by_role("button", name="Review").click()
    better = page.get_by_role("button", name="Better move").first
    node = page.locator(".game-area").get_attribute("data-node")
    better.click()
    expect(page.locator(f'.game-area:not([data-node="{node}"])')).to_be_attached()
    expect(page.locator(".board-view > svg")).to_be_in_viewport(ratio=0.99)
    expect(better).to_be_in_viewport()


def test_the_board_is_as_large_as_the_window_and_does_not_move(new_context, server, client):
    view = begin(client, "backgammon", None, "random")
    context = new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    board = page.locator(".board-view > svg")
    before = bounding_box(board)
    assert before["height"] > 0.75 * 800
    for panel in ("Analysis", "Review", "Share", "Set up", "Moves"):
        page.get_by_role("tab", name=panel).click()
        assert bounding_box(board) == before
    page.get_by_role("button", name="Evaluation").click()
    expect(page.locator(".value-bar .certainty")).to_be_visible()
    assert bounding_box(board) == before


def test_boards_are_of_wood_stone_or_paper_and_the_choice_is_remembered(page, server, client):
    root = page.locator("html")
    for game, usual in (("nine_mens_morris", "wood"), ("noughts_and_crosses", "paper")):
        view = begin(client, game)
        page.goto(f"{server.base}/game/{view['id']}")
        status(page)
        expect(root).to_have_attribute("data-material", usual)
    page.get_by_role("button", name="Board: paper").click()
    expect(root).to_have_attribute("data-material", "wood")
    page.get_by_role("button", name="Board: wood").click()
    page.reload()
    expect(root).to_have_attribute("data-material", "stone")


def test_sides_differ_in_forced_colours(new_context, server, client):
    view = begin(client, "nine_mens_morris", None, "newbie")
    context = new_context(viewport={"width": 900, "height": 700}, forced_colors="active")
    page = context.new_page()
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    white, black = (page.locator(f".disc.side-{side}") for side in (0, 1))
    image = "disc => getComputedStyle(disc).backgroundImage"
    assert white.evaluate(image) != black.evaluate(image)
