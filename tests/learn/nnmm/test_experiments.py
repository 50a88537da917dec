"""The experiments of chapter 6: what was published, small runs of each, and the kept results."""

import importlib
import json
import random

import numpy as np
import pytest

import ludus
from ludus.arena import Job
from ludus.arena.regret import RegretStatistics
from ludus.cli.main import run
from ludus.datasets import augment
from ludus.games.nine_mens_morris import (
    NineMensMorris,
    PositionBatch,
    to_thesis,
    to_thesis_move,
)
from ludus.learn.nnmm import (
    Committee,
    NetworkChain,
    NetworkConfig,
    VotingOptions,
    compute_accuracy,
    compute_legality,
    points_to_classes,
)
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import find_experiment
from ludus.reproduce.context import RunOptions, make_context
from support.facilities import external
from support.nnmm import (
    EXPERIMENTS,
    TRAINING_MARGIN,
    load_module,
    random_chain,
    read_stored_rows,
    train,
    write_data,
    write_experiments,
)

# Section 6.3 of the thesis.
ACCURACY = {
    "TO": 54.39,
    "FROM": 64.40,
    "FROM not 0": 56.28,
    "REMOVE": 78.19,
    "REMOVE not 0": 51.27,
    "whole move": 39.54,
    "whole move, phase 1": 47.91,
    "whole move, phase 2": 38.71,
    "whole move, phase 3": 33.67,
}

# Section 6.4.
LEGALITY = {
    "TO self": 99.99,
    "FROM self": 99.99,
    "REMOVE self": 99.59,
    "FROM-TO relation": 100,
    "REMOVE-FROM-TO relation": 99.97,
    "whole FROM": 99.99,
    "whole phase 2 FROM": 99.99,
    "whole REMOVE": 99.55,
    "whole chosen REMOVE": 98.68,
    "whole move": 99.55,
}

# Table 6.11, NNMM as Black and as White against each program.
NNMM = """
1 W W
2 L L
3 D L
4 W W
5 W W
6 L W
7 D W
8 D W
9 W D
10 L L
11 D W
12 W D
13 W W
14 L W
16 D W
17 W W
DM L L
"""


@pytest.mark.parametrize(("name", "lines"), [("accuracy", ACCURACY), ("legality", LEGALITY)])
def test_every_line_of_the_thesis_is_there(name, lines):
    rows = find_experiment(f"galassi-{name}", EXPERIMENTS).published().rows
    found = {row["line"]: row.published for row in rows if row["system"] == "ours table-6-best"}
    assert found == lines


@pytest.mark.parametrize(("name", "number"), [("gaming", 3), ("colours", 6)])
def test_table_6_11_is_counted_right(name, number):
    games = [line.split()[1:] for line in NNMM.split("\n") if line]
    results = {"Black": [black for black, _ in games], "White": [white for _, white in games]}
    assert (sum(each.count("W") for each in results.values()), 2 * len(games)) == (18, 34)
    rows = find_experiment(f"galassi-{name}", EXPERIMENTS).published().rows
    networks = [row for row in rows if row["player"] != "teacher"]
    assert len(networks) == number
    for row in networks:
        played = [result for colour in row["colours"] for result in results[colour]]
        share = 100 * played.count(row["result"][0]) / len(played)
        assert (row.games, row.published) == (len(played), pytest.approx(share, abs=1e-3))


@pytest.mark.external("nnmm")
@pytest.mark.parametrize("order", ["TFR", "FTR", "RFT"])
def test_published_figures_are_those_of_the_authors_files(order):
    """Every number of the result files is in our TOML files, the text of the files being parsed."""
    text = external("nnmm", f"published/TEST-rawest-{order}_testing.txt").read_text()
    wanted = {
        float(line.rpartition("\t")[2])
        for part in text.split("Accuracy response")[:2]
        for line in part.split("\n")
        if line.startswith("\t") and line.strip()
    }
    found = set()
    for name in ("accuracy", "legality"):
        published = find_experiment(f"galassi-{name}", EXPERIMENTS).published()
        found |= {row.published for row in published.rows}
        for sets in published["others"].values():
            found |= {value for lines in sets.values() for value in lines.values()}
    assert len(wanted) >= 18
    assert wanted <= found


@pytest.mark.external("nnmm")
@pytest.mark.parametrize("order", ["TFR", "FTR", "RFT"])
def test_published_curves_are_those_of_the_authors_files(order):
    text = external("nnmm", f"published/TEST-rawest-{order}_reliability.txt").read_text()
    wanted = [[float(word) for word in line.split()] for line in text.split("\n") if "\t" in line]
    curves = find_experiment("galassi-reliability", EXPERIMENTS).published()["curves"][
        f"author {order}"
    ]
    found = [curve for parts in curves.values() for curve in parts.values()]
    assert len(wanted) == 6
    assert sorted(found) == sorted(wanted)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with small data, experiments of small size, and networks of ours."""
    folder = tmp_path_factory.mktemp("galassi")
    write_data(folder / "data")
    write_experiments(folder / "experiments")
    train(folder / "data", folder / "tiny.safetensors", "FTR")
    return folder


@pytest.fixture
def reproduced(small, monkeypatch, capsys):
    """Runs an experiment on the small data and reads what comes out."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(small / "data"))
    monkeypatch.setenv("LUDUS_NNMM_WEIGHTS", str(small / "tiny.safetensors"))

    def reproduce(identity):
        command = ["reproduce", identity, "--size", "quick", "--out", str(small / "out")]
        options = ["--experiments", str(small / "experiments"), "--jobs", "1", "--json"]
        assert run([*command, *options]) == 0
        return json.loads(capsys.readouterr().out)

    return reproduce


def test_accuracy_of_small_networks(reproduced):
    """Networks of other shape do not stand in the rows of the thesis's tables."""
    result = reproduced("galassi-accuracy")
    rows = {row["name"]: row for row in result["rows"]}
    assert rows["thesis: TO"]["ours"] is None
    assert "table-6-best" not in result["remarks"][0]
    assert "thesis are empty" in result["remarks"][0]
    row = rows["ours tiny, held out: whole move"]
    assert row["count"] == 300
    assert row["interval"][0] <= row["ours"] <= row["interval"][1]
    assert 0 <= row["ours"] < 30
    assert rows["ours tiny, joint, 16 symmetries, held out: whole move"]["count"] == 60
    by_name = {table["name"]: table for table in result["tables"]}
    assert len(by_name["All lines, held out"]["rows"]) == 11


def test_networks_alone_are_given_the_true_choices(small, monkeypatch):
    """TO comes first; FROM is the same as in pipeline wherever the chosen TO is the true one."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(small / "data"))
    accuracy, data = load_module("accuracy"), load_module("data")
    chain = NetworkChain(random_chain("TFR", "rawest", seed=3))
    entries = data.read_positions(data.WHOLE)[:4000]
    true = points_to_classes(entries.points)
    predicted = chain.predict(entries.positions).classes
    alone = accuracy.compute_accuracy_alone(chain, entries)
    is_right = predicted == true
    assert alone["TO"].hits == is_right[:, 0].sum() > 0
    chosen = entries[np.flatnonzero(is_right[:, 0])]
    assert accuracy.compute_accuracy_alone(chain, chosen)["FROM"].hits == (
        is_right[is_right[:, 0], 1].sum()
    )
    assert alone["REMOVE"].total == len(entries)


def test_legality_of_small_networks(reproduced):
    rows = {row["name"]: row["ours"] for row in reproduced("galassi-legality")["rows"]}
    rules = rows["author TFR, states: whole move, by the rules of the game"]
    by_check = rows["author TFR, states: whole move"]
    assert 0 <= by_check <= rules < 60


def test_reliability_of_small_networks(reproduced):
    result = reproduced("galassi-reliability")
    table = next(each for each in result["tables"] if each["name"].endswith("states"))
    shares = [value for row in table["rows"] for value in row[2:]]
    assert all(0 < value <= 100 for value in shares)
    assert {row[0] for row in table["rows"]} >= {"author TFR", "ours tiny", "author RFT, published"}


@pytest.mark.slow
def test_a_short_ladder(reproduced):
    result = reproduced("galassi-gaming")
    tables = {table["name"]: table for table in result["tables"]}
    outcomes = tables["Table 6.11"]
    opponents = [row[0] for row in outcomes["rows"]]
    assert opponents[:3] == ["random", "newbie", "teacher"]
    assert opponents[3:] == list(tables["All games"]["headings"][2:])
    words = {cell.removesuffix(" *") for row in outcomes["rows"] for cell in row[1:]}
    assert any(word.startswith("WIN (") for word in words)
    black, white = (
        next(row for row in outcomes["rows"] if row[0] == "ours tiny")[column]
        for column in map(outcomes["headings"].index, ("ours tiny as Black", "ours tiny as White"))
    )
    # Nothing is drawn by lot, so two seeds give one game, and its two sides see opposite results.
    assert not black.endswith("*")
    assert (black[:4], white[:4]) in (("DRAW", "DRAW"), ("WIN ", "LOSS"), ("LOSS", "WIN "))
    assert any("the legality check changed" in remark for remark in result["remarks"])
    assert tables["Exact figures"]["rows"] == []


def test_exact_figures_need_the_solved_game(reproduced):
    result = reproduced("galassi-critical")
    assert result["rows"] == []
    assert "--oracle" in result["remarks"][0]


@pytest.mark.parametrize(
    ("name", "networks", "figures"),
    [pytest.param("partial", 5, 2, marks=pytest.mark.slow), ("whole", 3, 3)],
)
def test_short_trainings(reproduced, name, networks, figures):
    result = reproduced(f"galassi-{name}")
    assert len(result["tables"]) == networks
    assert all(0 < row[2] <= 100 for table in result["tables"] for row in table["rows"])
    assert len(result["figures"]) == figures * networks
    assert any(row["ours"] is not None for row in result["rows"])


def make_curve(*accuracies, seconds=1.0):
    times = [seconds * (number + 1) for number in range(len(accuracies))]
    return {"accuracy": list(accuracies), "error": [1.0] * len(accuracies), "seconds": times}


def test_single_trainings_are_compared_by_the_deviation_between_trainings():
    tuning = load_module("tuning")
    assert tuning.load_training_margin() == pytest.approx(TRAINING_MARGIN, abs=1e-5)
    assert tuning.is_greater(50.0, 49.1) is None
    assert tuning.is_greater(50.0, 49.0) is True
    assert tuning.is_greater(49.0, 50.0) is False


def test_conclusions_of_tuning_are_open_until_what_decides_them_is_trained():
    tuning = load_module("tuning")
    curves = {"a": make_curve(40.0, 50.0, 49.0), "b": make_curve(50.3, seconds=4.0)}
    verdicts = [
        tuning.judge_similar("similar", curves, ["a", "b"]).holds,
        tuning.judge_similar("similar", curves, ["a", "b", "c"]).holds,
        tuning.judge_similar("similar", {**curves, "c": make_curve(47.0)}, ["a", "b", "c"]).holds,
        tuning.judge_similar("similar", {**curves, "c": make_curve(47.0)}, ["a", "c", "d"]).holds,
        tuning.judge_similar("similar", {**curves, "c": make_curve(49.1)}, ["b", "c"]).holds,
        tuning.judge_greater("better", {**curves, "c": make_curve(47.0)}, ["a", "b"], ["c"]).holds,
        tuning.judge_greater("better", {**curves, "c": make_curve(47.0)}, ["c"], ["a", "d"]).holds,
        tuning.judge_greater("better", curves, ["a"], ["b"]).holds,
        tuning.judge_sooner("sooner", curves, ["a"], ["b"]).holds,
        tuning.judge_sooner("sooner", {**curves, "c": make_curve(1.0)}, ["a"], ["c"]).holds,
        tuning.judge_sooner(
            "sooner", {**curves, "c": make_curve(1.0, seconds=3)}, ["a"], ["c"]
        ).holds,
    ]
    assert verdicts == [True, None, False, False, None, True, False, None, True, False, None]
    evidence = tuning.judge_similar("similar", curves, ["a", "b", "c"]).evidence
    assert evidence == "a difference of 0.30 points: a 50.00 %; b 50.30 %; not trained yet: c"


@pytest.mark.parametrize("name", ["partial", "whole"])
def test_what_the_text_says_of_tuning_is_concluded_at_published_size_only(name, reproduced):
    stored = json.loads(find_experiment(f"galassi-{name}", EXPERIMENTS).results.read_text())
    assert len(stored["conclusions"]) == 10
    assert stored["tables"][-1]["name"] == "Time until the best accuracy"
    if name == "whole":
        found = reproduced("galassi-whole")
        assert found["conclusions"] == []
        assert all(row["interval"] is None for row in found["rows"])


def make_games(*results):
    games = load_module("games")
    return [
        games.Game(games.COLOURS[number % 2], 0, result, "men", "")
        for number, result in enumerate(results)
    ]


@pytest.mark.parametrize(
    ("results", "own", "is_fair", "wanted"),
    [
        (["LOSS"] * 8, ["DRAW"] * 2, False, [True, True, True]),
        (["LOSS"] * 10 + ["DRAW"] * 2, ["DRAW", "WIN"], False, [True, None, None]),
        (["LOSS"] * 10 + ["DRAW"] * 2, ["DRAW", "WIN"], True, [True, False, False]),
        (["LOSS", "WIN", "DRAW", "DRAW"], ["DRAW"], False, [None, None, True]),
        (["WIN"] * 8, ["DRAW"], True, [False, False, True]),
    ],
)
def test_conclusions_about_deepmill(results, own, is_fair, wanted):
    """With less time than in the thesis a draw shows nothing about its games, but a loss does."""
    deepmill, games = load_module("deepmill"), make_games(*results)
    conclusions = [
        deepmill.judge_strength(games, "DeepMill"),
        deepmill.judge_starts(games, "DeepMill", is_fair),
        deepmill.judge_own_games(make_games(*own), "DeepMill", is_fair),
    ]
    assert [each.holds for each in conclusions] == wanted


def test_timed_games_are_cached_one_by_one(tmp_path):
    deepmill, games = load_module("deepmill"), load_module("games")
    experiment = find_experiment("galassi-deepmill", EXPERIMENTS)
    one, other = games.Contestant("random", "random"), games.Contestant("newbie", "newbie")
    found = []
    for number in (3, 5):
        options = RunOptions(size="reduced", jobs=1)
        with make_context(experiment, tmp_path, options) as context:
            found.append(deepmill.play_timed_games(context, one, other, number))
        assert len(list(tmp_path.glob("*/game-*.json"))) == number
    assert found[0] == found[1][:3]
    assert [game.opening for game in found[1]] == [0, 0, 0, 0, 1]
    assert [game.colour for game in found[1]] == ["White", "Black", "White", "Black", "White"]
    row = deepmill.measure_points("points", found[1])
    assert row.low < row.value < row.high or row.value in (0, 100)


def test_without_the_data_one_line_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(tmp_path))
    out = ["--size", "quick", "--out", str(tmp_path / "out")]
    assert run(["reproduce", "galassi-accuracy", *out]) == 2
    report = capsys.readouterr().err.strip()
    assert "\n" not in report
    assert "ludus dataset fetch nnmm" in report


def test_weights_that_are_not_there(small, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(small / "data"))
    monkeypatch.setenv("LUDUS_NNMM_WEIGHTS", str(tmp_path / "nowhere.safetensors"))
    out = ["--size", "quick", "--out", str(tmp_path / "out")]
    assert run(["reproduce", "galassi-accuracy", *out]) == 2
    assert "nowhere.safetensors" in capsys.readouterr().err


def test_the_authors_networks_give_the_published_accuracy():
    """To the fourth decimal: data, expansion, encoding and inference in one."""
    rows = read_stored_rows("accuracy")
    figures = [round(rows[f"author TFR: {line}"]["ours"], 4) for line in FOUR]
    assert figures == [52.8715, 63.0072, 75.6040, 37.2005]
    for row in rows.values():
        if row["name"].startswith("author TFR:"):
            assert row["ours"] == pytest.approx(row["published"], abs=1e-6)


FOUR = ("TO", "FROM", "REMOVE", "whole move")


def test_the_authors_networks_give_the_published_legality():
    """All lines but that on FROM in phase 2, on both sets."""
    rows = [row for row in read_stored_rows("legality").values() if row["published"] is not None]
    found = [row for row in rows if row["name"].startswith("author TFR")]
    assert len(found) == 20
    for row in found:
        is_odd = row["name"].endswith("whole phase 2 FROM")
        gap = 0.07 if is_odd else 1e-6
        assert row["ours"] == pytest.approx(row["published"], abs=gap), row["name"]


def test_the_authors_networks_give_the_published_curves():
    rows = [row for row in read_stored_rows("reliability").values() if row["published"] is not None]
    assert len(rows) == 18
    for row in rows:
        assert row["ours"] == pytest.approx(row["published"], abs=0.00501), row["name"]


def test_what_is_kept_of_critical_positions():
    """Cross can win or block; the three other moves lose: regret 0, 1 and three times 2."""
    package = find_experiment("galassi-critical", EXPERIMENTS).module().__package__
    tables = importlib.import_module(f"{package}.regret_tables")
    game = ludus.game("noughts_and_crosses")
    found = RegretStatistics(game, find_oracle(game))
    here = game.parse(".../XO./XO. x")
    moves = here.legal_moves()
    found.add_moves([here] * len(moves), moves)
    counts = tables.count_kept(found)
    assert counts["all"] == [1, 5, 7, 5]
    assert tables.make_row("all", counts)[:3] == ["all", 5, 1.4]


def test_seeds_of_games_depend_on_weights_and_not_on_their_folder(small, tmp_path):
    package = find_experiment("galassi-gaming", EXPERIMENTS).module().__package__
    games, systems = (importlib.import_module(f"{package}.{name}") for name in ("games", "systems"))
    weights = (small / "tiny.safetensors").read_bytes()
    files = [tmp_path / folder / "tiny.safetensors" for folder in ("here", "there")]
    for file in files:
        file.parent.mkdir()
        file.write_bytes(weights)
    experiment = find_experiment("galassi-gaming", small / "experiments")
    context = make_context(experiment, tmp_path / "out", RunOptions(size="quick"))
    other = games.Contestant("random", "random")
    here, there = (
        list(games.schedule_games(context, systems.System("tiny", file).to_contestant(), other))
        for file in files
    )
    assert [job.seed for job in here] == [job.seed for job in there]
    assert len({job.seed for job in here}) == len(here)
    assert [job.players for job in here] != [job.players for job in there]
    shipped = systems.System("ours", files[0], "size=symmetric,order=TFR").to_contestant()
    for job in games.schedule_games(context, shipped, other):
        assert job.seed == Job(job.key, job.conditions, job.is_swapped, job.start).seed


def test_one_image_of_an_entry_counts_for_all_of_them(small, monkeypatch):
    """Sets that treat all images alike have the same figures as with every entry by itself."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(small / "data"))
    package = find_experiment("galassi-joined", EXPERIMENTS).module().__package__
    joined, data = (importlib.import_module(f"{package}.{name}") for name in ("joined", "data"))
    entries = data.read_positions(data.WHOLE)[-3000:]
    images = joined.find_distinct_images(entries)
    assert images.counts.sum() == len(entries)
    assert len(images.entries) < len(entries) / 10
    keys, symmetry = images.entries.find_canonical()
    assert (keys == images.entries.keys().astype(np.int64)).all()
    assert not symmetry.any()
    symmetric = NetworkConfig(architecture="symmetric", first=4, blocks=1)
    both = Committee.combine(
        random_chain("TFR", "lines", 1, symmetric, seed=1),
        random_chain("TFR", "rawest", seed=2),
        voting=[VotingOptions(1, 1), VotingOptions(1, 16)],
    )
    found = joined.evaluate_images(both, images, "parts")
    predicted = NetworkChain(both).predict(entries.positions).classes
    wanted = compute_accuracy(entries, predicted, points_to_classes(entries.points))
    assert {line: found[line] for line in joined.LINES} == {
        line: [wanted[line].hits, wanted[line].total] for line in joined.LINES
    }
    assert found["legal"][0] == compute_legality(entries, predicted)["whole move"].hits


def test_critical_positions_of_a_sample(reproduced, tmp_path, monkeypatch):
    """DeepMill is not here; the search is judged in the endings that come with the program."""
    game, source = NineMensMorris(), random.Random(1)
    boards = [sum(1 << point for point in source.sample(range(24), 6)) for _ in range(100)]
    lines = []
    for board in boards:
        points = [point for point in range(24) if board >> point & 1]
        own = sum(1 << point for point in source.sample(points, 3))
        (position,) = PositionBatch.from_columns([own], [board & ~own]).to_positions(game)
        move = source.choice(position.legal_moves())
        lines.append(f"{to_thesis(position)}-{to_thesis_move(move)}\n")
    (tmp_path / "dataset.txt").write_text("".join(lines))
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(tmp_path))
    result = reproduced("galassi-teacher")
    rows = {row["name"]: row for row in result["rows"]}
    assert list(rows) == [
        "the dataset's moves: critical positions kept",
        "negascout, 0.01 s: critical positions kept",
        "negascout, 0.1 s: critical positions kept",
    ]
    counts = [row["count"] for row in rows.values()]
    assert counts[0] == counts[1] >= counts[2] > 0
    assert "up to 4 men a side" in result["remarks"][0]
    assert "LUDUS_DEEPMILL" in result["remarks"][-1]


def test_held_out_entries_have_no_image_that_was_learned(small, monkeypatch):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(small / "data"))
    package = find_experiment("galassi-critical", EXPERIMENTS).module().__package__
    data = importlib.import_module(f"{package}.data")
    entries, whole = data.read_held_out_entries(), data.read_positions(data.WHOLE)
    images = augment(entries, "published")
    room = len(data.read_positions(data.HELD_OUT))
    assert room - 31 < len(images) <= room
    assert images.points.tolist() == whole[len(whole) - len(images) :].points.tolist()
