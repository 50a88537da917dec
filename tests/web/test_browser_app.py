"""The page as an installed app: it opens without the server, and plays over a slow connection."""

import json

from playwright.sync_api import expect

from support.page_actions import status
from support.page_server import Server, begin


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


SLOW = 600
"""Milliseconds that an answer takes."""

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


def test_a_move_is_drawn_at_once_although_its_answer_is_late(page, server, client):
    """Two persons play, so that no reply hides when the answer comes."""
    view = begin(client, "nine_mens_morris")
    session = page.context.new_cdp_session(page)
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    slow = {"offline": False, "latency": SLOW, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", slow)
    assert page.evaluate(DRAWN, ["", "d6"]) < SLOW / 2
    expect(page.locator('.game-area[data-status="sending"]')).to_be_attached()
    expect(page.locator('.game-area[data-node="1"][data-status="yours"]')).to_be_attached()
