"""`ludus train scholar`: solve, take examples, teach, and hold an exam, in one command."""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import Json, OracleFolder
from ludus.cli.output import print_json, print_table
from ludus.cli.train_nnmm import Device, need_torch
from ludus.core.errors import BadSpec, LudusError, quoted

if TYPE_CHECKING:
    from ludus.learn.scholar.critical import Exam
    from ludus.learn.scholar.examples import ExampleSource
    from ludus.learn.scholar.term import Training

WAYS = ("scorer", "chain")
SIZES = ("full", "small", "tiny")


def scholar(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Write the networks.", show_default=False)
    ],
    way: Annotated[
        str, typer.Option("--way", metavar="WAY", help="scorer: judge moves; chain: choose parts.")
    ] = "scorer",
    size: Annotated[
        str, typer.Option("--size", metavar="SIZE", help="full, small, or tiny to try things out.")
    ] = "full",
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.01, help="How long to learn.")
    ] = 15.0,
    begin: Annotated[
        Path | None,
        typer.Option("--begin", metavar="FILE", help="Begin with the networks of another file."),
    ] = None,
    exam: Annotated[
        list[Path] | None,
        typer.Option("--exam", metavar="FILE", help="Positions, as datasets write them, to judge."),
    ] = None,
    games: Annotated[
        int,
        typer.Option("--games", min=0, help="Games against perfect play in the end, each colour."),
    ] = 0,
    teacher: Annotated[
        Path | None,
        typer.Option(
            "--teacher", metavar="FILE", help="Learn the moves of a dataset, not perfect play."
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", min=0.0, help="The learning rate at its height.")
    ] = 0.002,
    device: Device = "auto",
    oracle: OracleFolder = None,
    seed: Annotated[int, typer.Option("--seed", help="For first weights and examples.")] = 1,
    json: Json = False,
) -> None:
    """Teach a scholar by perfect play (needs torch; in full a GPU)."""
    need_torch()
    from ludus.learn.devices import device_named
    from ludus.learn.scholar.export import begin_with, weights_of
    from ludus.learn.scholar.matches import first_errors, told
    from ludus.learn.scholar.report import sat
    from ludus.learn.scholar.term import Attendance, Term
    from ludus.learn.scholar.weights import load, save

    if way not in WAYS or size not in SIZES:
        raise BadSpec(f"there is no {quoted(f'{size} {way}')}: {', '.join(SIZES)}; scorer, chain")
    if teacher is not None and way != "scorer":
        raise BadSpec("a teacher's moves are for the scorer; ludus train nnmm is the chain's way")
    if out.exists():
        raise LudusError(f"{quoted(str(out), 200)} is there already; name another file")
    place = device_named(device)
    source = _source(place, oracle)
    men = source.rules.men
    if games and (0, 0, men, men) not in source.subspaces:
        raise BadSpec("games against perfect play need the whole game solved, not endings alone")
    exams = {path.stem: _exam(source, path) for path in exam or []}
    training = _training(source, way, size, seed, place, teacher)
    if begin is not None:
        begin_with(training, load(begin))
    state = out.with_name(f"{out.name}.training")
    attendance = Attendance(training, Term(60 * minutes, rate), state)
    for progress in attendance.run():
        kept = {name: sat(training, each)["kept"] for name, each in exams.items()}
        attendance.note({**asdict(progress), "kept": kept})
        shown = "".join(f"  {name} {share:.2%}" for name, share in kept.items())
        _say(f"{progress.seconds:6.0f} s  step {progress.steps}  loss {progress.loss:.4f}{shown}")
    attendance.keep(state)
    facts = {
        "way": way,
        "size": size,
        "seed": seed,
        "teacher": "perfect play" if teacher is None else teacher.stem,
        "seconds": round(attendance.seconds, 1),
        "steps": training.pupil.steps,
        "parameters": sum(each.numel() for each in training.pupil.networks.parameters()),
        "device": str(place),
        "exams": {name: sat(training, each) for name, each in exams.items()},
        "history": attendance.history,
    }
    if games:
        facts["games"] = told(first_errors(source, training.choose, 2 * games, seed))
    save(out, weights_of(training, facts))
    _tell({**facts, "out": str(out)}, json)


def _source(device: Any, oracle: Path | None) -> "ExampleSource":
    """Where perfect values come from: solved here and now on a GPU, looked up elsewhere."""
    if device.type == "cuda":
        from ludus.games.nine_mens_morris.rules import PRESETS
        from ludus.learn.scholar.sampler_cuda import CudaExamples, solve_in_memory

        began = time.monotonic()
        solver = solve_in_memory(PRESETS["standard"])
        _say(f"solved in {time.monotonic() - began:.1f} s")
        return CudaExamples(solver)
    from ludus.games import game
    from ludus.learn.scholar.sampler_cpu import OracleExamples
    from ludus.oracle import MorrisOracle, oracle_for

    found = oracle_for(game("nine_mens_morris"), oracle)
    assert isinstance(found, MorrisOracle)
    return OracleExamples(found)


def _exam(source: "ExampleSource", path: Path) -> "Exam":
    import numpy as np

    from ludus.datasets.morris.files import read
    from ludus.learn.scholar.critical import Exam
    from ludus.learn.scholar.examples import Positions

    entries = read(path)
    boards = [entries.own.astype(np.int32), entries.other.astype(np.int32)]
    return Exam.of(
        source, Positions(*source.columns([*boards, entries.own_hand, entries.other_hand]))
    )


def _training(
    source: "ExampleSource", way: str, size: str, seed: int, device: Any, teacher: Path | None
) -> "Training":
    from ludus.datasets.morris.files import read
    from ludus.learn.scholar.chain_training import ChainTraining
    from ludus.learn.scholar.courses import CHAINS, SCORERS
    from ludus.learn.scholar.scorer_training import ScorerTraining
    from ludus.learn.scholar.teacher_training import TeacherTraining

    if teacher is not None:
        return TeacherTraining(source, SCORERS[size](seed), device, read(teacher))
    if way == "scorer":
        return ScorerTraining(source, SCORERS[size](seed), device)
    return ChainTraining(source, CHAINS[size](seed), device)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _tell(facts: dict[str, Any], json: bool) -> None:
    if json:
        print_json(**facts)
        return
    shown = ("kept", "legal", "placing", "moving", "flying")
    print_table(
        ["exam", "critical", *shown],
        [
            [name, str(each["critical"]), *(_percent(each.get(key)) for key in shown)]
            for name, each in facts["exams"].items()
        ],
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.2%}"
