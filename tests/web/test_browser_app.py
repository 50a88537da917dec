"""The page as an installed app: it opens without the server, and plays over a slow connection."""

import json

import pytest
from playwright.sync_api import expect

from support.page_actions import bounding_box, status, wait_for_event
from support.page_server import Server, begin

pytestmark = pytest.mark.needs_debian("chromium")


def test_the_app_opens_without_the_server_and_goes_on_when_it_is_back(new_context, tmp_path):
    server = Server(tmp_path)
    try:
        context = new_context(viewport={"width": 390, "height": 844}, service_workers="allow")
        page = context.new_page()
        page.goto(server.base)
        status(page)
        page.evaluate("navigator.serviceWorker.register('/service-worker.js')")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        server.kill_to_start_again()
        page.goto(f"{server.base}/puzzles")
        expect(page.get_by_text("The server does not answer")).to_be_visible()
        expect(page.locator(".wordmark")).to_be_visible()
        family = page.evaluate("document.fonts.ready.then((f) => f.check('600 16px Fraunces'))")
        assert family
        server.start()
        expect(page.locator('.drill[data-state="open"]')).to_be_visible()
    finally:
        server.kill()


def test_the_manifest_describes_an_app(client):
    manifest = client.get("/static/manifest.json").json()
    assert manifest["display"] == "standalone"
    assert manifest["start_url"].startswith(manifest["scope"])
    for icon in manifest["icons"]:
        assert client.get(icon["src"]).headers["content-type"].startswith(icon["type"])
    assert json.dumps(manifest["name"]) in client.get("/static/manifest.json").text


@pytest.mark.parametrize(
    ("game", "touches", "shapes"),
    [
        ("nine_mens_morris", ("d6",), ".man"),
        ("hexapawn", ("a1", "a2"), ".man"),
        ("noughts_and_crosses", ("b2",), ".stroke"),
    ],
)
def test_a_move_is_drawn_before_its_answer(page, server, client, game, touches, shapes):
    """However late the answer is: here it comes when the man has been seen where it went."""
    view = begin(client, game)
    held = []
    page.route("**/api/games/*/moves*", lambda route: held.append(route))
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    for place in touches:
        page.locator(f'.place[data-place="{place}"]').click()
    expect(page.locator('.game-area[data-status="sending"]')).to_be_attached()
    area = bounding_box(page.locator(f'.place[data-place="{touches[-1]}"]'))
    boxes = page.locator(f".board-view {shapes}").evaluate_all(
        "men => men.map((man) => man.getBoundingClientRect().toJSON())"
    )
    assert any(
        area["x"] < box["x"] + box["width"] / 2 < area["x"] + area["width"]
        and area["y"] < box["y"] + box["height"] / 2 < area["y"] + area["height"]
        for box in boxes
    )
    wait_for_event(page, lambda: held, "the move is sent")
    held[0].continue_()
    expect(page.locator('.game-area[data-node="1"][data-status="yours"]')).to_be_attached()
