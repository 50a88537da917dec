"""Cube, match score, money sessions, resignations and confirmed moves, as the server has them."""

from support.page_server import begin, places_of, settled, touch

LAST_MEN = "1:1,off:14 1:2,off:13 0 cube"
"""White bears off its last man with any roll."""


def refuse(client, view, action, body):
    answer = client.post(f"/api/games/{view['id']}/{action}", json=body)
    assert answer.status_code == 409, answer.text
    return answer.json()["detail"]


def play_out(client, view):
    while view["status"] == "yours":
        view = touch(client, view, places_of(view)[0])
    return view


def test_the_points_of_a_money_session_are_added_up(client):
    first = begin(client, "backgammon", rules="money", position=LAST_MEN)
    assert first["stakes"]["score"] == [0, 0]
    assert first["stakes"]["jacoby"]
    order = {"game": "backgammon", "rules": "money", "continues": first["id"]}
    answer = client.post("/api/games", json=order)
    assert (answer.status_code, "over" in answer.json()["detail"]) == (409, True)
    view = touch(client, touch(client, first, "double"), "take")
    view = play_out(client, view)
    assert view["outcome"]["points"] == 2
    assert view["stakes"] | {"score": [2, 0], "cube": 2, "owner": 1} == view["stakes"]
    second = begin(client, "backgammon", rules="money", position=LAST_MEN, continues=first["id"])
    assert (second["stakes"]["game_number"], second["stakes"]["score"]) == (2, [2, 0])
    view = touch(client, touch(client, second, "double"), "drop")
    assert view["outcome"] == {"winner": 0, "reason": "dropped", "points": 1}
    assert view["stakes"]["score"] == [3, 0]
    # Those who change sides take their points with them.
    seats = [{"player": "random"}, {"player": None}]
    third = begin(client, "backgammon", rules="money", position=LAST_MEN)
    third = client.post(f"/api/games/{third['id']}/seats", json={"seats": seats[::-1]}).json()
    ended = play_out(client, touch(client, third, "roll"))
    assert ended["stakes"]["score"] == [1, 0]
    swapped = begin(
        client, "backgammon", rules="money", position=LAST_MEN, seats=seats, continues=third["id"]
    )
    assert swapped["stakes"]["score"] == [0, 1]
    other = begin(client, "hexapawn")
    order = {"game": "hexapawn", "continues": other["id"]}
    assert client.post("/api/games", json=order).status_code == 409


def test_a_match_shows_its_score_and_the_crawford_game(client):
    start = "24:2,13:5,8:3,6:5 24:2,13:4,8:4,6:5 0 cube 1 6-2/7/crawford"
    view = begin(client, "backgammon", rules="tournament", position=start)
    expected = {"match": 7, "score": [6, 2], "crawford": True, "cube": None, "game_number": 0}
    assert view["stakes"] | expected == view["stakes"]
    assert "double" not in places_of(view)
    assert begin(client, "backgammon")["stakes"] is None


LOST = "23:15 1:2,off:13 0 21"
"""White has brought nobody home, and Black bears off its last men: a backgammon."""


def test_a_player_refuses_a_resignation_that_is_too_small(client):
    view = settled(client, begin(client, "backgammon", None, "gammon", position=LOST))
    assert view["resignations"] == ["a single game", "a gammon", "a backgammon"]
    assert refuse(client, view, "resign", {"level": 1}).startswith("Black plays on: it expects")
    assert client.get(f"/api/games/{view['id']}").json()["status"] == "yours"
    ended = client.post(f"/api/games/{view['id']}/resign", json={"level": 3}).json()
    assert ended["outcome"] == {"winner": 1, "reason": "resigned_backgammon", "points": 3}
    # Two persons agree among themselves.
    view = begin(client, "backgammon", position=LOST)
    ended = client.post(f"/api/games/{view['id']}/resign").json()
    assert ended["outcome"] == {"winner": 1, "reason": "resigned", "points": 1}
    # Before a roll there is nothing that a player could judge.
    view = settled(client, begin(client, "backgammon", None, "gammon", seed=3))
    client.post(f"/api/games/{view['id']}/at", json={"node": 0})
    assert "after the roll" in refuse(client, view, "resign", {"level": 1})
    other = begin(client, "hexapawn")
    assert other["resignations"] == []
    assert "no such choice" in refuse(client, other, "resign", {"level": 2})
    money = begin(client, "backgammon", rules="money", position=LAST_MEN)
    assert "before the roll" in refuse(client, money, "resign", {"level": 1})


def test_how_a_move_goes_on_can_be_requested(client):
    """Of a double not all ways are listed at once; what is requested later says the same."""
    view = begin(client, "backgammon", position="24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 11")
    path, entry = f"/api/games/{view['id']}/entry", view["entry"]
    target = entry["states"][0]["next"]["8"]["7"]
    later = client.get(path, params={"touched": ["8", "7"]}).json()
    assert set(later["states"][0]["next"]) == set(entry["states"][target]["next"])
    assert later["states"][0]["dice_left"] == entry["states"][target]["dice_left"] == [1, 1, 1]
    assert later["moves"] == entry["moves"]
    last = client.get(path, params={"touched": ["8", "7", "7", "6", "6", "5"]}).json()
    assert len(last["states"]) == 1
    assert client.get(path, params={"touched": ["8", "2"]}).status_code == 422


def test_the_opening_roll_is_reported_to_the_side_that_won_it(client):
    reports = {begin(client, "backgammon", seed=seed)["told"] for seed in range(8)}
    assert all("won the opening roll" in each for each in reports)
    assert {each.split()[0] for each in reports} == {"White", "Black"}


def test_an_evaluation_has_chances_and_the_cube(client):
    view = begin(client, "backgammon", rules="money", position=LAST_MEN)
    found = client.get(f"/api/games/{view['id']}/evaluation").json()
    assert found["details"][0].startswith("Wins 100.0%")
    assert found["details"][1].startswith("Cube: ")
    assert "no double +1.000" in found["details"][1]
    other = begin(client, "hexapawn")
    assert client.get(f"/api/games/{other['id']}/evaluation").json()["details"] == []


def test_a_review_rates_both_sides_and_their_luck(client):
    start = "6:2,5:1,off:12 6:3,4:1,off:11 0 cube"
    view = begin(client, "backgammon", rules="money", position=start)
    view = touch(client, touch(client, view, "double"), "drop")
    review = client.get(f"/api/games/{view['id']}/review").json()
    kinds = [point["move"] and point["move"]["kind"] for point in review["points"]]
    assert kinds == [None, "double", "take"]
    view = begin(client, "backgammon", position="6:2,5:1,off:12 6:3,4:1,off:11 0 31")
    view = play_out(client, view)
    review = client.get(f"/api/games/{view['id']}/review").json()
    lucks = [point["luck"] for point in review["points"] if point["luck"] is not None]
    assert lucks
    summaries = [side["summary"] for side in review["sides"]]
    for summary in summaries:
        assert summary["performance_rating"] is None or summary["performance_rating"] >= 0
    total = sum(summary["luck"] for summary in summaries)
    assert abs(total - sum(lucks)) < 0.001 * len(lucks)
    morris = begin(client, "hexapawn")
    play_out(client, morris)
    assert client.get(f"/api/games/{morris['id']}/review").json()["sides"][0]["summary"] is None
