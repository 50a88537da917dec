"""Views beside the game: welcome, how machines learn, import by dropping, sound."""

import pytest
from playwright.sync_api import expect

from ludus.core import runs
from ludus.core.runs import announce_run
from ludus.learn.curves import Curves
from support.page_actions import prompt_says, status
from support.page_server import analysed, begin, settled
from support.page_views import finish_game

pytestmark = pytest.mark.needs_debian("chromium")


def test_a_newcomer_is_welcomed_once_and_can_compare_learners(page, server):
    page.goto(f"{server.base}/")
    prompt_says(page, "Place a man")
    welcome = page.get_by_role("region", name="Welcome")
    for name in ("Play", "Puzzles", "Analysis", "Learn", "How machines learn"):
        expect(welcome).to_contain_text(name)
    welcome.get_by_role("button", name="Analysis").click()
    expect(page.get_by_role("tab", name="Analysis")).to_have_attribute("aria-selected", "true")
    welcome.get_by_role("link", name="How machines learn").click()
    page.locator("#machines-game").select_option("noughts_and_crosses")
    page.get_by_role("combobox", name="Position").select_option("One move wins")
    migo = page.get_by_role("region", name="MIGO")
    expect(migo.locator("strong").first).to_have_text("c3")
    expect(migo.get_by_label("Gives nothing away")).to_be_visible()
    expect(migo.get_by_role("button", name="Plays c3")).to_be_visible()
    table = page.get_by_role("region", name="Q-learning", exact=True)
    expect(table).to_contain_text("Gives away 2")
    expect(table.locator(".certainty")).to_have_text("exact")
    page.get_by_role("button", name="Play from here").click()
    assert status(page) == "yours"
    page.goto(f"{server.base}/")
    status(page)
    expect(welcome).to_have_count(0)


def test_learners_look_at_the_position_of_a_game(page, server, client):
    view = begin(client, "noughts_and_crosses", position="X../.XO/..O x")
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_role("link", name="How do machines see this position?").click()
    expect(page.get_by_role("combobox", name="Position")).to_have_value(view["position"])
    expect(page.get_by_role("region", name="MENACE")).to_contain_text("c3")


def test_games_are_saved_and_opened_again_by_dropping_them(page, server, client, tmp_path):
    view = begin(client, "backgammon", None, "random")
    page.goto(f"{server.base}/game/{view['id']}")
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Save to file").click()
    with page.expect_download() as saved:
        page.get_by_role("dialog").get_by_role("button", name=".txt").click()
    record = saved.value.path().read_text()
    assert "[Game " in record
    other = client.get(f"/api/games/{view['id']}/record", params={"suffix": ".pgn"})
    assert other.status_code == 422
    drop = """async ([text, name]) => {
        const dataTransfer = new DataTransfer();
        if (name) dataTransfer.items.add(new File([text], name));
        else dataTransfer.setData("text/plain", text);
        const options = { dataTransfer, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new DragEvent("dragover", options));
        const isShown = !document.getElementById("drop-target").hidden;
        document.body.dispatchEvent(new DragEvent("drop", options));
        return isShown;
    }"""
    page.goto(f"{server.base}/puzzles")
    assert page.evaluate(drop, ["not a game", "text.txt"])
    expect(page.locator("#notice")).to_contain_text("neither a game nor a position")
    expect(page.locator("#drop-target")).to_be_hidden()
    assert page.evaluate(drop, ["XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", ""])
    page.wait_for_url("**/game/*")
    prompt_says(page, "3 and 1")
    morris = client.get(f"/api/games/{begin(client, 'hexapawn')['id']}/record").json()["record"]
    assert page.evaluate(drop, [f"{record}\n{morris}", "games.txt"])
    page.wait_for_url("**/games")
    expect(page.locator("#notice")).to_contain_text("2 games imported")


def test_files_of_other_programs_are_imported(client):
    game = settled(client, begin(client, "backgammon", None, "random"))
    path = f"/api/games/{game['id']}"
    refused = client.get(f"{path}/record", params={"suffix": ".mat"}).json()
    assert "not played to its end" in refused["detail"]
    client.post(f"{path}/moves", json={"node": game["at"], "move": first_move(client, path)})
    client.post(f"{path}/resign")
    for suffix, start in ((".mat", " 0 point match"), (".sgf", "(;")):
        saved = client.get(f"{path}/record", params={"suffix": suffix}).json()["record"]
        assert saved.startswith(start)
        found = client.post("/api/imports", json={"text": saved, "game": "hexapawn"}).json()
        assert found["game"] == "backgammon"
        assert client.post("/api/games", json={"record": found["record"]}).status_code == 201
    broken = client.post("/api/imports", json={"text": "(;GM[6]oops", "game": "hexapawn"})
    assert broken.status_code == 422


def first_move(client, path):
    return analysed(client, f"{path}/evaluation")["analysis"]["moves"][0]["move"]


COUNT_TONES = """
    window.numTones = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...when) {
        window.numTones += 1;
        return start.apply(this, when);
    };
"""


TONES = 2 * 3
"""Two moves, each of which makes wood ring with three tones."""


LISTEN = """async (view) => {
    const rate = 44100, offline = new OfflineAudioContext(1, 2 * rate, rate);
    window.AudioContext = function () { return offline; };
    const { playMoveSound } = await import(`/static/sound.js?${JSON.stringify(view)}`);
    dispatchEvent(new Event("pointerdown"));
    playMoveSound(view);
    const heard = (await offline.startRendering()).getChannelData(0);
    const last = heard.findLastIndex((each) => Math.abs(each) > 0.001);
    const jumps = heard.slice(1).map((each, index) => Math.abs(each - heard[index]));
    const top = (values) => values.reduce((one, other) => Math.max(one, Math.abs(other)), 0);
    return [top(heard), last / rate, top(jumps)];
}"""
"""Peak, length and steepest step of what is heard after a move."""


def test_sounds_are_short_without_clipping_or_clicks(page, server):
    page.goto(f"{server.base}/puzzles")
    shown = {"node": 1, "outcome": None, "svg": ""}
    events = {
        "move": {"moves": [{"node": 1, "by": "person", "text": "d6"}]},
        "take": {"moves": [{"node": 1, "by": "person", "text": "d6xa1"}]},
        "mill": {"moves": [], "svg": 'class="joined"'},
        "dice": {"moves": [{"node": 1, "by": "dice", "text": "64"}]},
        "end": {"moves": [], "outcome": {}},
    }
    for name, event in events.items():
        peak, seconds, step = page.evaluate(LISTEN, {**shown, **event})
        assert 0.15 < peak < 0.5, name
        assert 0.05 < seconds < (1.3 if name in ("mill", "end") else 0.45), name
        assert step < 0.2, name


def test_playing_on_from_a_past_position_and_sound(page, server, client):
    """Going on from a past position opens a variation; moves make a sound unless it is off."""
    page.add_init_script(COUNT_TONES)
    view = begin(client, "hexapawn")
    page.set_viewport_size({"width": 2560, "height": 1440})
    page.goto(f"{server.base}/game/{view['id']}")
    moves = page.locator(".moves .move")
    for number, (start, end) in enumerate((("a1", "a2"), ("c3", "c2")), 1):
        page.locator(f'[data-place="{start}"]').click()
        page.locator(f'.place.enabled[data-place="{end}"]').click()
        expect(moves).to_have_count(number)
    assert page.evaluate("window.numTones") == TONES
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="To the beginning").click()
    prompt_says(page, "Looking back")
    page.get_by_role("button", name="Continue from here").click()
    page.locator('.place.enabled[data-place="b1"]').click()
    page.locator('.place.enabled[data-place="b2"]').click()
    expect(page.locator(".variation")).to_contain_text("b1-b2")
    assert page.evaluate("window.numTones") == TONES
    # A large screen has a large board.
    assert page.locator(".board-view > svg").bounding_box()["height"] > 1000


def test_running_work_is_found_without_an_option(page, server, client, tmp_path, monkeypatch):
    page.goto(f"{server.base}/puzzles")
    link = page.get_by_role("link", name="Running")
    expect(link).to_be_hidden()
    # As a command of the same user would do it.
    monkeypatch.setenv("XDG_DATA_HOME", str(server.folder / "data"))
    monkeypatch.setattr(runs, "UPDATE_SECONDS", 0.0)
    with announce_run("training", "menace", tmp_path), announce_run("solve", "Morris") as solve:
        with Curves(tmp_path) as curves:
            curves.add("menace", 5, {"regret": 0.25})
        solve.update(6, 12)
        page.get_by_role("link", name="My games").click()
        link.click()
        expect(page.locator(".game-list li")).to_have_count(2)
        progress = page.get_by_label("Progress of Morris")
        assert progress.evaluate("bar => bar.value / bar.max") == 0.5
        page.get_by_role("link", name="Show").click()
        expect(page.locator("figcaption")).to_contain_text("0.25 at step 5")
    assert client.get("/api/runs").json() == []


def test_curves_of_several_runs_are_drawn_over_each_other(page, server, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(server.folder / "data"))
    with announce_run("training", "two", tmp_path), Curves(tmp_path) as curves:
        for step in range(0, 100, 10):
            curves.add("first", step, {"loss": step % 20, "regret": 1})
            curves.add("second", step, {"loss": 30 - step % 20})
        page.goto(f"{server.base}/training")
        losses = page.get_by_label("Curves of loss")
        expect(losses.locator(".curve")).to_have_count(2)
        expect(losses.locator(".raw")).to_have_count(2)
        expect(losses.locator(".tick.x")).to_have_text(["0", "50"])
        expect(losses.locator(".tick.y")).to_have_text(["30", "20", "10", "0"][::-1])
        expect(page.get_by_label("Curves of regret").locator(".curve")).to_have_count(1)
        smoothed = losses.locator(".curve").first.get_attribute("d")
        page.get_by_label("Smoothing").fill("0")
        expect(losses.locator(".raw")).to_have_count(0)
        assert losses.locator(".curve").first.get_attribute("d") != smoothed


def test_mistakes_of_own_games_are_puzzles_and_all_games_are_saved(page, server, client):
    page.goto(f"{server.base}/game/{finish_game(client)}")
    status(page)
    page.get_by_role("link", name="My games").click()
    expect(page.locator(".game-list li")).to_contain_text("You against Alfie")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save all to a file").click()
    assert '[Game "hexapawn"]' in saved.value.path().read_text()
    page.get_by_role("link", name="Puzzles from these games").click()
    prompt_says(page, "From your game of Hexapawn: you played")
    expect(page.get_by_label("Difficulty")).to_be_hidden()
    page.get_by_role("button", name="Show solution").click()
    expect(page.locator('.drill[data-state="shown"]')).to_contain_text("Solution: ")
    page.get_by_role("button", name="Next puzzle").click()
    expect(page.locator(".drill .prompt")).to_contain_text("No more mistakes")


def test_puzzles_are_easy_at_first_and_next_is_the_main_button_only_after_one(page, server):
    page.goto(f"{server.base}/puzzles")
    expect(page.locator('.drill[data-state="open"]')).to_be_visible()
    expect(page.get_by_label("Difficulty")).to_have_value("1")
    following = page.get_by_role("button", name="Next puzzle")
    expect(following).not_to_have_class("primary")
    page.get_by_role("button", name="Show solution").click()
    expect(following).to_have_class("primary")
    page.get_by_label("Game").select_option("backgammon")
    prompt_says(page, "one move is clearly the best")
    page.get_by_role("button", name="Show solution").click()
    expect(page.locator(".drill .message")).to_contain_text("Every other move gives away at least")
    page.get_by_label("Find").select_option("ending")
    prompt_says(page, "one move is the best")
    page.get_by_role("button", name="Show solution").click()
    expect(page.locator(".drill .message")).to_contain_text("This is exact")


def test_a_fresh_browser_says_how_to_get_puzzles_of_its_own(page, server):
    page.goto(f"{server.base}/puzzles?own")
    expect(page.get_by_text("Play a game first")).to_be_visible()
    expect(page.locator(".drill .board-view")).to_be_hidden()


def test_a_solution_shows_what_it_takes(page, server, client):
    """White closes a mill, and takes a man."""
    view = begin(client, "nine_mens_morris", position="WW./..W/.../.....B/.../.../B.B w 0 0")
    shapes = client.get(f"/api/games/{view['id']}/advice", params={"node": 0}).json()["svg"]
    assert ">takes<" in shapes


@pytest.mark.parametrize(
    ("game", "rule"),
    [
        ("hexapawn", "A side that has no move loses."),
        ("nine_mens_morris", "A position that comes 3 times is a draw."),
    ],
)
def test_the_page_opens_games_with_the_rules_that_people_know(page, server, game, rule):
    """Gardner's, and those of playing sites."""
    page.goto(f"{server.base}/new?game={game}")
    expect(page.locator(".game-area")).to_be_attached()
    page.get_by_role("button", name="Rules").click()
    expect(page.get_by_role("dialog")).to_contain_text(rule)


@pytest.mark.parametrize(("rules", "names"), [("standard", ("Bill", "Tess")), ("money", ("Hugo",))])
def test_the_first_opponent_of_backgammon_suits_a_beginner(page, server, rules, names):
    """Which one depends on what is installed; those of experts are not the first."""
    page.goto(f"{server.base}/new?game=backgammon&rules={rules}")
    expect(page.locator(".seat-cards strong").nth(1)).to_be_visible()
    assert page.locator(".seat-cards strong").nth(1).inner_text() in names
