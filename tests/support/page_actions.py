"""Playing on the page as a person does: with the mouse, or with the keyboard alone."""

import random
from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from support.page_server import Server, begin
from support.waiting import wait_until

READY = '.game-area[data-status="yours"], .game-area[data-status="over"]'
ARROWS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")
MAX_TOUCHES = 600

DRAWN = """([from, to]) => new Promise((done) => {
    const area = document.querySelector(".game-area");
    const click = (place) => document.querySelector(`.place[data-place="${place}"]`)
        .dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (from) click(from);
    const began = performance.now();
    const men = () => [...document.querySelectorAll(".board-view .man")]
        .map((man) => `${man.getAttribute("cx")},${man.getAttribute("cy")}`).join(" ");
    const before = men();
    click(to);
    requestAnimationFrame(function look() {
        if (men() !== before) done(performance.now() - began);
        else requestAnimationFrame(look);
    });
})"""
"""Returns milliseconds from a click, or from the second of two, until a man stands elsewhere."""


def open_game(
    page: Page, server: Server, client: httpx.Client, game: str, *players: str | None, **more: Any
) -> dict[str, Any]:
    """Start a game, and show its page; a seat of None is a person."""
    view = begin(client, game, *players, **more)
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    return view


def delay_answers(page: Page, milliseconds: float) -> None:
    """Let every answer of the server come later, as over a slow connection."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    late = {"latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {"offline": False, **late})


def bounding_box(locator):
    """Where an element is on the page; a board that is drawn again replaces its elements."""
    found = []
    wait_until(lambda: found.append(locator.bounding_box()) or found[-1], "the element is drawn")
    return found[-1]


def status(page: Page) -> str:
    page.wait_for_selector(READY)
    return page.locator(".game-area").get_attribute("data-status") or ""


def state(page: Page) -> tuple[Any, ...]:
    area = page.locator(".game-area")
    return tuple(area.evaluate("area => [area.dataset.node, area.dataset.touched]"))


def open_places(page: Page) -> list[str]:
    """Return all places that may be touched, read at one moment: the board may be drawn again."""
    found = page.locator(".place.enabled")
    places: list[str] = found.evaluate_all("places => places.map((place) => place.dataset.place)")
    return places


def wait_for_event(page: Page, condition: Callable[[], object], what: str) -> None:
    """Wait until a callback of the browser has reported an event.

    Callbacks run while the page is asked for something, and at no other time.
    """
    wait_until(lambda: (page.evaluate("0"), condition())[1], what)


def click_through(page: Page, seed: int) -> int:
    """Click any place that may be touched until the game is over; returns how often."""
    rng = random.Random(seed)
    for touches in range(MAX_TOUCHES):
        if status(page) == "over":
            return touches
        before = state(page)
        place = rng.choice(open_places(page))
        page.locator(f'.place[data-place="{place}"]').click()
        _wait_for_change(page, before)
    raise AssertionError("the game does not end")


def key_through(page: Page, seed: int) -> int:
    """Play until the game is over with arrow keys and Enter alone; returns the touches."""
    rng = random.Random(seed)
    for touches in range(MAX_TOUCHES):
        if status(page) == "over":
            return touches
        before = state(page)
        walk_to(page, rng.choice(open_places(page)))
        page.keyboard.press("Enter")
        _wait_for_change(page, before)
    raise AssertionError("the game does not end")


def walk_to(page: Page, place: str) -> None:
    """Move the focus to a place by arrow keys."""
    page.locator('.place[tabindex="0"]').focus()
    goal = bounding_box(page.locator(f'.place[data-place="{place}"]'))
    assert goal is not None
    seen: set[str] = set()
    for _ in range(60):
        here = page.locator(".place:focus")
        name = here.get_attribute("data-place") or ""
        if name == place:
            return
        box = bounding_box(here)
        assert box is not None
        across, down = goal["x"] - box["x"], goal["y"] - box["y"]
        sideways = "ArrowRight" if across > 0 else "ArrowLeft"
        upright = "ArrowDown" if down > 0 else "ArrowUp"
        first, second = (sideways, upright) if abs(across) > abs(down) else (upright, sideways)
        page.keyboard.press(second if name in seen else first)
        seen.add(name)
        if page.locator(".place:focus").get_attribute("data-place") == name:
            page.keyboard.press(random.Random(len(seen)).choice(ARROWS))
    raise AssertionError(f"{place} cannot be reached with arrow keys")


def _wait_for_change(page: Page, before: tuple[Any, ...]) -> None:
    node, touched = before
    page.wait_for_selector(
        f'.game-area:not([data-node="{node}"]), .game-area:not([data-touched="{touched}"])'
    )


def prompt_says(page: Page, text: str) -> None:
    expect(page.locator(".prompt")).to_contain_text(text)
