"""The parts of the server on their own: workers that hang, games that are kept, puzzles."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import files

import pytest

from ludus.analysis.analyst import Analyst
from ludus.arena.jobs import GameConditions, GameResult
from ludus.arena.result_store import ResultStore as Results
from ludus.arena.tournament import read_tournament
from ludus.core.errors import LudusError
from ludus.games import game as named_game
from ludus.games.move_entry import get_move_entry
from ludus.oracles.selection import oracle as find_oracle
from ludus.web import opponents, worker
from ludus.web.analysis import describe_move_value
from ludus.web.errors import WorkerUnavailable
from ludus.web.evaluations import _make_analyst, load_analyst, prepare_analyst
from ludus.web.game_tree import PERSON, GameTree
from ludus.web.middleware import RateLimiter
from ludus.web.puzzles import GRADES, make_puzzle
from ludus.web.settings import Settings
from ludus.web.store import BadGameFile, GameStore
from ludus.web.worker_pool import ProcessPool, WorkerPool
from support.engines import children
from support.games import VARIANTS
from support.page_server import Server, begin, places_of, touch
from support.repetition import repeat
from support.stored_games import run_apart
from support.waiting import PATIENCE

STRENGTHS = files("ludus.web").joinpath("strengths.json")

START = {"game": "nine_mens_morris", "rules": "", "start": "start", "moves": []}


def with_pool(work, max_seconds=60.0, max_queued_jobs=10):
    async def run():
        pool = ProcessPool(1, max_seconds, max_queued_jobs)
        try:
            return await work(pool)
        finally:
            await pool.close()

    return run_apart(run())


def choose(player, **more):
    return {"job": "choose", **START, "player": player, "seed": 1, **more}


ENDLESS = choose("negascout:nodes=1000000000000")


def test_a_worker_answers_and_says_what_is_wrong():
    async def work(pool):
        answer = await pool.run(choose("newbie"))
        with pytest.raises(LudusError, match="there is no player 'nobody'"):
            await pool.run(choose("nobody"))
        return answer

    assert with_pool(work)["move"] in {
        str(m) for m in named_game(START["game"]).start().legal_moves()
    }


def test_a_search_is_hurried_and_still_moves(monkeypatch):
    monkeypatch.setattr("ludus.web.worker_pool.GRACE_SECONDS", PATIENCE)

    async def work(pool):
        await pool.run(choose("newbie"))
        now = asyncio.Event()
        pending = asyncio.create_task(pool.run(ENDLESS, now))
        await asyncio.sleep(0)
        now.set()
        return await pending

    assert with_pool(work)["move"]


def test_a_cancelled_task_makes_room_for_the_next():
    async def work(pool):
        pending = asyncio.create_task(pool.run(ENDLESS))
        await asyncio.sleep(0.3)
        pending.cancel()
        return await pool.run(choose("newbie"))

    assert with_pool(work)["move"]


@pytest.mark.slow
def test_one_that_does_not_stop_is_killed(monkeypatch):
    """A playout player hears nobody; its process is ended, and a new one answers."""
    endless = choose("playouts:games=100000000")

    monkeypatch.setattr("ludus.web.worker_pool.GRACE_SECONDS", 0.5)

    async def work(pool):
        with pytest.raises(WorkerUnavailable, match="in time"):
            await pool.run(endless)
        pool._max_seconds = PATIENCE  # the new one starts first, which may take its time
        return await pool.run(choose("newbie"))

    assert with_pool(work, max_seconds=1.0)["move"]


def test_only_so_many_wait():
    """Of one client the job that waits longest is refused, since the newest is first."""

    async def work(pool):
        pending = [asyncio.create_task(pool.run(ENDLESS)) for _ in range(3)]
        await asyncio.sleep(0)
        newest = asyncio.create_task(pool.run(choose("newbie")))
        with pytest.raises(WorkerUnavailable, match="busy"):
            await pending[1]
        pending[0].cancel()
        assert (await newest)["move"]
        pending[2].cancel()
        await asyncio.gather(*pending, return_exceptions=True)

    with_pool(work, max_queued_jobs=2)


@pytest.mark.slow
def test_a_killed_server_loses_no_game(tmp_path):
    server = Server(tmp_path)
    try:
        with server.client() as client:
            views = []
            for number in range(repeat(4, 20)):
                view = begin(client, "nine_mens_morris", None, "newbie", seed=number)
                for place in ("d6", "f4", "b4")[: number % 4]:
                    if place in places_of(view):
                        view = touch(client, view, place)
                views.append(view)
        server.kill_to_start_again()
        server.start()
        with server.client() as client:
            for view in views:
                again = client.get(f"/api/games/{view['id']}").json()
                assert again["moves"] == view["moves"]
                assert again["position"] == view["position"]
                assert touch(client, again, places_of(again)[0])["id"] == view["id"]
        assert server.stop() == 0
    finally:
        if server.process.poll() is None:
            server.kill()


@pytest.mark.parametrize("content", [b"not a database" * 100, b""])
def test_files_of_others_are_left_alone(tmp_path, content):
    path = tmp_path / "games.sqlite"
    if content:
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE theirs (x)")
        connection.close()
    before = path.read_bytes()
    with pytest.raises(BadGameFile, match=r"cannot use|is not a file of games"):
        GameStore(path, max_games=3)
    assert path.read_bytes() == before


def test_a_tree_remembers_what_was_tried():
    game = named_game("hexapawn")
    tree = GameTree(game, game.start())
    first = tree.add(0, game.parse_move("a1-a2", game.start()), PERSON)
    other = tree.add(0, game.parse_move("b1-b2", game.start()), PERSON)
    assert tree.add(0, first.move, PERSON) is first
    tree.go_to(other.number)
    tree.go_to(0)
    assert [node.number for node in tree.full_path()] == [0, other.number]
    copy = GameTree(game, game.start())
    copy.add_line(tree.record_line(), 0, limit=10)
    assert [node.move for node in copy.nodes] == [node.move for node in tree.nodes]
    with pytest.raises(LudusError, match="at most"):
        GameTree(game, game.start()).add_line(tree.record_line(), 0, limit=2)


@pytest.mark.parametrize(
    ("name", "rules", "kind", "grades"),
    [
        ("nine_mens_morris", "", "win", GRADES),
        ("nine_mens_morris", "", "hold", GRADES),
        ("hexapawn", "four", "win", (1,)),
        ("noughts_and_crosses", "", "hold", (1,)),
    ],
)
def test_puzzles_have_one_solution_and_the_same_seed_gives_the_same(name, rules, kind, grades):
    game = named_game(name, rules)
    oracle = find_oracle(game)
    for grade in grades:
        for seed in range(repeat(1, 2)):
            job = {"game": name, "rules": rules, "kind": kind, "grade": grade, "seed": seed}
            puzzle = make_puzzle(job)
            rated = oracle.rate_moves(game.parse(puzzle["position"]))
            best = [each for each in rated if each.value == rated[0].value]
            assert str(best[0].move) == puzzle["solution"]
            # A mill that wins may take any man.
            assert len({get_move_entry(game).paths(each.move) for each in best}) == 1
            assert rated[0].value == ("win" if kind == "win" else "draw")
            assert len(rated) >= 3
            assert make_puzzle(job) == puzzle


@pytest.mark.parametrize("kind", ["best", "ending"])
def test_puzzles_of_backgammon_have_a_move_that_is_clearly_the_best(kind):
    game = named_game("backgammon")
    oracle, analyst = find_oracle(game), Analyst(game)
    for grade in GRADES:
        job = {"game": "backgammon", "rules": "", "kind": kind, "grade": grade, "seed": 5}
        puzzle = make_puzzle(job)
        position = game.parse(puzzle["position"])
        best, *others = analyst.analyse(position).moves
        margin = best.evaluation.points - others[0].evaluation.points
        assert str(best.move) == puzzle["solution"]
        assert puzzle["margin"] == pytest.approx(margin, abs=1e-3)
        assert margin >= (0.04 if kind == "ending" else 0.08)
        assert oracle.has_value(position) == (kind == "ending") == (puzzle["source"] == "")
        if kind == "ending":
            first, second, *_ = oracle.rate_moves(position)
            assert (str(first.move), first.equity - second.equity) == (
                puzzle["solution"],
                pytest.approx(margin),
            )


def test_a_flood_is_stopped_and_others_are_not():
    buckets = RateLimiter(rate=0.001, burst=5)
    assert [buckets.allow("a") for _ in range(7)] == [True] * 5 + [False] * 2
    assert buckets.allow("b")


def test_a_tournament_is_shown_while_it_runs(tmp_path):
    plan_file = tmp_path / "league.toml"
    plan_file.write_text('game = "hexapawn"\nplayers = ["random", "playouts"]\ngames = 4\n')
    job = {"plan": str(plan_file), "store": str(tmp_path / "league.sqlite")}
    assert worker.load_standings(job) == {"tournaments": []}
    plan = read_tournament(plan_file)
    with Results(tmp_path / "league.sqlite") as store:
        store.begin(plan)
        first = next(iter(plan.schedule()))
        store.add(GameResult(first.key, 1, "crossed", "", 5, 0.1, ""))
    [found] = worker.load_standings(job)["tournaments"]
    assert (found["name"], found["games"], found["planned"]) == ("league", 1, 4)
    assert {each["player"] for each in found["players"]} == {"random", "playouts"}
    assert isinstance(plan.conditions, GameConditions)


def test_curves_are_read_while_they_are_written(tmp_path):
    lines = [
        json.dumps({"step": step, "name": "loss", "value": 1 / (step + 1)}) for step in range(2000)
    ]
    torn = ['{"step": 1, "na', "null", "[1]", '{"step": "x", "name": 1, "value": 2}', "\x00\ud7ff"]
    nan = '{"step": 5, "name": "loss", "value": NaN}'
    (tmp_path / "run.jsonl").write_text("\n".join([*lines, nan, *torn]))
    (tmp_path / "other.txt").write_text("not a curve")
    [curve] = worker.load_curves({"folder": str(tmp_path)})["curves"]
    assert curve["name"] == "run: loss"
    assert len(curve["steps"]) <= 400
    assert (curve["steps"][-1], curve["values"][-1]) == (1999, 1 / 2000)
    with pytest.raises(LudusError, match="cannot read"):
        worker.load_curves({"folder": str(tmp_path / "other.txt" / "x")})


def test_players_get_ready_once_and_before_the_first_move():
    """Failures are reported to the person who plays, and are not cached as an answer."""

    async def run():
        workers = WorkerPool(Settings())
        await workers.start()
        try:
            for name in ("newbie", "newbie", "nobody"):
                workers.warm_up({**START, "player": name})
            waiting = list(workers._warming_up.values())
            await asyncio.gather(*waiting)
            workers.warm_up({**START, "player": "newbie"})
            return len(waiting), set(workers._seconds), dict(workers._warming_up)
        finally:
            await workers.close()

    num_requests, known, waiting = run_apart(run())
    assert (num_requests, known, waiting) == (2, {("nine_mens_morris", "", "newbie")}, {})


def test_strengths_are_shown_with_their_margins():
    game = named_game("backgammon")
    measured = json.loads(STRENGTHS.read_text())["backgammon"]
    assert "others are measured" in opponents.describe_strength(game, "pubeval")
    for spec in measured.keys() - {"pubeval"}:
        found, report = measured[spec], opponents.describe_strength(game, spec)
        assert f"of {found['games']} games against {found['against']}" in report
        assert "±" in report
    assert (
        opponents.describe_strength(named_game("backgammon", "hyper"), "playouts") == "not measured"
    )
    assert opponents.describe_strength(game, "nobody") == "not measured"
    for preset in ("money", "tournament"):
        report = opponents.describe_strength(named_game("backgammon", preset), "random")
        assert "against GNU Backgammon, with the cube: −2." in report


def test_opponents_stand_in_order_of_strength():
    found = opponents.list_opponents({"game": "nine_mens_morris", "rules": ""})["players"]
    elos = [int(each["strength"].split()[1]) for each in found if "Elo" in each["strength"]]
    assert elos == sorted(elos)
    assert len(elos) > 5


def test_players_of_morris_play_with_either_repetition():
    first, third = (
        opponents.list_opponents({"game": "nine_mens_morris", "rules": rules})["players"]
        for rules in ("", "threefold")
    )
    assert first == third


def test_the_proof_about_an_opponent_is_mentioned_with_usual_rules_only():
    def introduce(rules):
        found = opponents.list_opponents({"game": "nine_mens_morris", "rules": rules})["players"]
        return {each["name"]: each["text"] for offer in found for each in offer["personas"]}

    proved = (
        "it is proved that Nils cannot lose, with either colour, to an opponent that never gives"
    )
    assert proved in introduce("")["Nils"]
    assert "proved" not in " ".join(introduce("lasker").values())


def test_the_player_of_a_paper_is_offered_with_the_rules_of_the_paper_only():
    for rules, is_offered in (("", False), ("vrajitoru", True)):
        found = opponents.list_opponents({"game": "nine_mens_morris", "rules": rules})["players"]
        (fuzzy,) = (each for each in found if each["name"] == "fuzzy")
        offered = {"preset": "paper"} in [each["choices"] for each in fuzzy["personas"]]
        assert offered == is_offered


def test_the_value_of_a_move_has_a_sign_and_moves_are_counted():
    game = named_game("nine_mens_morris")
    values = [(None, -0.151, None), (None, -0.001, None), ("win", 1, 5), ("loss", -1, 2)]
    texts = [
        describe_move_value(game, {"value": value, "points": points, "depth": depth})
        for value, points, depth in values
    ]
    assert texts == ["−0.15", "+0.00", "wins in 3 moves", "loses in 1 move"]


@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_every_game_says_how_it_is_played(name, preset):
    game = named_game(name, preset)
    sentences = get_move_entry(game).describe_rules()
    assert len(sentences) >= 2
    assert all(each[0].isupper() and each.endswith(".") for each in sentences)


def test_rules_use_common_words():
    assert "down or diagonally" in " ".join(
        get_move_entry(named_game("noughts_and_crosses")).describe_rules()
    )


def test_the_rules_that_are_shown_are_those_that_are_played():
    report = {
        preset: " ".join(get_move_entry(named_game("nine_mens_morris", preset)).describe_rules())
        for preset in ("standard", "vrajitoru", "lasker", "morabaraba")
    }
    assert "9 men" in report["standard"]
    assert "jump" in report["standard"]
    assert "jump" not in report["vrajitoru"]
    assert "10 men. In turn, place one of them on a free point, or move" in report["lasker"]
    assert "A full board is a draw." in report["morabaraba"]


def test_only_players_that_can_play_these_rules_are_offered():
    """Players with tables and networks for small boards are not offered for large ones."""
    found = opponents.list_opponents({"game": "hexapawn", "rules": "size=8"})["players"]
    names = {each["name"] for each in found}
    assert {"random", "playouts"} <= names
    assert not names & {"deepq", "menace", "her", "qlearning"}


def test_a_worker_with_too_much_memory_is_replaced(monkeypatch):
    async def work(pool):
        before = children()
        await pool.run(choose("newbie"))
        first = children() - before
        monkeypatch.setattr("ludus.web.worker_pool.MAX_WORKER_BYTES", 1)
        assert (await pool.run(choose("newbie")))["move"]
        assert not children() - before
        monkeypatch.undo()
        assert (await pool.run(choose("newbie")))["move"]
        return first, children() - before

    first, second = with_pool(work)
    assert len(first) == len(second) == 1
    assert first != second


@pytest.mark.parametrize("name", ["hexapawn", "backgammon"])
def test_an_analyst_can_be_loaded_in_advance(name):
    """Step by step until no position is left, also where the first move is a roll."""
    _make_analyst.cache_clear()
    job = {"game": name, "rules": ""}
    total = prepare_analyst({**job, "number": 0})["positions"]
    assert total > 0
    assert prepare_analyst({**job, "number": total}) == {"positions": total}
    analyst = load_analyst(name, "")
    assert _make_analyst.cache_info().hits == 2
    assert analyst.game.id == name


def test_a_review_need_not_wait_until_its_analyst_is_loaded():
    """Loading stops for it, and begins again with the next game."""
    job = {**START, "game": "hexapawn", "start": str(named_game("hexapawn").start())}

    async def work():
        workers = WorkerPool(Settings(num_slow_workers=1))
        await workers.start()
        try:
            workers.warm_up_analyst("hexapawn", "")
            (loading,) = workers._warming_up.values()
            found = await workers.review(job)
            assert loading.cancelled()
            workers.warm_up_analyst("hexapawn", "")
            (loading,) = workers._warming_up.values()
            await loading
            workers.warm_up_analyst("hexapawn", "")
            return found, dict(workers._warming_up)
        finally:
            await workers.close()

    found, loading = run_apart(work())
    assert len(found["review"]["evaluations"]) == 1
    assert loading == {}


SERVER = """
import asyncio, os
from ludus.web.worker_pool import ProcessPool

async def serve():
    pool = ProcessPool(1, 60, 10)
    job = {"game": "nine_mens_morris", "rules": "", "start": "start", "moves": []}
    print(len((await pool.run({"job": "evaluate", **job}))["analysis"]["moves"]), flush=True)
    os._exit(0)

asyncio.run(serve())
"""


def test_a_worker_whose_server_was_killed_ends_quietly():
    """Its input is closed; what it holds of native code is not reported as a leak."""
    done = subprocess.run(
        [sys.executable, "-c", SERVER], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    # The worker has the standard error of the server, so it has ended when `run` returns.
    assert (done.stdout, done.stderr) == ("24\n", "")
