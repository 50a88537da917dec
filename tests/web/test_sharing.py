"""Shared games: pictures, link previews, and the one address that other sites may embed."""

import base64
import io
import re
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image
from playwright.sync_api import expect

from ludus.core.record import Record
from ludus.web.sharing import decode_record, encode_record
from support.page_actions import status
from support.page_server import begin

MOVES = ["b1-b2", "a3xb2", "c1xb2"]


@pytest.fixture
def view(client):
    """A game of hexapawn between two persons, three moves old."""
    found = begin(client, "hexapawn", None, None)
    for move in MOVES:
        body = {"node": found["at"], "move": move}
        found = client.post(f"/api/games/{found['id']}/moves", json=body).json()
    return found


@pytest.fixture
def code(client, view):
    return client.get(f"/api/games/{view['id']}/share").json()["game"]


def read_previews(text):
    return dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', text))


def test_an_address_holds_the_moves_and_not_the_game(client, view, code):
    record = decode_record(code)
    assert [node.move for node in record.line.moves] == MOVES
    assert view["id"] not in str(record)
    part = client.get(f"/api/games/{view['id']}/share", params={"node": 1}).json()["position"]
    assert [node.move for node in decode_record(part).line.moves] == MOVES[:1]


def test_records_and_addresses_are_exact_inverses():
    record = Record.parse('[Game "hexapawn"]\n[White "Zoë \\"Z\\""]\n\n1. a1-a2 b3xa2 *')
    assert str(decode_record(encode_record(record))) == str(record)


def test_a_link_to_a_game_has_a_preview_with_its_picture(client, view):
    found = read_previews(client.get(f"/game/{view['id']}").text)
    assert found["og:title"] == "Hexapawn"
    assert found["og:description"] == "Black to move"
    picture = client.get(found["og:image"])
    assert picture.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(picture.content)).size == (1200, 630)
    assert view["id"] not in found["og:image"]
    assert read_previews(client.get("/game/doesnotexist").text) == {}


def test_the_players_of_this_page_are_named(client):
    view = begin(client, "noughts_and_crosses", None, "perfect")
    text = read_previews(client.get(f"/game/{view['id']}").text)["og:description"]
    assert text == "Noughts: Olga. Crosses to move"


def test_an_animation_has_a_frame_for_each_position(client, code):
    answer = client.get(f"/picture/{code}.gif")
    assert answer.headers["content-type"] == "image/gif"
    assert Image.open(io.BytesIO(answer.content)).n_frames == 1 + len(MOVES)
    dark = client.get(f"/picture/{code}.gif", params={"theme": "dark"})
    assert dark.content != answer.content


def test_only_shared_games_may_stand_in_other_pages(client, view, code):
    for path in ("/", f"/game/{view['id']}", f"/api/shared/{code}", f"/picture/{code}.png"):
        headers = client.get(path).headers
        assert headers["x-frame-options"] == "DENY", path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
    headers = client.get(f"/embed/{code}").headers
    assert "x-frame-options" not in headers
    assert "frame-ancestors *" in headers["content-security-policy"]
    assert "script-src 'self'" in headers["content-security-policy"]


def pack(data):
    return base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


@pytest.mark.parametrize(
    "code",
    [
        "A" * 20,
        pack(b"\xff\xfe\xfd broken text"),
        pack(b"no record at all"),
        pack(b'[Game "os:path"]\n\n1. a1-a2 *'),
        pack(b'[Game "hexapawn"]\n\n1. a1-a4 *'),
        pack(b" " * 10_000_000),
    ],
    ids=["letters", "bytes", "text", "module", "illegal", "bomb"],
)
def test_an_address_without_a_game_is_refused_in_one_line(client, code):
    for path in (f"/embed/{code}", f"/picture/{code}.png", f"/api/shared/{code}"):
        answer = client.get(path)
        assert answer.status_code == 422, path
        assert "\n" not in answer.json()["detail"]


@pytest.fixture
def serve_elsewhere():
    """Serves a page that is not ours; returns its address."""
    started = []

    def serve(text):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        started.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.mark.needs_debian("chromium")
def test_a_card_is_made_on_the_page(page, server, view, code, pictures):
    page.goto(f"{server.base}/game/{view['id']}")
    status(page)
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Make a card").click()
    card = page.locator("img.card")
    expect(card).to_have_attribute("src", re.compile(rf"^/picture/{code}\.png"))
    expect(card).to_have_js_property("naturalWidth", 1200)
    page.screenshot(path=pictures / "share.png")
    with page.expect_download() as found:
        page.get_by_role("button", name="Save animation").click()
    assert found.value.suggested_filename == "hexapawn.gif"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link to look at").click()
    expect(page.locator("#notice")).to_contain_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == f"{server.base}/embed/{code}"


@pytest.mark.needs_debian("chromium")
def test_a_server_without_the_package_says_what_it_needs(page, server, view):
    """What the server answers is that of `MissingPackage`, as tests/games/test_cards.py has it."""
    line = "drawing pixels needs resvg-py: pip install 'ludus-games[pictures]'"
    page.route("**/picture/*", lambda route: route.fulfill(status=422, json={"detail": line}))
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Make a card").click()
    expect(page.locator("#notice")).to_have_text(re.compile("needs resvg-py", re.IGNORECASE))


@pytest.mark.needs_debian("chromium")
def test_a_game_is_looked_at_within_another_page(
    context, server, view, code, pictures, serve_elsewhere
):
    page = context.new_page()  # the browser complains of the frame that is refused
    frames = "".join(
        f'<iframe name="{name}" src="{server.base}{path}" width="500" height="560"></iframe>'
        for name, path in (("shared", f"/embed/{code}"), ("game", f"/game/{view['id']}"))
    )
    page.goto(serve_elsewhere(f"<!doctype html>{frames}"))
    shared = page.frame_locator('[name="shared"]')
    expect(shared.locator(".caption")).to_have_text("2. White c1xb2")
    expect(shared.locator(".board-view svg")).to_be_visible()
    slider = shared.get_by_label("Position in the game")
    slider.fill("1")
    expect(shared.locator(".caption")).to_have_text("1. White b1-b2")
    shared.get_by_role("button", name="Play").click()
    expect(shared.locator(".caption")).to_have_text("2. White c1xb2")
    page.screenshot(path=pictures / "embedded.png")
    # The game itself is not shown there.
    expect(page.frame_locator('[name="game"]').locator(".game-area")).to_have_count(0)
    link = shared.get_by_role("link", name="Play on in Ludus").get_attribute("href")
    page.goto(link)
    expect(page.locator(".moves .move")).to_have_count(3)
