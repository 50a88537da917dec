"""What a player thinks, on the page: its pictures side by side, large, and hints on the board."""

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from ludus.core.marks import Marks, Note, Picture
from ludus.core.player import Choice
from ludus.games import game as named_game
from ludus.players.random_play import RandomPlayer
from ludus.render.overlay import MAX_BEADS, count_beads_per_shape, draw_annotations
from ludus.web.drawing import draw_picture
from ludus.web.explanations import explain_choice
from ludus.web.store import GameStore, StoredGame, StoredNode
from support.drawings import texts
from support.page_actions import bounding_box, open_places, prompt_says, status
from support.page_server import Server, begin, touch

POINTS = named_game("nine_mens_morris").start().drawing().places


class Mapper(RandomPlayer):
    """Draws three maps of the board: where a man comes from, goes to and is taken."""

    def pictures(self, position):
        shares = [math.exp(-number) for number in range(len(POINTS))]
        heat = dict(zip(POINTS, (share / sum(shares) for share in shares), strict=True))
        return [
            Picture("TO", Marks(heat=heat, points={"d6": "selected"}), "Where its man goes."),
            Picture("FROM", Marks(), "From the hand: 100%."),
            Picture("REMOVE", Marks(heat={"a1": 0.5, "d1": 0.25}), "Nobody: 25%."),
        ]


class Plain(RandomPlayer):
    """Its pictures have names alone."""

    def pictures(self, position):
        return [("where I look", Marks(heat={"d6": 0.5}))]


class Clumsy(RandomPlayer):
    """Cannot draw."""

    def pictures(self, position):
        raise ValueError("no pencil")


def explanation_of(kind):
    game = named_game("nine_mens_morris")
    return explain_choice(kind(game, None, "seer"), game.start(), Choice(None, "I see", {}))


def test_a_title_and_marks_are_enough():
    [picture] = explanation_of(Plain).pictures
    assert picture.to_picture() == Picture("where I look", Marks(heat={"d6": 0.5}))


def test_who_cannot_draw_still_moves():
    [picture] = explanation_of(Clumsy).pictures
    assert picture.text == "It failed: ValueError: no pencil"


def test_shares_are_written_on_free_places_and_where_men_stand():
    game = named_game("nine_mens_morris")
    position = game.parse("W../.../.../....../.../.../..B w 8 8")
    heat = {"a7": 0.5, "d6": 0.25, "g1": 0.001}
    view = draw_picture(position, Picture("map", Marks(heat=heat)))
    assert texts(view.svg, "share") == ["25"]
    assert texts(view.svg, "tagged") == ["50%"]
    position = named_game("backgammon").parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31")
    view = draw_picture(position, Picture("map", Marks(heat={"24": 0.5, "20": 0.25})))
    assert (texts(view.svg, "share"), texts(view.svg, "tagged")) == (["25"], ["50%"])


def test_heaps_of_beads_are_drawn_in_proportion():
    start = named_game("noughts_and_crosses").start()
    few = (Note(("a1",), beads=7, colour=1), Note(("b2",), beads=3, colour=2))
    drawn = draw_annotations(start.drawing(), few).svg()
    assert (drawn.count('"bead n1"'), drawn.count('"bead n2"')) == (7, 3)
    many = (Note(("a1",), beads=1600, colour=1), Note(("b2",), beads=101, colour=2))
    assert count_beads_per_shape(many) == 100
    drawn = draw_annotations(start.drawing(), many).svg()
    assert (drawn.count('"bead n1"'), drawn.count('"bead n2"')) == (MAX_BEADS, 2)
    assert texts(drawn, "share") == ["1600", "101"]


def test_notes_on_places_that_a_board_does_not_have_are_left_out():
    board = named_game("hexapawn").start().drawing()
    notes, lines = (Note(("z9",), "?"), Note((), "?")), (("y1", "y2"),)
    assert draw_annotations(board, notes, lines) == board


@pytest.fixture
def kept_server(tmp_path):
    """A server whose only game was moved in by a player with three maps."""

    async def keep():
        store = GameStore(tmp_path / "games.sqlite", max_games=3)
        seats = [{"player": name, "level": None, "choices": {}} for name in ("random", None)]
        state = {"at": 1, "seats": seats, "paused": False, "delay": 0.0, "comment": ""}
        start = str(named_game("nine_mens_morris").start())
        kept = StoredGame("a-game-that-was-kept", "nine_mens_morris", "", start, 1, state)
        await store.save(
            kept, [StoredNode(1, 0, "d6", "player", "", explanation_of(Mapper).model_dump())]
        )
        await store.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, keep()).result()
    server = Server(tmp_path)
    yield server
    server.kill()


@pytest.mark.needs_debian("chromium")
@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1200, "light", marks=pytest.mark.slow), (360, "dark")]
)
def test_three_maps_hang_side_by_side_and_each_can_be_seen_large(
    new_context, kept_server, pictures, width, scheme
):
    size = {"width": width, "height": 900}
    with new_context(viewport=size, color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(f"{kept_server.base}/game/a-game-that-was-kept")
        status(page)
        page.get_by_role("tab", name="Analysis").click()
        maps = page.locator(".pictures figure")
        expect(maps).to_have_count(3)
        # At one moment: what is drawn above them may still move them all.
        boxes = maps.evaluate_all("all => all.map(each => each.getBoundingClientRect().toJSON())")
        assert len({box["y"] for box in boxes}) == 1, "all in one row"
        assert max(box["x"] + box["width"] for box in boxes) <= width
        expect(maps.nth(0)).to_contain_text("TO")
        assert maps.nth(0).locator(".heat").count() == 5, "what rounds to nothing is left out"
        assert maps.nth(2).locator(".heat").count() == 2
        page.screenshot(path=pictures / f"maps-{width}-{scheme}.png", full_page=True)
        assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
        page.get_by_role("button", name="REMOVE, enlarge").click()
        expect(page.locator("dialog")).to_contain_text("Nobody: 25%.")
        assert Axe().run(page).violations_count == 0, Axe().run(page).generate_report()
        page.screenshot(path=pictures / f"map-{width}-{scheme}.png")
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)


SEERS = [
    ("noughts_and_crosses", "menace", "a1", "The matchbox", ".bead"),
    ("noughts_and_crosses", "migo", "b2", "Its rule for not losing", ".tag"),
    ("nine_mens_morris", "fuzzy", "d6", "Chances", ".heat"),
    ("nine_mens_morris", "negascout", "d6", "What it expects", ".tag"),
    ("noughts_and_crosses", "deepq", "a1", "Its scores", ".tag"),
]


@pytest.mark.needs_debian("chromium")
@pytest.mark.parametrize(("game", "player", "place", "title", "mark"), SEERS)
def test_players_show_what_they_saw(page, server, client, game, player, place, title, mark):
    view = touch(client, begin(client, game, None, player), place)
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("tab", name="Analysis").click()
    first = page.locator(".pictures figure").first
    expect(first).to_contain_text(title)
    assert first.locator(mark).count() > 0
    # Each move has its own; where a person has moved there is none.
    page.get_by_role("tab", name="Moves").click()
    page.get_by_role("button", name="To the beginning").click()
    page.get_by_role("tab", name="Analysis").click()
    expect(page.locator(".pictures")).to_be_hidden()


@pytest.mark.needs_debian("chromium")
def test_a_hint_lies_on_the_board_until_it_is_not_wanted(page, server, client, pictures):
    view = begin(client, "noughts_and_crosses", position="XX./OO./... x")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    hint = page.get_by_role("button", name="Hint", exact=True)
    hint.click()
    expect(page.locator(".board-view .tagged")).to_have_count(4)
    expect(page.locator(".board-view .tagged").last).to_have_text("wins")
    expect(hint).to_have_attribute("aria-pressed", "true")
    page.screenshot(path=pictures / "hint.png")
    hint.click()
    expect(page.locator(".board-view .tagged")).to_have_count(0)
    hint.click()
    page.locator('[data-place="c3"]').click()
    prompt_says(page, "Crosses won")
    expect(page.locator(".board-view .tagged")).to_have_count(0)


@pytest.mark.needs_debian("chromium")
@pytest.mark.parametrize(
    "game",
    [
        pytest.param("nine_mens_morris", marks=pytest.mark.slow),
        pytest.param("hexapawn", marks=pytest.mark.slow),
        "backgammon",
    ],
)
def test_a_board_can_be_turned_round(page, server, client, pictures, game):
    start = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31" if game == "backgammon" else ""
    view = begin(client, game, position=start)
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    first = open_places(page)[0]
    place = page.locator(f'.place[data-place="{first}"]')
    before, board = bounding_box(place), bounding_box(page.locator(".board-view > svg"))
    page.get_by_role("button", name="Flip").click()
    expect(page.locator(".flipped")).to_have_count(1)
    after = bounding_box(place)
    for along, size in (("x", "width"), ("y", "height")):
        middle = board[along] + board[size] / 2
        assert (before[along] + after[along] + after[size]) / 2 == pytest.approx(middle, abs=1.5)
    page.screenshot(path=pictures / f"{game}-flipped.png")
    # Arrow keys go where they point, and F turns it back.
    place.focus()
    x = bounding_box(place)["x"]
    page.keyboard.press("ArrowLeft" if x > board["x"] + board["width"] / 2 else "ArrowRight")
    moved = bounding_box(page.locator(".place:focus"))["x"]
    assert (moved < x) == (x > board["x"] + board["width"] / 2)
    page.reload()
    status(page)
    expect(page.locator(".flipped")).to_have_count(1)
    place.focus()
    page.keyboard.press("f")
    expect(page.locator(".flipped")).to_have_count(0)


@pytest.mark.needs_debian("chromium")
def test_a_man_can_be_dragged_on_a_board_that_is_turned_round(page, server, client):
    view = begin(client, "hexapawn")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("button", name="Flip").click()
    expect(page.locator(".flipped")).to_have_count(1)
    start, end = (bounding_box(page.locator(f'[data-place="{name}"]')) for name in ("b1", "b2"))
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=6)
    ghost = bounding_box(page.locator(".ghost"))
    assert ghost["y"] < end["y"] + end["height"]
    assert ghost["y"] + ghost["height"] > end["y"]
    page.mouse.up()
    prompt_says(page, "Black: choose one of your pawns")
    assert client.get(f"/api/games/{view['id']}").json()["position"] == "BBB/.W./W.W b"


@pytest.mark.needs_debian("chromium")
def test_bar_and_dice_are_set_up_by_hand(page, server, client):
    view = begin(client, "backgammon")
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("tab", name="Set up").click()
    panel = page.get_by_role("tabpanel", name="Set up")
    panel.get_by_role("button", name="Edit this position").click()
    panel.get_by_role("button", name="Clear the board").click()
    board = page.locator(".board-view")
    board.locator('[data-place="bar"]').click()
    expect(panel.get_by_label("White, on the bar")).to_have_value("1")
    panel.get_by_label("Die 1").select_option("6")
    panel.get_by_label("Die 2").select_option("6")
    panel.get_by_role("button", name="Black", exact=True).click()
    board.locator('[data-place="24"]').click()
    expect(board.locator('[data-place="24"]')).to_have_attribute(
        "aria-label", "24, 1 black checker"
    )
    panel.get_by_role("button", name="Play from here").click()
    page.wait_for_url(lambda address: view["id"] not in address)
    prompt_says(page, "White: you rolled 6 and 6")
    found = client.get(f"/api/games/{page.url.rpartition('/')[2]}").json()
    assert found["position"] == "bar:1,off:14 1:1,off:14 0 66"
