"""Every experiment, run as users run it, at a size that takes about a second.

An experiment is in one of the tables here, or another test that always runs has a small run of it.
"""

import json
import re

import numpy as np
import pytest

import ludus
import ludus.reproduce
from ludus.cli.main import run
from ludus.games.backgammon import Backgammon
from ludus.learn import fit
from ludus.learn.gammon import GammonTraining
from ludus.learn.nnmm import import_galassi_networks, save_weights
from ludus.reproduce import find_experiment, list_experiments
from support.facilities import external
from support.paths import EXPERIMENTS, ROOT
from support.small_runs import (
    SMALL_RULES,
    SmallRun,
    check_findings,
    write_authors_data,
    write_deepmill_script,
    write_small_experiment,
    write_small_game_data,
)
from support.solved_games import solved_copy

FEW_GAMES = {"games": 2, "curve_games": 2}

ALONE = {
    "tesauro-codings": SmallRun({"positions": 40, "tested": 20, "games": 4}),
    "tesauro-receptive-fields": SmallRun({"positions": 10, "games": 4}, is_repeated=True),
    "tesauro-hidden-units": SmallRun({"positions": 20, "tested": 10}),
    "tesauro-table-1": SmallRun({"games": 4}, keys={"cycles": 1, "positions": 20}),
    "tesauro-figure-3": SmallRun({"cycles": 1, "seeds": 1}),
    "vrajitoru-person": SmallRun(
        {"match_games": 3, "own": 2, "games": 10},
        # The size `quick` has a weaker opponent.
        unmeasured=["negascout:level=6: games won of 30"],
    ),
    "vrajitoru-improving": SmallRun({"games": 2}, is_repeated=True),
    "vrajitoru-adaptive": SmallRun({"games": 1}, is_repeated=True),
    "vrajitoru-parameters": SmallRun({"games": 2}, only={"curves": ("passes",)}),
    "vrajitoru-tuned": SmallRun({"games": 2}, only={"ablation": ("as it is", "no defence")}),
    "vrajitoru-table-2": SmallRun(FEW_GAMES, keys={"values": "[2, 4]"}),
    "vrajitoru-table-3": SmallRun(FEW_GAMES, keys={"values": "[0.2]"}),
    "vrajitoru-table-4": SmallRun(FEW_GAMES, keys={"values": "[0.5]"}),
    "vrajitoru-table-5": SmallRun(FEW_GAMES, keys={"values": "[10]"}),
    "vrajitoru-readings": SmallRun(
        {"screening_games": 2, "games": 2, "network_games": 2},
        edits=[("readings.py", r"list_readings\(context.+\)", r"\g<0>[:2]")],
    ),
    "vrajitoru-learning-curve": SmallRun({"scales": "[0, 10]", "games": 20}, is_repeated=True),
    "migo-figure-3": SmallRun(
        {"runs": "{ noughts_and_crosses = 3, hexapawn = 2 }", "slow": 2},
        keys={"games_a_run": 12},
        is_repeated=True,
    ),
    "migo-figure-4": SmallRun({"runs": 2}, keys={"games_a_run": 12}),
    "migo-figure-5": SmallRun(
        {"runs": 2}, edits=[("figure_5.toml", r"games_a_run = \d+", "games_a_run = 12")]
    ),
    "migo-readings": SmallRun(
        {"runs": 2},
        keys={"games_a_run": 12},
        edits=[("readings.toml", r"^    \[(?:25|50|100|200), .*\],\n", "")],
    ),
    "migo-improved": SmallRun({"runs": 1}, keys={"games_a_run": 3}),
    "migo-improved-games": SmallRun(
        {"games": '["hexapawn:size=4"]'},
        keys={"games_a_run": 20},
        unmeasured=["positions of connect-3*", "positions of hexapawn 5"],
    ),
    "migo-morris-endings": SmallRun(
        {"levels": 1, "shown": "[1]"},
        # Of all positions every hundredth.
        edits=[
            ("morris_endings.py", r"enumerate\((states\.items\(\))\)", r"enumerate([*\1][::100])")
        ],
    ),
    "migo-table-2": SmallRun({"runs": 1}, keys={"games_a_run": 3}),
    "galassi-situations": SmallRun({"states": 1}, keys={"opponent": '"newbie"'}, is_repeated=True),
    "galassi-own-games": SmallRun({"games": 20, "tested": 4, "match_games": 1}, is_repeated=True),
    "galassi-self-play": SmallRun({"games": 20, "tested": 4, "match_games": 1}),
    "scholar-games": SmallRun(
        {"games": 1, "positions": 2},
        only={"players": ("scholar, small", "networks trained on the dataset")},
        unmeasured=["wanted at most*", "Sanmill's level 15*"],
        # It shows games from the start, which is not solved here.
        has_figures=False,
        is_repeated=True,
    ),
}
"""Experiments that need nothing else."""

WITH_GNUBG = {
    "tesauro-data-base": SmallRun({"positions": 10, "cycles": 1, "games": 4}),
    "tesauro-scored-moves": SmallRun({"positions": 10, "tested": 10, "games": 4}),
    "tesauro-repairs": SmallRun({"tool_games": 4, "expert_games": 2}),
    "tesauro-expert-match": SmallRun({"long_games": 2}),
    "tesauro-blunders": SmallRun({"games": 1}, edits=[("blunders.py", '"gnubg", 2', '"gnubg", 0')]),
}

WITH_GNUBG_AND_BSD = {
    "tesauro-opponents": SmallRun(
        {"games": "{ pubeval = 2, gnubg = 1, bsd = 1 }"},
        edits=[
            ("table_1.toml", "^cycles = .*$", "cycles = 1"),
            ("table_1.toml", "^positions = .*$", "positions = 20"),
            ("table_1.toml", 'row = "[c-h]"\nhidden', 'row = "c"\nhidden'),
        ],
    ),
}

ONE_SEED = ("games.py", "^SEEDS = 2$", "SEEDS = 1")
TWO_OPPONENTS = ("gaming.toml", r'^"(?!random|newbie).*" = ".*"\n', "")

WITH_DATA = {
    "galassi-colours": SmallRun(
        {"openings": 0, "teacher": '"negascout:depth=1"'}, edits=[ONE_SEED, TWO_OPPONENTS]
    ),
    "galassi-gaming": SmallRun(
        {"openings": 0, "teacher": '"negascout:depth=1"'},
        edits=[ONE_SEED, TWO_OPPONENTS, ("gaming.toml", r"\A", "shipped = false\n")],
    ),
    "galassi-ablation": SmallRun({"entries": 60, "epochs": 1, "seeds": 1}),
    "galassi-changes": SmallRun(
        {"entries": 60},
        edits=[
            (
                "changes.toml",
                r'(?s)^\[\[variants\]\]\nname = "thesis, another.*(?=^\[sizes.quick)',
                "",
            )
        ],
    ),
    "galassi-recipes": SmallRun(
        {"entries": 60, "seeds": 1},
        # The size `quick` has no set of 2018 trained anew.
        unmeasured=["network alone*", "in pipeline*", "whole moves legal*"],
        edits=[("recipes.toml", r'^presets = \["6.8-1".*\]$', 'presets = ["6.8-1", "6.10-1"]')],
    ),
    "galassi-further": SmallRun(
        {"entries": 150, "trials": 1, "folds": 2, "searched": 1, "examples": 200, "steps": 3}
    ),
    "galassi-orders": SmallRun({"positions": 50, "costly": 50}, is_repeated=True),
    "galassi-retraining": SmallRun({"entries": 60, "epochs": 1, "seeds": 1}),
    "galassi-joined": SmallRun({"positions": 20}),
    "galassi-partial": SmallRun(
        {"entries": 30, "epochs": 1},
        # The first of each series, and all of the last one, which has the published rows.
        edits=[("partial.toml", r"^presets = \[(?!5)([^,\]]*).*$", r"presets = [\1]")],
    ),
}
"""Experiments on the author's data: ours takes its place, and the tests have both."""

WITH_SOLVED_GAME = {
    "galassi-critical": SmallRun(
        {"positions": 3},
        only={"players": ("random",)},
        edits=[
            ("games.py", '"standard"', f'"{SMALL_RULES}"'),
            ("critical.toml", '^"random"', '"perfect" = "perfect:oracle=ORACLE"\n"random"'),
            ("critical.toml", r"\A", "shipped = false\n"),
        ],
    ),
    "vrajitoru-regret": SmallRun(
        {"games": 2},
        only={"players": ("any move",)},
        edits=[
            ("regret.py", '"standard"', f'"{SMALL_RULES}"'),
            ("regret.toml", '^"any move"', '"perfect" = "perfect:oracle=ORACLE"\n"any move"'),
        ],
    ),
}
"""Experiments that need the whole game solved: a game of three men a side takes its place."""

WITH_DEEPMILL = {
    "galassi-deepmill": SmallRun(
        {"seconds": 0.01, "author_games": 2, "games": 2, "own_games": 2, "thesis_games": 2},
        only={"players": ()},
        edits=[("deepmill.toml", r"\A", "shipped = false\n")],
    ),
}

TABLES = (
    *(ALONE, WITH_GNUBG, WITH_GNUBG_AND_BSD),
    *(WITH_DATA, WITH_SOLVED_GAME, WITH_DEEPMILL),
)

ELSEWHERE = {
    "galassi-accuracy": "learn/nnmm/test_experiments.py::test_accuracy_of_small_networks",
    "galassi-legality": "learn/nnmm/test_experiments.py::test_legality_of_small_networks",
    "galassi-reliability": "learn/nnmm/test_experiments.py::test_reliability_of_small_networks",
    "galassi-teacher": "learn/nnmm/test_experiments.py::test_critical_positions_of_a_sample",
    "galassi-whole": "learn/nnmm/test_experiments.py::test_short_trainings",
    "migo-metagol": (
        "reproduce/test_migo_experiments.py::test_a_program_that_learns_nothing_differs_from_ours"
    ),
    "migo-start-boards": (
        "reproduce/test_migo_experiments.py::test_the_start_boards_and_exact_regrets"
        "_to_four_decimals"
    ),
    "scholar-curves": "learn/scholar/test_experiments.py::test_curves_of_trainings",
    "scholar-kept": "learn/scholar/test_experiments.py::test_what_players_keep",
    "scholar-legality": (
        "learn/scholar/test_experiments.py::test_legality_of_a_chain_without_the_check"
    ),
    "scholar-story": "learn/scholar/test_experiments.py::test_the_story",
    "vrajitoru-table-1": (
        "reproduce/test_vrajitoru_table_1.py"
        "::test_quick_size_has_the_table_the_tests_and_the_ranking"
    ),
}
"""Tests that always run and have a small run of an experiment."""


def test_every_experiment_has_a_small_run():
    known = [identity for table in (*TABLES, ELSEWHERE) for identity in table]
    assert sorted(known) == [each.id for each in list_experiments(EXPERIMENTS)]


@pytest.mark.parametrize("identity", ELSEWHERE)
def test_small_runs_elsewhere_are_there_and_not_left_out(identity):
    file, _, name = ELSEWHERE[identity].partition("::")
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    found = re.search(rf"((?:^@.*\n(?:[ \])].*\n)*)*)^def {name}\(", text, re.MULTILINE)
    assert found is not None, name
    end = re.search(r"^(?:def|@|class)\b", text[found.end() :], re.MULTILINE)
    body = text[found.start() : found.end() + end.start() if end else None]
    short = identity.partition("-")[2]
    assert identity in body or f'"{short}"' in body, "the test does not name the experiment"
    decorators = found[1]
    assert "@pytest.mark.slow" not in decorators
    assert "@pytest.mark.external" not in decorators
    left_out = re.findall(r"pytest\.param\((.*)marks=pytest\.mark\.slow", decorators)
    assert not any(identity in each or f'"{short}"' in each for each in left_out)


@pytest.fixture
def reproduce_small(tmp_path, capsys):
    """Run an experiment as a user does, made small; check and return what is printed."""

    def call(identity, small, oracle=None):
        folder = write_small_experiment(identity, small, tmp_path / "experiments", oracle)

        def run_into(out):
            arguments = ["reproduce", identity, "--size", "quick", "--jobs", "1", "--json"]
            if oracle is not None:
                arguments += ["--oracle", str(oracle)]
            where = ["--experiments", str(folder), "--out", str(tmp_path / out)]
            assert run([*arguments, *where]) == 0, capsys.readouterr().err
            found = json.loads(capsys.readouterr().out)
            assert found.pop("files")
            return found

        found = run_into("out")
        check_findings(identity, small, found)
        if small.is_repeated:
            assert run_into("again") == found
        return found

    return call


def rows_of(found):
    return {row["name"]: row for row in found["rows"]}


def tables_of(found):
    return {table["name"]: table["rows"] for table in found["tables"]}


def check_game_results(found):
    """Three rows for each condition: games won, lost and drawn."""
    shares = [row["ours"] for row in found["rows"]]
    for first in range(0, len(shares), 3):
        assert sum(shares[first : first + 3]) == pytest.approx(100)


def check_best_values(found):
    for _, _, best, worst in tables_of(found)["What matters against focused"]:
        assert best >= worst


def check_ablation(found):
    for rows in tables_of(found).values():
        assert [row[0] for row in rows] == ["as it is", "no defence"]
        assert rows[0][4:] == [0, 0, 0]


def read_stored_rows(found):
    """Rows of the stored results of the same experiment."""
    stored = find_experiment(found["id"], EXPERIMENTS).results
    return rows_of(json.loads(stored.read_text(encoding="utf-8")))


def check_null_hypothesis(found):
    name = "Null hypothesis 1: MIGO cannot converge faster"
    assert len(tables_of(found)[name]) == 14
    texts = [conclusion["text"] for conclusion in found["conclusions"]]
    assert [text.split(":")[0] for text in texts[:2]] == ["Noughts and crosses", "Hexapawn 3"]
    assert sum("mixed learning has lower" in text for text in texts) == 2


def check_positions_of_hexapawn(found):
    rows, name = rows_of(found), "positions of hexapawn 4"
    assert rows[name]["ours"] == read_stored_rows(found)[name]["ours"]
    wrong, decisions = (
        rows[f"hexapawn 4: {each}"]["ours"]
        for each in ("of these wrong", "decisions it can come to")
    )
    assert 0 <= wrong <= decisions


def check_endings(found):
    """Numbers of positions are exact, and no rule claims what is not won."""
    rows, stored = rows_of(found), read_stored_rows(found)
    for name in ("positions", "won positions"):
        assert rows[name]["ours"] == stored[name]["ours"]
    assert rows["precision"]["ours"] == rows["precision of moves"]["ours"] == 100
    assert 0 < rows["coverage"]["ours"] < 1


def check_learned_programs(found):
    for rows in tables_of(found).values():
        assert all(0 <= row[3] <= 2 and 0 <= row[4] <= 100 for row in rows)


def check_times(found):
    """Some games are too few for a proof, so inferences may be none."""
    assert {row["unit"] for row in found["rows"]} == {"s", "inferences", "times"}
    assert all(row["ours"] > 0 or row["unit"] == "inferences" for row in found["rows"])


def check_opponents(found):
    """The table has the shares of the rows."""
    rows = rows_of(found)
    for name, *shares in tables_of(found)["Share of games won"]:
        for opponent, share in zip(("pubeval", "gnubg", "bsd"), shares, strict=True):
            assert rows[f"{name} against {opponent}"]["ours"] == pytest.approx(100 * share)


def check_blunders(found):
    rows = rows_of(found)
    assert rows["games without a blunder"]["ours"] in (0, 100)
    assert rows["games of 20 without a blunder"]["ours"] in (0, 20)
    by_stage = tables_of(found)["By stage of the game"]
    assert sum(row[1] for row in by_stage) == rows["decisions that are blunders"]["count"]


def check_ladder(found):
    check_game_results(found)
    assert {row["count"] for row in found["rows"]} <= {3, 4, 6}
    outcomes = tables_of(found)["Table 6.11"]
    assert [row[0] for row in outcomes[:3]] == ["random", "newbie", "teacher"]


def check_orders(found):
    """A whole move is right only if each of its parts is."""
    rows = {name: row["ours"] for name, row in rows_of(found).items()}
    for order in ("FTR", "RFT"):
        parts = [rows[f"author {order}: {part}"] for part in ("TO", "FROM", "REMOVE")]
        assert rows[f"author {order}: whole move"] <= min(parts)


def check_joined(found):
    for _, _, right, illegal, entries in tables_of(found)["Whole moves of the test part"]:
        assert right + illegal <= entries == 20


def check_perfect_play(found):
    """Perfect play keeps all that can be lost; random play does not."""
    rows = rows_of(found)
    (perfect,) = (row for name, row in rows.items() if name.startswith("perfect: "))
    assert (perfect["ours"], perfect["count"] > 0) == (100, True)
    (chance,) = (row for name, row in rows.items() if name.startswith(("any move: ", "random: ")))
    assert chance["ours"] < 100


def check_games_against_deepmill(found):
    """Points are wins and half of the draws."""
    (table,) = tables_of(found).values()
    *rows, slow = found["rows"]
    shares = [row["ours"] for row in rows]
    assert (slow["name"], slow["count"]) == ("author TFR: points against DeepMill, 60 s", 2)
    assert [row[0] for row in table] == ["author TFR", "author TFR, hybrid", "DeepMill itself"]
    for (_, games, won, drawn, lost, *_), share in zip(table, shares, strict=True):
        assert won + drawn + lost == games
        assert share == pytest.approx(100 * (won + drawn / 2) / games)


def check_games_against_perfect_play(found):
    """From a drawn position nothing is won against an opponent that keeps the draw."""
    for _, _, _, won, drawn, lost, *_ in tables_of(found)["Results"]:
        assert (won, drawn + lost) == (0, 2)


CHECKS = {
    **{f"vrajitoru-table-{number}": check_game_results for number in (2, 3, 4, 5)},
    "vrajitoru-parameters": check_best_values,
    "vrajitoru-tuned": check_ablation,
    "migo-figure-3": check_null_hypothesis,
    "migo-improved": check_learned_programs,
    "migo-improved-games": check_positions_of_hexapawn,
    "migo-morris-endings": check_endings,
    "migo-table-2": check_times,
    "tesauro-opponents": check_opponents,
    "tesauro-blunders": check_blunders,
    "galassi-colours": check_game_results,
    "galassi-gaming": check_ladder,
    "galassi-orders": check_orders,
    "galassi-joined": check_joined,
    "galassi-critical": check_perfect_play,
    "galassi-deepmill": check_games_against_deepmill,
    "vrajitoru-regret": check_perfect_play,
    "scholar-games": check_games_against_perfect_play,
}
"""What must hold of single experiments beside what must hold of all."""


def check(found):
    if found["id"] in CHECKS:
        CHECKS[found["id"]](found)


FAST = {
    *("tesauro-table-1", "tesauro-receptive-fields", "tesauro-blunders"),
    *("vrajitoru-person", "vrajitoru-table-2", "vrajitoru-regret"),
    *("migo-figure-4", "migo-improved", "galassi-situations", "galassi-orders", "scholar-games"),
}
"""One or two experiments of each kind; the thorough run has all."""


def mark_slow(identities):
    """Leave the other experiments to the thorough run."""
    return [
        each if each in FAST else pytest.param(each, marks=pytest.mark.slow) for each in identities
    ]


@pytest.mark.parametrize("identity", mark_slow(ALONE))
def test_small_runs(reproduce_small, identity):
    check(reproduce_small(identity, ALONE[identity]))


@pytest.mark.needs_debian("gnubg")
@pytest.mark.parametrize("identity", mark_slow(WITH_GNUBG))
def test_small_runs_with_gnu_backgammon(reproduce_small, identity):
    check(reproduce_small(identity, WITH_GNUBG[identity]))


@pytest.mark.needs_debian("gnubg", "bsdgames")
@pytest.mark.parametrize("identity", mark_slow(WITH_GNUBG_AND_BSD))
def test_small_runs_with_two_programs(reproduce_small, identity, monkeypatch, tmp_path):
    # The experiment reads the networks of Table 1 from the folder of the checkout.
    folder = tmp_path / "experiments"
    monkeypatch.setattr(ludus.reproduce, "find_experiments_folder", lambda: folder)
    check(reproduce_small(identity, WITH_GNUBG_AND_BSD[identity]))


@pytest.mark.parametrize("identity", mark_slow(WITH_DATA))
def test_small_runs_on_data_like_the_authors(reproduce_small, identity, monkeypatch, tmp_path):
    orders = ("FTR", "RFT") if identity == "galassi-orders" else ()
    data = write_authors_data(tmp_path / "data", orders)
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(data))
    check(reproduce_small(identity, WITH_DATA[identity]))


def test_retrained_networks_play_the_same_games(reproduce_small, monkeypatch, tmp_path):
    data = write_authors_data(tmp_path / "data")
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(data))
    retrained = tmp_path / "retrained.safetensors"
    save_weights(retrained, import_galassi_networks(data / "npz", "TFR"))
    monkeypatch.setenv("LUDUS_NNMM_WEIGHTS", str(retrained))
    found = reproduce_small("galassi-colours", WITH_DATA["galassi-colours"])
    check(found)
    rows = rows_of(found)
    assert len(rows) == 12
    for colour in ("White", "Black"):
        ours = rows[f"retrained as {colour}, won"]
        assert ours["published"] is None
        # Two opponents and the teacher, one game from the start each.
        assert ours["count"] == rows[f"networks as {colour}, won"]["count"] == 3
    assert list(tables_of(found)) == ["Results of author TFR", "Results of ours retrained"]


@pytest.mark.external("nnmm")
@pytest.mark.parametrize("identity", WITH_DATA)
def test_small_runs_on_the_authors_data(reproduce_small, identity, monkeypatch):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(external("nnmm")))
    if identity == "galassi-retraining":
        external("nnmm", "dataset_gaming.txt")
    if identity == "galassi-orders":
        external("nnmm", "npz/TEST-rawest-FTR_TO.npz")
    check(reproduce_small(identity, WITH_DATA[identity]))


@pytest.mark.parametrize("identity", mark_slow(WITH_SOLVED_GAME))
def test_small_runs_with_a_solved_game(reproduce_small, identity, monkeypatch, tmp_path):
    data = write_small_game_data(tmp_path / "data")
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(data))
    game = ludus.game("nine_mens_morris", SMALL_RULES)
    oracle = solved_copy(tmp_path / "oracle", game.rules)
    check(reproduce_small(identity, WITH_SOLVED_GAME[identity], oracle))


@pytest.mark.parametrize("identity", mark_slow(WITH_DEEPMILL))
def test_small_runs_with_a_program_like_deepmill(reproduce_small, identity, monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(write_authors_data(tmp_path / "data")))
    monkeypatch.setenv("LUDUS_DEEPMILL", str(write_deepmill_script(tmp_path / "deepmill")))
    check(reproduce_small(identity, WITH_DEEPMILL[identity]))


def test_training_without_a_mask_is_the_compiled_one():
    """Receptive fields are trained in numpy; with all connections that is back-propagation."""
    fields = find_experiment("tesauro-receptive-fields", EXPERIMENTS).module()
    settings = fields.GammonConfig(hidden=(24,), cycles=1, positions=8)
    trained = fields.train_masked(settings, fields.connect_all())
    examples, _ = fields.encode_positions(settings.coding, settings.positions)
    compiled = GammonTraining(settings, examples)
    fit(compiled)
    for ours, theirs in zip(trained.layers, compiled.network.layers, strict=True):
        assert np.allclose(ours[0], theirs[0], atol=1e-4)
        assert np.allclose(ours[1], theirs[1], atol=1e-4)


def test_masked_connections_stay_zero():
    fields = find_experiment("tesauro-receptive-fields", EXPERIMENTS).module()
    settings = fields.GammonConfig(hidden=(24,), cycles=1, positions=4)
    mask = fields.connect_window(6)
    assert mask.sum(axis=0).tolist() == [459 - 18 * 15] * 24
    weights = fields.train_masked(settings, mask).layers[0][0]
    assert (weights[mask == 0] == 0).all()
    assert (weights[mask == 1] != 0).any()


def test_a_stack_is_a_fourth_man_on_a_point():
    codings = find_experiment("tesauro-codings", EXPERIMENTS).module()
    position = Backgammon().parse(codings.FIGURE_2)
    moves = {str(move): move for move in position.legal_moves()}
    assert codings.is_stacking(position, moves[codings.STACKING_MOVE])
    assert not codings.is_stacking(position, moves[codings.SPREAD_MOVE])
