"""Generated datasets: their content, which interruptions do not change."""

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.core.errors import BadDataset, CannotWrite, LudusError
from ludus.core.executors import LocalProcesses
from ludus.core.match import play_game
from ludus.core.player import Limit
from ludus.datasets import parse_lines, read_chunks
from ludus.datasets.generation import GenerationResult, GenerationRun, Journal
from ludus.datasets.generator import GenerationPlan, parse_players
from ludus.datasets.morris.generator import (
    MorrisGenerator,
    sample_advantage_start,
    sample_random_start,
)
from ludus.datasets.morris.statistics import compute_statistics
from ludus.datasets.morris.validation import validate_states
from ludus.games.nine_mens_morris import NineMensMorris, to_thesis, to_thesis_move
from ludus.games.nine_mens_morris.rules import Rules
from ludus.players import player
from support.engines import children
from support.facilities import limit_file_size
from support.repetition import repeat
from support.waiting import PATIENCE, wait_until

TEACHER = "negascout:nodes=150"
OPPONENTS = ("random", "newbie", "negascout:level=3", TEACHER)
PLAN = GenerationPlan("nine_mens_morris", TEACHER, OPPONENTS, 300, options="advantage=1", seed=5)
COMMAND = (sys.executable, "-m", "ludus.cli", "dataset", "generate", "nine_mens_morris")


def carried_out(plan: GenerationPlan, out: Path, num_workers: int = 2) -> GenerationResult:
    run = GenerationRun(plan, out, LocalProcesses(num_workers))
    for _ in run.run():
        pass
    return run.result


def begin(out: Path, num_workers: int) -> "subprocess.Popen[bytes]":
    """Start a plan as a process."""
    return subprocess.Popen(
        [
            *COMMAND,
            *("--teacher", TEACHER, "--opponents", ",".join(OPPONENTS)),
            *("--states", str(PLAN.states), "--options", PLAN.options, "--seed", str(PLAN.seed)),
            *("--jobs", str(num_workers), "--out", str(out)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the dataset of an uninterrupted run."""
    out = tmp_path_factory.mktemp("undisturbed") / "dataset.txt"
    carried_out(PLAN, out)
    return out


def _contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_line_is_legal_and_no_state_is_symmetric_to_another(undisturbed):
    found = compute_statistics(read_chunks(undisturbed), Rules())
    assert (found.entries, found.with_move) == (PLAN.states, PLAN.states)
    assert found.is_valid
    assert found.symmetric == []
    assert found.phases[1:].min() > 0
    assert {path.name for path in undisturbed.parent.iterdir()} == {
        "dataset.txt",
        "dataset.txt.json",
    }


def test_the_sidecar_says_how_it_was_made(undisturbed):
    about = json.loads(undisturbed.with_name("dataset.txt.json").read_text())
    assert about["states"] == PLAN.states
    assert about["plan"]["teacher"] == TEACHER
    assert about["plan"]["opponents"] == list(OPPONENTS)
    assert about["matches"] > 8


@pytest.mark.parametrize("num_workers", [1, 3])
def test_the_number_of_processes_does_not_matter(undisturbed, tmp_path, num_workers):
    carried_out(PLAN, tmp_path / "dataset.txt", num_workers)
    assert _contents(tmp_path) == _contents(undisturbed.parent)


def test_another_seed_gives_another_file(undisturbed, tmp_path):
    carried_out(dataclasses.replace(PLAN, seed=6, states=50), tmp_path / "dataset.txt")
    theirs = set(undisturbed.read_text().splitlines())
    assert len(theirs & set((tmp_path / "dataset.txt").read_text().splitlines())) < 25


def test_killed_again_and_again_it_comes_to_the_same_bytes(undisturbed, tmp_path):
    out = tmp_path / "dataset.txt"
    working = tmp_path / ".dataset.txt.working"
    num_killed, sizes = 0, [0]
    num_kills = repeat(1, 3)
    for number in range(num_kills):
        with begin(out, 2 - number % 2) as running:
            is_longer = lambda: (  # noqa: E731
                running.poll() is not None
                or (working.exists() and working.stat().st_size > sizes[-1] + 1500)
            )
            wait_until(is_longer, "more states are written", pause=0.01)
            running.send_signal(signal.SIGKILL)
        num_killed += running.returncode == -signal.SIGKILL
        if working.exists():
            sizes.append(working.stat().st_size)
    # On a busy machine one may have ended before it was killed.
    assert num_killed >= num_kills - 1
    assert sizes == sorted(sizes)
    with begin(out, 2) as running:
        _, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, complaint) == (0, b"")
    assert _contents(tmp_path) == _contents(undisturbed.parent)


@pytest.mark.slow
def test_an_interrupt_says_how_to_go_on(undisturbed, tmp_path):
    out = tmp_path / "dataset.txt"
    working = tmp_path / ".dataset.txt.working"
    with begin(out, 1) as running:
        is_begun = lambda: working.exists() and working.stat().st_size > 1500  # noqa: E731
        wait_until(is_begun, "some states are written", running, 0.01)
        running.send_signal(signal.SIGINT)
        output, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, output) == (130, b"")
    assert b"of 300 states; run the same command to resume" in complaint
    assert not out.exists()
    assert carried_out(PLAN, out).resumed > 0
    assert out.read_bytes() == undisturbed.read_bytes()


def test_a_worker_that_is_killed_is_replaced(undisturbed, tmp_path):
    run = GenerationRun(PLAN, tmp_path / "dataset.txt", LocalProcesses(2))
    before, killed = children(), set()
    for number, _ in enumerate(run.run()):
        if number in (0, 100):
            victim = min(children() - before - killed)
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)
    assert len(killed) == 2
    assert _contents(tmp_path) == _contents(undisturbed.parent)


def test_what_is_there_already_is_not_made_again(undisturbed):
    before = _contents(undisturbed.parent)
    assert carried_out(PLAN, undisturbed).resumed == PLAN.states
    assert _contents(undisturbed.parent) == before


def test_a_file_that_was_made_otherwise_is_left_alone(undisturbed, tmp_path):
    with pytest.raises(BadDataset, match="is not the result of this plan"):
        carried_out(dataclasses.replace(PLAN, seed=9), undisturbed)
    mine = tmp_path / "mine.txt"
    mine.write_text("precious")
    for sidecar in (None, "[]", "{", "[" * 100_000):
        if sidecar is not None:
            mine.with_name("mine.txt.json").write_text(sidecar)
        with pytest.raises(BadDataset, match="remove it first"):
            carried_out(PLAN, mine)
    assert mine.read_text() == "precious"


def test_more_states_go_on_from_an_unfinished_run(undisturbed, tmp_path):
    """The first lines that are found are the same, so a longer run holds a shorter one."""
    out = tmp_path / "dataset.txt"
    run = GenerationRun(dataclasses.replace(PLAN, states=1000), out, LocalProcesses(2))
    for number, _ in enumerate(run.run()):
        if number >= PLAN.states + 20:
            break
    del run
    assert carried_out(PLAN, out).resumed == PLAN.states
    assert _contents(tmp_path) == _contents(undisturbed.parent)


IDENTITY = {"a": 1}


def test_a_journal_keeps_whole_matches(tmp_path):
    path = tmp_path / "working"
    with Journal(path, IDENTITY) as journal:
        journal.add(0, ["one", "two"])
        journal.add(1, [])
        journal.add(2, ["three"])
        with pytest.raises(LudusError, match="another process"):
            Journal(path, IDENTITY)
    whole = path.read_bytes()
    with Journal(path, IDENTITY) as journal:
        assert (journal.lines, journal.next_match) == (["one", "two", "three"], 3)
        assert [journal.num_matches(number) for number in (1, 2, 3)] == [1, 1, 3]
    with pytest.raises(LudusError, match="another generation"):
        Journal(path, {"a": 2})
    assert path.read_bytes() == whole


def test_a_journal_that_breaks_off_anywhere(tmp_path):
    """Cut at every byte: only whole matches count, then it goes on."""
    path = tmp_path / "working"
    with Journal(path, IDENTITY) as journal:
        journal.add(0, ["one", "two"])
        journal.add(1, ["three"])
    whole = path.read_bytes()
    first = whole.index(b"[1, ")
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with Journal(path, IDENTITY) as journal:
            assert journal.next_match == (1 if end >= first else 0)
            journal.add(1 if end >= first else 0, ["three"])


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_moves_are_the_teachers_as_it_saw_them(number):
    """The same match once more, and from its record the moves of the teacher's side or sides."""
    plan = GenerationPlan("nine_mens_morris", TEACHER, ("newbie", TEACHER), 10)
    game = NineMensMorris()
    specs = [(TEACHER, "newbie"), ("newbie", TEACHER), (TEACHER, TEACHER)][number]
    players = player(specs[0], game), player(specs[1], game)
    played = play_game(game, players, seed=plan.seed_of("match", number), max_plies=200)
    position, wanted = game.start(), []
    for each in played.moves:
        if specs[each.mover] == TEACHER:
            wanted.append(f"{to_thesis(position)}-{to_thesis_move(each.move)}")
        position = position.play(each.move)
    assert sorted(MorrisGenerator().lines(plan, number)) == sorted(wanted)
    assert len(wanted) > 10


def test_both_matches_of_a_pair_have_the_same_start():
    generator = MorrisGenerator()
    matches = [generator.match(PLAN, number) for number in range(24)]
    assert [match.teacher_side for match in matches] == [0, 1] * 12
    assert [match.opponent for match in matches[::2]] == [*OPPONENTS] * 3
    starts = [str(match.start) for match in matches]
    assert starts[::2] == starts[1::2]
    assert set(starts[:8]) == {str(NineMensMorris().start())}
    assert len(set(starts[8:])) == 8


def test_starts_with_an_advantage():
    game, source = NineMensMorris(), random.Random(2)
    found = [sample_advantage_start(game, source) for _ in range(60)]
    ahead = [
        len(start.men[0]) + start.hands[0] - len(start.men[1]) - start.hands[1] for start in found
    ]
    assert {abs(number) for number in ahead} == {1, 2, 3}
    assert min(ahead) < 0 < max(ahead)
    assert all(start.outcome() is None for start in found)


def test_random_starts_are_realistic():
    game, source = NineMensMorris(), random.Random(2)
    found = [sample_random_start(game, source) for _ in range(100)]
    entries = parse_lines("\n".join(map(to_thesis, found)).encode()).moves
    assert not validate_states(entries, Rules()).any()
    assert all(start.outcome() is None for start in found)
    assert {start.mover for start in found} == {0, 1}
    assert 5 <= (entries.phases == 1).sum() <= 40
    assert len({str(start) for start in found}) == 100


def test_a_plan_that_finds_no_more_says_so(tmp_path):
    """With one ply a match, the first move of the game is all there is."""
    plan = GenerationPlan(
        "nine_mens_morris", "random", ("random",), 2, options="full=1000000,plies=1"
    )
    with pytest.raises(LudusError, match="1 states were found"):
        carried_out(plan, tmp_path / "dataset.txt")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"states": 0}, "from 1 to"),
        ({"opponents": ()}, "at least one opponent"),
        ({"teacher": "nobody"}, "no player 'nobody'"),
        ({"opponents": ("random:x=1",)}, "has no options"),
        ({"options": "pliess=3"}, "did you mean plies?"),
        ({"options": "plies=0"}, "from 1 to"),
        ({"options": "plies"}, "not key=value"),
        ({"game": "nine_mens_morris:lasker"}, "one digit"),
        ({"rules": "place_or_move=yes"}, "placed from a man moved"),
        ({"game": "hexapawn"}, "no generator of datasets for 'hexapawn'"),
    ],
)
def test_plans_that_cannot_be_carried_out(tmp_path, changes, complaint):
    with pytest.raises(LudusError, match=complaint):
        GenerationRun(
            dataclasses.replace(PLAN, **changes), tmp_path / "dataset.txt", LocalProcesses(1)
        )
    assert list(tmp_path.iterdir()) == []


def test_limits_bind_the_teacher():
    generator = MorrisGenerator()
    plan = dataclasses.replace(PLAN, teacher="negascout", opponents=("random",))
    shallow = generator.lines(dataclasses.replace(plan, limit=Limit(depth=1)), 0)
    deep = generator.lines(dataclasses.replace(plan, limit=Limit(nodes=20_000)), 0)
    assert shallow != deep
    assert shallow == generator.lines(dataclasses.replace(plan, limit=Limit(depth=1)), 0)


def test_lists_of_players():
    assert parse_players("random, newbie") == ("random", "newbie")
    assert parse_players("negascout:nodes=9,level=2,random") == (
        "negascout:nodes=9,level=2",
        "random",
    )
    assert parse_players("random;perfect:oracle=a;random") == ("random", "perfect:oracle=a")
    assert parse_players(" ,; ") == ()


def test_a_full_disk_is_reported_in_one_line(tmp_path):
    """Closing the file must not hide the error by another one."""
    with (
        pytest.raises(CannotWrite, match="File too large"),
        Journal(tmp_path / "x", {}) as journal,
        limit_file_size(50),
    ):
        journal.add(0, ["a line"] * 100)
