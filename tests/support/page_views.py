"""Every view of the page, opened as a person would: for the tour and for pictures of the page."""

import random
from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

from support.page_actions import status
from support.page_server import begin, places_of, play_move, settled, touch

MORRIS_TRAP = "WBB/.../..B/...W../.W./BWW/.B. w 4 4"
MILL_TO_COME = "..W/.W./BB./.W..WB/.../B../W.. w 4 5"
"""Black closes a mill at e5 after any move that does not prevent it."""
PLACING = ("d6", "f4", "b4", "d2", "e3", "a7")

OpenView = Callable[[Page, str, httpx.Client], None]


def follow(page: Page, name: str) -> None:
    """Follow a link of the header, which a narrow window has behind a button."""
    if page.get_by_role("button", name="Menu").is_visible():
        page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name=name, exact=True).click()


def open_new_game(page: Page, base: str, client: httpx.Client, game: str) -> str:
    """Open a game that has just begun; returns its id."""
    view = settled(client, begin(client, game, None, "random"))
    page.goto(f"{base}/game/{view['id']}")
    status(page)
    return str(view["id"])


def finish_game(client: httpx.Client) -> str:
    """Play a short game of hexapawn to its end; returns its id."""
    rng = random.Random(3)
    view = begin(client, "hexapawn", None, "random")
    while view["status"] != "over":
        view = touch(client, view, rng.choice(places_of(view)))
    return str(view["id"])


def open_analysis(page: Page, base: str, client: httpx.Client) -> None:
    """A game of Morris with evaluation and hint."""
    view = begin(client, "nine_mens_morris", None, "newbie", position=MORRIS_TRAP)
    page.goto(f"{base}/game/{view['id']}")
    status(page)
    page.get_by_role("tab", name="Analysis").click()
    evaluation = page.get_by_role("button", name="Evaluation")
    if evaluation.get_attribute("aria-pressed") == "false":
        evaluation.click()
    expect(page.locator(".value-bar .certainty")).to_be_visible()
    expect(page.locator(".move-table").first).to_be_visible()


def open_review(page: Page, base: str, client: httpx.Client) -> None:
    """The review of a finished game."""
    page.goto(f"{base}/game/{finish_game(client)}")
    status(page)
    page.get_by_role("group", name="After the game").get_by_role("button", name="Review").click()
    expect(page.locator(".review-sides")).to_be_visible()


def open_moves(page: Page, base: str, client: httpx.Client) -> None:
    """The beginning of a game of Morris against a person's first opponent."""
    view = begin(client, "nine_mens_morris", None, "newbie")
    for place in PLACING:
        if view["status"] == "yours" and place in places_of(view):
            view = touch(client, view, place)
    page.goto(f"{base}/game/{view['id']}")
    status(page)


def open_backgammon(page: Page, base: str, client: httpx.Client) -> None:
    open_new_game(page, base, client, "backgammon")


def open_mill(page: Page, base: str, client: httpx.Client) -> None:
    """The opponent has closed a mill, which glows, and has taken a man."""
    view = begin(client, "nine_mens_morris", None, "newbie", position=MILL_TO_COME)
    touch(client, view, "d2")
    page.goto(f"{base}/game/{view['id']}")
    status(page)
    expect(page.locator(".joined")).to_be_attached()


def open_race(page: Page, base: str, client: httpx.Client) -> None:
    """The middle of a game of backgammon, with checkers on both sides of the board."""
    view = settled(client, begin(client, "backgammon", None, "random"))
    rng = random.Random(7)
    for _ in range(8):
        view = play_move(client, view, rng.choice(view["entry"]["moves"]))
    page.goto(f"{base}/game/{view['id']}")
    status(page)


def open_hexapawn(page: Page, base: str, client: httpx.Client) -> None:
    view = begin(client, "hexapawn", None, "playouts", rules="gardner")
    play_move(client, view, "b1-b2")
    page.goto(f"{base}/game/{view['id']}")
    status(page)


def open_won_line(page: Page, base: str, client: httpx.Client) -> None:
    """A game of noughts and crosses that is won."""
    view = begin(client, "noughts_and_crosses", None, None)
    for move in ("b2", "a1", "a3", "c1", "c3", "b1"):
        view = play_move(client, view, move)
    page.goto(f"{base}/game/{view['id']}")
    status(page)


def open_noughts(page: Page, base: str, client: httpx.Client) -> None:
    open_new_game(page, base, client, "noughts_and_crosses")


def open_dialog(page: Page, base: str, client: httpx.Client) -> None:
    """The dialog of a new game."""
    open_moves(page, base, client)
    page.get_by_role("button", name="New game").click()
    expect(page.locator("dialog .rung").first).to_be_visible()


def open_share(page: Page, base: str, client: httpx.Client) -> None:
    open_moves(page, base, client)
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Show notations").click()
    expect(page.locator("code").first).to_be_visible()


def open_card(page: Page, base: str, client: httpx.Client) -> None:
    """The card of a game, below the buttons that send it."""
    open_moves(page, base, client)
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Make a card").click()
    expect(page.get_by_role("button", name="Save animation")).to_be_visible()


def open_shared(page: Page, base: str, client: httpx.Client) -> None:
    """A finished game as others look at it."""
    codes = client.get(f"/api/games/{finish_game(client)}/share").json()
    page.goto(f"{base}/embed/{codes['game']}")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def open_editor(page: Page, base: str, client: httpx.Client) -> None:
    open_moves(page, base, client)
    page.get_by_role("tab", name="Set up").click()
    page.get_by_role("button", name="Edit this position").click()
    expect(page.get_by_role("button", name="Clear the board")).to_be_visible()


def press_rare(page: Page, name: str) -> None:
    """Press a button that is in a sheet on a phone."""
    more = page.get_by_role("button", name="More …")
    if more.is_visible():
        more.click()
    page.get_by_role("button", name=name).click()


def open_rules(page: Page, base: str, client: httpx.Client) -> None:
    open_moves(page, base, client)
    press_rare(page, "Rules")
    expect(page.get_by_role("dialog").locator("li").first).to_be_visible()


def open_welcome(page: Page, base: str, client: httpx.Client) -> None:
    """The first page of a browser that has never been here."""
    page.goto(f"{base}/puzzles")
    page.evaluate("localStorage.clear()")
    page.goto(f"{base}/")
    expect(page.get_by_role("region", name="Welcome")).to_be_visible()


def open_puzzle(page: Page, base: str, client: httpx.Client) -> None:
    page.goto(f"{base}/puzzles")
    expect(page.locator('.drill[data-state="open"]')).to_be_visible()


def open_learning(page: Page, base: str, client: httpx.Client) -> None:
    """The mistakes of a finished game, or the page that says there are none."""
    page.goto(f"{base}/learn/{finish_game(client)}")
    expect(page.get_by_role("button", name="Back to the game")).to_be_visible()


def open_my_games(page: Page, base: str, client: httpx.Client) -> None:
    open_moves(page, base, client)
    follow(page, "My games")
    expect(page.locator(".game-list li").first).to_be_visible()


def open_machines(page: Page, base: str, client: httpx.Client) -> None:
    """All learners of Morris have chosen their moves."""
    page.goto(f"{base}/machines")
    expect(page.locator('.machine:last-child[data-state="shown"]')).to_be_visible()


def open_running(page: Page, base: str, client: httpx.Client) -> None:
    page.goto(f"{base}/running")
    expect(page.get_by_text("Nothing is running")).to_be_visible()


def open_unknown(page: Page, base: str, client: httpx.Client) -> None:
    page.goto(f"{base}/game/doesnotexist")
    expect(page.get_by_text("There is no such game")).to_be_visible()


VIEWS: dict[str, OpenView] = {
    "welcome": open_welcome,
    "game": open_moves,
    "new game": open_dialog,
    "analysis": open_analysis,
    "review": open_review,
    "puzzle": open_puzzle,
    "machines": open_machines,
    "my games": open_my_games,
    "backgammon": open_backgammon,
    "race": open_race,
    "mill": open_mill,
    "hexapawn": open_hexapawn,
    "won line": open_won_line,
    "noughts and crosses": open_noughts,
    "learning": open_learning,
    "share": open_share,
    "card": open_card,
    "shared game": open_shared,
    "editor": open_editor,
    "rules": open_rules,
    "running": open_running,
    "unknown": open_unknown,
}
