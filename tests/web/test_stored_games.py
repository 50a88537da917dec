"""Games and their file: a full disk, damage, strangers' files, two servers, and too many games."""

import asyncio
import random
import sqlite3
from contextlib import closing

import pytest

from ludus.core.errors import LudusError
from ludus.core.movetext import MAX_DEPTH
from ludus.web import game_record, replies, worker_cache
from ludus.web.errors import LimitReached, OutOfTurn
from ludus.web.game_record import Pace
from ludus.web.game_tree import PERSON, PLAYER, RECORD
from ludus.web.job_queue import current_client
from ludus.web.seats import LearnedSpecs, Seat
from ludus.web.store import BadGameFile, GameStore, StoredNode
from support.repetition import repeat
from support.stored_games import FIRST_MOVE, games_in, order, play, run_apart, shown, stored


@pytest.mark.parametrize(
    "change",
    [
        lambda session: play(session, "a3xb2"),
        lambda session: session.record.go_to(0),
        lambda session: session.record.set_pace(is_paused=True, delay=5.0),
        lambda session: session.record.set_comment(1, "first"),
        lambda session: session.record.set_comment(0, "before all"),
        lambda session: session.record.change_seats((Seat(player="random"), Seat())),
    ],
    ids=["move", "go to", "pace", "comment", "first comment", "seats"],
)
def test_a_change_that_cannot_be_stored_is_not_made(tmp_path, change):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            session = await games.create(order())
            await play(session, "b1-b2")
            before = shown(session)
            await games.fill_disk()
            with pytest.raises(BadGameFile, match=r"games\.sqlite'?: database or disk is full"):
                await change(session)
            assert shown(session) == before
            await games.free_disk()
            await play(session, "c3xb2")
            after = shown(session)
        async with games_in(tmp_path / "games.sqlite") as games:
            assert shown(await games.find(session.record.id)) == after

    run_apart(work())


def test_a_full_disk_is_named_as_the_cause(tmp_path):
    """SQLite rolls back by itself there, so that a second ROLLBACK would hide the cause."""

    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            session = await games.create(order())
            await games.run_sql("PRAGMA max_page_count = 1")  # no more pages than there are
            with pytest.raises(BadGameFile, match="database or disk is full"):
                await session.record.set_comment(0, "x" * 100_000)
            await games.run_sql("PRAGMA max_page_count = 1000000")
            await session.record.set_comment(0, "x" * 100_000)

    run_apart(work())


def test_a_new_game_that_cannot_be_stored_is_not_there(tmp_path):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            await games.fill_disk()
            with pytest.raises(BadGameFile, match="full"):
                await games.create(order())
            assert not games._sessions

    run_apart(work())


def test_a_player_whose_move_cannot_be_stored_is_in_trouble_and_can_go_on(tmp_path):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            session = await games.create(order(None, "random"))
            await session.record.set_pace(is_paused=True, delay=0.0)
            await play(session, "b1-b2")
            await session.record.set_pace(is_paused=False, delay=0.0)
            await games.fill_disk()
            await session.replies.settle()
            assert session.views.view().status == "trouble"
            assert "random gave no move" in session.replies.failure
            assert "database or disk is full" in session.replies.failure
            assert len(session.record.tree.nodes) == 2
            await games.free_disk()
            await session.record.set_pace(is_paused=False, delay=0.0)
            await session.replies.settle()
            assert (session.replies.failure, len(session.record.tree.nodes)) == ("", 3)

    run_apart(work())


def test_a_game_that_is_too_long_for_a_player_is_in_trouble(tmp_path):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            session = await games.create(order(None, "random"))
            session.record.max_nodes = len(session.record.tree.nodes) + 100
            await play(session, "b1-b2")
            await session.replies.settle()
            assert session.views.view().status == "trouble"
            assert "largest number of moves" in session.replies.failure

    run_apart(work())


def test_games_that_were_played_are_never_deleted(tmp_path):
    played = [stored(number) for number in range(3)]

    async def work():
        async with games_in(tmp_path / "games.sqlite", max_games=5) as games:
            await games.store.save(played[0], [FIRST_MOVE])
            answer = StoredNode(1, 0, "b1-b2", PLAYER, "", None)
            await games.store.save(played[1], [answer, StoredNode(2, 1, "a3xb2", PLAYER, "", None)])
            for number in range(100, 110):  # opened, and left after at most the player's move
                await games.store.save(stored(number), [answer] if number % 2 else [])
            found = [await games.store.load(stored(n).id) for n in (0, 1, *range(100, 110))]
            assert [each is not None for each in found] == [True] * 2 + [False] * 7 + [True] * 3
            for number in range(2, 5):
                await games.store.save(stored(number), [FIRST_MOVE])
            with pytest.raises(LimitReached, match="holds 5 played games"):
                await games.create(order())
            assert all([await games.store.load(stored(n).id) for n in range(5)])

    run_apart(work())


def test_a_move_that_is_stored_is_never_replaced(tmp_path):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            await games.store.save(stored(), [FIRST_MOVE])
            with pytest.raises(OutOfTurn, match="reload"):
                await games.store.save(stored(), [StoredNode(1, 0, "a1-a2", PERSON, "", None)])
            await games.store.save(stored(), [FIRST_MOVE._replace(comment="well")])
            _, [node] = await games.store.load(stored().id)
            assert (node.move, node.comment) == ("b1-b2", "well")

    run_apart(work())


def test_one_file_has_one_server(tmp_path):
    path = tmp_path / "games.sqlite"

    async def work():
        async with games_in(path):
            with pytest.raises(BadGameFile, match=r"another process is using .*--games"):
                GameStore(path, 3)
            # Others may still read the file, to copy it for example.
            with closing(sqlite3.connect(path)) as connection:
                assert connection.execute("SELECT count(*) FROM game").fetchone() == (0,)
        async with games_in(path):
            pass

    run_apart(work())


@pytest.mark.parametrize(
    "changes",
    [
        {"at": 7},
        {"at": -1},
        {"at": None},
        {"seats": [None, None]},
        {"seats": []},
        {"delay": "nan"},
        {"paused": {}},
        {"comment": 3},
        {"learned": [1, 2]},
    ],
)
def test_damaged_states_are_reported(tmp_path, changes):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            await games.store.save(stored(**changes))
            with pytest.raises(BadGameFile, match="the stored game a-game-of-number-0 is damaged"):
                await games.find(stored().id)

    run_apart(work())


@pytest.mark.parametrize(
    "node",
    [
        FIRST_MOVE._replace(number=2),
        FIRST_MOVE._replace(parent=1),
        FIRST_MOVE._replace(parent=9),
        FIRST_MOVE._replace(parent=-1),
        FIRST_MOVE._replace(move="b1-b3"),
        FIRST_MOVE._replace(made_by="nobody"),
        FIRST_MOVE._replace(explanation={"comment": ""}),
        FIRST_MOVE._replace(explanation={"comment": "", "scores": [], "pictures": [{}]}),
    ],
)
def test_damaged_moves_are_reported(tmp_path, node):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            await games.store.save(stored(), [node])
            with pytest.raises(BadGameFile, match="is damaged"):
                await games.find(stored().id)

    run_apart(work())


def test_damaged_files_are_reported_and_crash_nothing(tmp_path):
    """Any changed bytes of the file, and files cut short, give a game or one line."""
    path = tmp_path / "games.sqlite"

    async def make():
        async with games_in(path) as games:
            for number in range(20):
                await games.store.save(stored(number), [FIRST_MOVE])

    run_apart(make())
    whole, draw = path.read_bytes(), random.Random(5)

    async def look(content):
        path.write_bytes(content)
        try:
            async with games_in(path) as games:
                for number in (0, 19):
                    shown(await games.find(stored(number).id))
                session = await games.create(order())
                await play(session, "b1-b2")
        except LudusError as error:
            return str(error)
        return ""

    async def look_at_all():
        errors = []
        for _ in range(repeat(40, 1000)):
            content = bytearray(whole)
            for _ in range(draw.choice((1, 10, 200))):
                content[draw.randrange(len(content))] = draw.randrange(256)
            size = draw.choice((len(whole), draw.randrange(len(whole))))
            errors.append(await look(bytes(content[:size])))
        return errors

    errors = run_apart(look_at_all())
    assert sum(map(bool, errors)) > 10
    assert not any("\n" in each for each in errors)


def test_a_strangers_file_starts_no_program(tmp_path, monkeypatch):
    """Neither a seat nor a learned spec of a file builds a player that runs a command."""
    # A player has 100 characters at most, which the path of a temporary folder may exceed.
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "ran"
    command = "touch ran"
    external = {"player": "external", "level": None, "choices": {"cmd": command}}
    adaptive = {"player": "adaptive", "level": None, "choices": {}}
    person = {"player": None, "level": None, "choices": {}}
    learned = [{"hexapawn  random": f"external:cmd={command}"}, {}]
    random_seat = {"player": "random", "level": None, "choices": {}}
    states = [
        {"seats": [external, person]},
        {"seats": [{**external, "player": "external:cmd=" + command, "choices": {}}, person]},
        {"seats": [adaptive, person]},
        {"seats": [{**random_seat, "choices": {"x": "y,cmd=" + command}}, person]},
    ]

    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            for number, state in enumerate(states):
                await games.store.save(stored(number, **state))
                session = await games.find(stored(number).id)
                await session.replies.settle()
                assert "gave no move" in session.replies.failure, number
            await games.store.save(stored(9, seats=[random_seat, person], learned=learned))
            session = await games.find(stored(9).id)
            await session.replies.settle()
            assert (session.replies.failure, len(session.record.tree.nodes)) == ("", 2)

    run_apart(work())
    assert not mark.exists()


@pytest.mark.parametrize(
    "spec", ["external:cmd=id", "perfect:oracle=/etc", "adaptive:state=/tmp/x", "nnmm:weights=x"]
)
def test_a_worker_builds_no_player_from_free_text(spec):
    job = {"game": "nine_mens_morris", "rules": "", "player": spec, "seed": 1}
    with pytest.raises(LudusError, match="cannot be set here"):
        worker_cache.load_player(job, 0)


def test_of_what_was_learned_only_levels_are_taken():
    game_spec, seat = ("nine_mens_morris", ""), Seat(player="adaptive")
    for found, wanted in [
        ("adaptive:level=3.5", "adaptive:level=3.5"),
        ("adaptive:level=3.5,state=/tmp/x", "adaptive"),
        ("external:cmd=id", "adaptive"),
        ("negascout:level=3", "adaptive"),
        ("adaptive:=", "adaptive"),
        ("", "adaptive"),
    ]:
        learned = LearnedSpecs({"nine_mens_morris  adaptive": found})
        assert learned.spec(game_spec, seat) == wanted


def test_moves_of_a_record_are_nobodys_and_may_go(tmp_path):
    """Imported games took all places for good."""

    async def work():
        async with games_in(tmp_path / "games.sqlite", max_games=3) as games:
            mine = await games.create(order(record="1. b1-b2 *"))
            await play(mine, "a3xb2")
            for _ in range(10):
                last = await games.create(order(record="1. b1-b2 a3xb2 *"))
            kept = [await games.store.load(each.record.id) for each in (mine, last)]
            count = await games.store._run(
                lambda: games.store._connection.execute("SELECT count(*) FROM game").fetchone()
            )
            return [each is not None for each in kept], count

    assert run_apart(work()) == ([True, True], (3,))


def save_as(client, store, *arguments):
    current_client.set(client)
    return store.save(*arguments)


def test_a_client_of_another_machine_has_a_quota(tmp_path):
    long = "x" * 10_000

    async def work():
        store = GameStore(tmp_path / "games.sqlite", 1_000, client_bytes=100_000)
        try:
            for number in range(4):
                await save_as("10.0.0.1", store, stored(number), [FIRST_MOVE])
            with pytest.raises(LimitReached, match="as much as a day allows"):
                await save_as("10.0.0.1", store, stored(4), [FIRST_MOVE._replace(comment=long)])
            with pytest.raises(LimitReached):
                await save_as("10.0.0.1", store, stored(0), [FIRST_MOVE._replace(comment=long)])
            for client in ("10.0.0.2", "127.0.0.1", "::1", ""):
                await save_as(client, store, stored(9), [FIRST_MOVE])
            for number in range(20, 40):
                await save_as("127.0.0.1", store, stored(number), [FIRST_MOVE])
            return [(await store.load(stored(n).id)) is not None for n in (0, 4, 9, 39)]
        finally:
            await store.close()

    assert run_apart(work()) == [True, False, True, True]


def test_a_file_has_a_largest_size_and_makes_room_by_games_nobody_played(tmp_path):
    path, comment = tmp_path / "games.sqlite", "x" * 100_000
    record = FIRST_MOVE._replace(made_by=RECORD, comment=comment)

    async def work():
        store = GameStore(path, 1_000, max_bytes=4_000_000)
        try:
            for number in range(100):
                await store.save(stored(number), [record])
            played = FIRST_MOVE._replace(comment=comment)
            saves = [store.save(stored(number), [played]) for number in range(100, 200)]
            found = await asyncio.gather(*saves, return_exceptions=True)
            refused = [each for each in found if each is not None]
            assert refused
            assert all(isinstance(each, BadGameFile) and "full" in str(each) for each in refused)
            return await store.load(stored(100).id) is not None
        finally:
            await store.close()

    assert run_apart(work())
    assert path.stat().st_size <= 4_000_000


def test_a_new_file_is_for_its_user_alone(tmp_path):
    path, shared = tmp_path / "games.sqlite", tmp_path / "shared.sqlite"
    shared.touch(0o644)

    async def work():
        for each in (path, shared):
            await GameStore(each, 3).close()

    run_apart(work())
    assert path.stat().st_mode & 0o777 == 0o600
    assert shared.stat().st_mode & 0o777 == 0o644


def test_a_locked_file_is_reported_at_once_and_tried_again(tmp_path, monkeypatch):
    """Each save waited for half a minute, one after the other."""
    path = tmp_path / "games.sqlite"
    monkeypatch.setattr(replies, "RETRY_SECONDS", 0.1)

    async def work():
        async with games_in(path) as games:
            session = await games.create(order(None, "random"))
            await session.record.set_pace(is_paused=True, delay=0.0)
            await play(session, "b1-b2")
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                changes = [session.record.set_comment(1, "x") for _ in range(5)]
                found = await asyncio.gather(*changes, return_exceptions=True)
                assert all("locked" in str(each) for each in found)
                session.record.pace = Pace()
                session.replies.resume()
                async with asyncio.timeout(60):
                    while "locked" not in session.replies.failure:
                        await asyncio.sleep(0.01)
                other.execute("ROLLBACK")
            async with asyncio.timeout(60):
                while session.record.tree.current_number == 1:
                    await asyncio.sleep(0.01)
            return session.replies.failure, session.views.view().status

    assert run_apart(work()) == ("", "yours")


@pytest.mark.parametrize("column", ["state", "thought"])
def test_half_a_character_in_a_file_damages_its_game_alone(tmp_path, column):
    path = tmp_path / "games.sqlite"

    async def work():
        async with games_in(path) as games:
            await games.store.save(stored(0, comment="half"), [FIRST_MOVE])
            text = "replace(state, 'half', '\\ud800')" if column == "state" else "'\"\\ud800\"'"
            table = "game" if column == "state" else "node"
            await games.run_sql(f"UPDATE {table} SET {column} = {text};")
            with pytest.raises(BadGameFile, match="damaged"):
                await games.find(stored(0).id)

    run_apart(work())


def test_revisions_grow_though_the_clock_is_set_back(tmp_path, monkeypatch):
    """A page that is open orders views by their revisions."""
    path = tmp_path / "games.sqlite"

    async def play_once():
        async with games_in(path) as games:
            session = await games.create(order())
            await play(session, "b1-b2")
            return session.record.id, session.record.revision

    async def find(id_):
        async with games_in(path) as games:
            return (await games.find(id_)).record.revision

    id_, before = run_apart(play_once())
    monkeypatch.setattr(game_record.time, "time_ns", lambda: 10**18)
    assert run_apart(find(id_)) > before


def test_no_variation_lies_too_deep_to_be_saved(tmp_path):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            request = order()
            request.game = "nine_mens_morris"
            request.rules = ""
            record = (await games.create(request)).record
            draw, depth = random.Random(3), 0
            while True:
                node = record.tree.current
                first, second = map(str, draw.sample(list(node.position.legal_moves()), 2))
                await record.play(node.number, first)
                await record.go_to(node.number)
                try:
                    await record.play(node.number, second)
                except LimitReached as error:
                    return depth, str(error), len(str(record.to_record())) > 100
                depth += 1

    depth, why, is_saved = run_apart(work())
    assert (depth, is_saved) == (MAX_DEPTH, True)
    assert "50 deep" in why


def test_games_are_stored_in_turns(tmp_path):
    """A person's move does not wait for those of all games that computers play."""
    done = []

    async def save(store, client, number):
        await save_as(client, store, stored(number), [FIRST_MOVE])
        done.append(client)

    async def work():
        store = GameStore(tmp_path / "games.sqlite", 1_000)
        try:
            many = [asyncio.create_task(save(store, "10.0.0.1", n)) for n in range(100)]
            while not done:
                await asyncio.sleep(0)
            await asyncio.create_task(save(store, "10.0.0.2", 900))
            place = len(done)
            await asyncio.gather(*many)
            return place
        finally:
            await store.close()

    assert run_apart(work()) < 10
