"""The server as programs see it: every request answered, every bad one refused in one line."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ludus.core.record import Record
from support.drawings import texts
from support.page_server import analysed, begin, places_of, settled, touch
from support.repetition import repeat
from support.waiting import PATIENCE

EXAMPLES = settings(
    max_examples=repeat(5, 10),
    deadline=None,
    phases=(Phase.generate,),
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_answers_are_as_described(server):
    """Whatever is asked, the answer has a status and a form that the description names."""
    import schemathesis
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    schema = schemathesis.openapi.from_url(f"{server.base}/api/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 15
    for operation in operations:

        @EXAMPLES
        @given(case=operation.as_strategy())
        def ask(case):
            case.call_and_validate(excluded_checks=[positive_data_acceptance], timeout=PATIENCE)

        ask()


def test_the_description_names_every_address(client):
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {"/api/kinds", "/api/games", "/api/games/{id}/entry", "/api/puzzles"} <= set(paths)
    for methods in paths.values():
        for described in methods.values():
            assert described["description"]


def test_headers_are_strict(client):
    for address in ("/", "/static/main.js", "/api/kinds", "/nowhere"):
        headers = client.get(address).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_scripts_are_sent_compressed(client):
    assert client.get("/static/main.js").headers["content-encoding"] == "gzip"
    plain = client.get("/static/main.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


def test_a_game_is_played_by_touching(client):
    view = begin(client, "nine_mens_morris", None, "newbie")
    assert view["prompt"] == "Place a man on a free point"
    view = touch(client, view, "d6")
    assert view["status"] == "yours"
    assert [move["text"] for move in view["moves"]][1] == "d6"
    assert view["told"].startswith("Bea placed")


def test_moves_in_any_notation(client):
    view = begin(client, "nine_mens_morris")
    answer = client.post(f"/api/games/{view['id']}/moves", json={"node": 0, "move": "D6"})
    assert answer.status_code in (200, 422)
    answer = client.post(
        f"/api/games/{view['id']}/moves", json={"node": answer.json().get("at", 0), "move": "f4"}
    )
    assert answer.status_code == 200


def test_the_record_has_everything_that_was_tried(client):
    view = begin(client, "hexapawn")
    for move in ("a1-a2", "b3xa2"):
        body = {"node": view["at"], "move": move}
        view = client.post(f"/api/games/{view['id']}/moves", json=body).json()
    client.post(f"/api/games/{view['id']}/remarks", json={"node": 1, "text": "bold"})
    client.post(f"/api/games/{view['id']}/at", json={"node": 0})
    client.post(f"/api/games/{view['id']}/moves", json={"node": 0, "move": "b1-b2"})
    text = client.get(f"/api/games/{view['id']}/record").json()["record"]
    record = Record.parse(text)
    first = record.line.moves[0]
    assert (first.move, first.comment) == ("a1-a2", "bold")
    assert first.variations[0].moves[0].move == "b1-b2"
    again = begin(client, "hexapawn", record=text)
    assert client.get(f"/api/games/{again['id']}/record").json()["record"] == text


def test_variations_keep_their_dice(client):
    view = begin(client, "backgammon")
    roll = next(move["text"] for move in view["moves"] if move["by"] == "dice")
    first = touch_any(client, view)
    dice = [move["text"] for move in first["moves"] if move["by"] == "dice"]
    back = client.post(f"/api/games/{view['id']}/back").json()
    again = touch_any(client, back)
    assert [move["text"] for move in again["moves"] if move["by"] == "dice"] == dice
    assert dice[0] == roll


def touch_any(client, view):
    """Play some move by touching the first places."""
    at = view["at"]
    while view["at"] == at:
        view = touch(client, view, places_of(view)[0])
    return view


def test_an_evaluation_knows_what_each_move_costs(client):
    view = begin(client, "noughts_and_crosses", position="XX./OO./... x")
    found = analysed(client, f"/api/games/{view['id']}/evaluation")["analysis"]
    assert (found["value"], found["depth"], found["certainty"]) == ("win", 1, "exact")
    costs = {each["move"]: each["cost"] for each in found["moves"]}
    assert costs["c3"] == 0
    assert costs["a1"] > 0
    advice = analysed(client, f"/api/games/{view['id']}/advice")
    assert (advice["exact"], advice["moves"][0]["move"]) == (True, "c3")


def test_where_nothing_is_solved_a_player_advises(client):
    view = begin(client, "nine_mens_morris")
    advice = analysed(client, f"/api/games/{view['id']}/advice")
    assert (advice["exact"], advice["by"]) == (False, "scholar")
    assert advice["text"].startswith("Draw (confident). Of 24 equal moves")
    evaluation = analysed(client, f"/api/games/{view['id']}/evaluation")
    found = evaluation["analysis"]
    assert (found["certainty"], evaluation["share"], len(found["moves"])) == ("likely", 0.5, 24)
    assert found["line"][0] == found["moves"][0]["move"] == advice["moves"][0]["move"]


def test_a_review_finds_the_mistake(client):
    view = begin(client, "noughts_and_crosses", position="XX./OO./... x")
    body = {"node": 0, "move": "a1"}
    view = client.post(f"/api/games/{view['id']}/moves", json=body).json()
    review = analysed(client, f"/api/games/{view['id']}/review")
    assert [point["move"] and point["move"]["cost"] for point in review["points"]] == [None, 2]
    assert [point["share"] for point in review["points"]] == [1.0, 0.0]
    moves = client.get(f"/api/games/{view['id']}").json()["moves"]
    assert [move["mark"] for move in moves] == [None, "??"]
    made = review["points"][1]["move"]
    assert (made["best"], made["certainty"]) == ("c3", "exact")
    assert made["reason"] == ("a1 turns a win into a loss: c3 wins at once.")


def test_explanations_are_written_and_drawn(client):
    view = begin(client, "noughts_and_crosses", None, "playouts")
    view = touch(client, view, "b2")
    assert view["thought"]["comment"]
    assert len(view["thought"]["scores"]) == 8
    [scores] = client.get(f"/api/games/{view['id']}/pictures").json()
    assert scores["title"] == "Its scores"
    # The board as it was before the move, with a number on every square that was free.
    assert scores["svg"].count('class="tagged"') == 8
    assert "nought" not in scores["svg"].partition("<desc>")[2].partition("</desc>")[2]
    assert client.get(f"/api/games/{view['id']}/pictures", params={"node": 1}).json() == []


def test_hints_lie_on_the_board_with_what_they_cost(client):
    view = begin(client, "noughts_and_crosses", position="XX./OO./... x")
    svg = analysed(client, f"/api/games/{view['id']}/advice")["svg"]
    # One move wins; blocking draws; with any other the game is lost.
    assert sorted(texts(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>', "tagged")) == [
        "draws",
        "loses",
        "loses",
        "wins",
    ]


@pytest.mark.parametrize("game", ["nine_mens_morris", "backgammon"])
def test_hints_where_nothing_is_solved_lie_on_the_board_too(client, game):
    view = begin(client, game)
    svg = analysed(client, f"/api/games/{view['id']}/advice")["svg"]
    assert {"1", "draws"} & set(
        texts(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>', "tagged")
    )


def test_backgammon_is_arranged_with_bar_and_dice(client):
    body = {
        "game": "backgammon",
        "men": {"6": {"side": 0, "count": 5}, "bar": {"side": 0}, "19": {"side": 1, "count": 4}},
        "hands": [1, 2],
        "dice": [2, 5],
        "mover": 1,
    }
    found = client.post("/api/arrangements", json=body).json()
    assert found["position"] == "bar:2,6:5,off:8 bar:2,6:4,off:9 1 52"
    assert (found["problem"], found["hands"], found["dice"]) == ("", [2, 2], [5, 2])
    assert "bar" not in found["men"]
    again = {"game": "backgammon", **{key: found[key] for key in ("men", "hands", "dice", "mover")}}
    assert client.post("/api/arrangements", json=again).json() == found
    view = begin(client, "backgammon", position=found["position"])
    assert (places_of(view), view["mover"]) == (["bar"], 1)
    crowded = client.post("/api/arrangements", json={**body, "hands": [15, 15]}).json()
    assert crowded["problem"]


def test_opponents_are_those_of_the_registry(client):
    found = client.get("/api/opponents", params={"game": "nine_mens_morris"}).json()
    named = {each["name"]: each for each in found}
    assert {"random", "playouts", "negascout", "perfect"} <= set(named)
    assert named["negascout"]["levels"] == 10
    assert len(named["negascout"]["strengths"]) == 10
    assert "Elo" in named["focused"]["strength"]
    # One that runs a program has to be told which, and no request can.
    assert "external" not in named
    others = client.get("/api/opponents", params={"game": "backgammon"}).json()
    assert "negascout" not in {each["name"] for each in others}


def test_positions_are_read_and_written_in_every_notation(client):
    start = client.post("/api/positions", json={"game": "backgammon"}).json()
    for text in start["texts"].values():
        body = {"game": "backgammon", "position": text}
        assert client.post("/api/positions", json=body).status_code == 200
    assert set(start["texts"]) == {"Ludus", "GNU Backgammon", "XGID"}


def test_arrangements_are_drawn_even_where_nobody_can_play_them(client):
    for game in ("nine_mens_morris", "backgammon", "noughts_and_crosses", "hexapawn"):
        begun = client.post("/api/arrangements", json={"game": game}).json()
        men = {"game": game, "men": begun["men"], "hands": begun["hands"], "mover": 0}
        again = client.post("/api/arrangements", json=men).json()
        assert (again["svg"], again["problem"]) == (begun["svg"], begun["problem"])
    alone = {"game": "nine_mens_morris", "men": {"d6": {"side": 0}}}
    found = client.post("/api/arrangements", json=alone).json()
    assert "a white man" in found["labels"]["d6"]
    assert found["problem"]
    nowhere = {"game": "nine_mens_morris", "men": {"z9": {"side": 0}}}
    assert client.post("/api/arrangements", json=nowhere).status_code == 422


def test_seats_can_be_changed_in_the_middle(client):
    view = begin(client, "nine_mens_morris")
    seats = {"seats": [{"player": "newbie"}, {}]}
    view = settled(client, client.post(f"/api/games/{view['id']}/seats", json=seats).json())
    assert (view["mover"], view["status"]) == (1, "yours")


def test_a_player_that_thinks_can_be_hurried_and_taken_back(client):
    """Levels end at ten; a search with a long time limit is not to be had from a request."""
    view = begin(client, "nine_mens_morris", None, "negascout")
    body = {"node": 0, "move": "d6"}
    thinking = client.post(f"/api/games/{view['id']}/moves", json=body).json()
    # On a busy machine the player may have moved before the view is drawn.
    assert thinking["status"] in ("thinking", "yours")
    back = client.post(f"/api/games/{view['id']}/back").json()
    assert (back["status"], back["at"]) == ("yours", 0)
    client.post(f"/api/games/{view['id']}/moves", json={**body, "move": "f4"})
    client.post(f"/api/games/{view['id']}/hurry")
    assert settled(client, thinking)["status"] == "yours"


def test_a_money_game_is_doubled_and_resigned_on_the_page(client):
    start = "24:2,13:5,8:3,6:5 24:2,13:4,8:4,6:5 0 cube"
    view = begin(client, "backgammon", rules="money", position=start)
    assert set(places_of(view)) == {"roll", "double", "resign"}
    assert "roll, or double to 2" in view["prompt"]
    view = touch(client, view, "double")
    assert set(places_of(view)) == {"take", "drop"}
    view = touch(client, view, "take")
    assert view["position"].endswith(" 2@1")
    while places_of(view) and "roll" not in places_of(view):
        view = touch(client, view, places_of(view)[0])
    view = touch(client, touch(client, view, "resign_gammon"), "accept")
    assert view["outcome"] == {"winner": 0, "reason": "resigned_gammon", "points": 4}


def test_only_players_that_know_the_cube_are_offered_for_money(client):
    for rules, knows_tool in (("", True), ("money", False)):
        query = {"game": "backgammon", "rules": rules}
        found = client.get("/api/opponents", params=query).json()
        names = {each["name"] for each in found}
        assert ("tool" in names) == knows_tool
        assert "random" in names
