"""`ludus train scholar`: train networks on exact values and evaluate them."""

import math
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ludus.cli.nnmm_training import DeviceOption
from ludus.cli.options import MAX_SEED, ForceOption, JsonOption, OracleOption, OutputFileOption
from ludus.cli.output import format_optional, print_json, print_notice, print_table
from ludus.cli.training_log import LogOption, open_training_log
from ludus.core.errors import BadSpec, quote
from ludus.core.files import add_suffix, check_output, quote_path
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.games.nine_mens_morris.batch import MoveBatch
    from ludus.learn.scholar.examples import ExampleSource
    from ludus.learn.scholar.model import Exam, OptimizerName
    from ludus.learn.scholar.train import AnyTraining
    from ludus.learn.scholar.weights import ScholarWeights

MODEL_KINDS = ("scorer", "chain")
MODEL_SIZES = ("full", "medium", "deep", "small", "compact", "tiny")
SCORER_SIZES = ("medium", "deep", "compact")
"""Sizes of scorers alone."""

OPTIMIZERS = ("adam", "muon")


def scholar(
    out: OutputFileOption,
    way: Annotated[
        str, typer.Option("--way", metavar="WAY", help="scorer: rate moves; chain: choose parts.")
    ] = "scorer",
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="SIZE",
            help="Network size: full, medium, deep, small, compact, or tiny.",
        ),
    ] = "full",
    minutes: Annotated[float, typer.Option(min=0.01, help="Training time.")] = 15.0,
    session: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            metavar="MINUTES",
            help="Stop after this time; the same command goes on later.",
            show_default="no limit",
        ),
    ] = None,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Keep the training state in an eighth of the size."),
    ] = False,
    begin: Annotated[
        Path | None,
        typer.Option("--begin", metavar="FILE", help="Start from the networks of this file."),
    ] = None,
    exam: Annotated[
        list[Path] | None,
        typer.Option("--exam", metavar="FILE", help="Dataset to evaluate on; repeatable."),
    ] = None,
    games: Annotated[
        int, typer.Option(min=0, help="Final games against perfect play, per colour.")
    ] = 0,
    teacher: Annotated[
        Path | None,
        typer.Option("--teacher", metavar="FILE", help="Learn the moves of this dataset instead."),
    ] = None,
    distil: Annotated[
        Path | None,
        typer.Option("--distil", metavar="FILE", help="Learn from this larger scorer as well."),
    ] = None,
    mistakes: Annotated[
        Path | None,
        typer.Option(
            "--mistakes",
            metavar="FILE",
            help="Positions to train on more often: exceptions of an earlier scorer.",
        ),
    ] = None,
    rate: Annotated[float, typer.Option(min=0.0, max=100.0, help="Peak learning rate.")] = 0.002,
    optimizer: Annotated[
        str, typer.Option(metavar="NAME", help="adam, or muon for the group convolutions.")
    ] = "adam",
    weight_decay: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=100.0,
            help="Of the weights that muon trains: the share lost in a step, in learning rates.",
        ),
    ] = 0.0,
    ahead: Annotated[
        bool,
        typer.Option(
            "--ahead", help="Generate examples on a thread while networks train; for a GPU."
        ),
    ] = False,
    device: DeviceOption = "auto",
    oracle: OracleOption = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of weights and examples.")
    ] = 1,
    log: LogOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Train networks on perfect play of nine men's morris (needs torch; size full needs a GPU)."""
    check_output(out, begin, teacher, distil, mistakes, *(exam or []), force=force)
    from ludus.games.nine_mens_morris.batch import PositionBatch
    from ludus.learn.common.devices import require_package, select_device
    from ludus.learn.scholar.exceptions import load_mistakes

    require_package("torch", "training networks")
    from ludus.learn.scholar.evaluate import find_first_errors, run_exam, summarize_errors
    from ludus.learn.scholar.train import (
        Trainer,
        TrainingSchedule,
        export_weights,
        load_initial_weights,
    )
    from ludus.learn.scholar.weights import SCORER, load_weights, save_weights

    if way not in MODEL_KINDS or size not in MODEL_SIZES:
        raise BadSpec(
            f"there is no {quote(f'{size} {way}')}: {', '.join(MODEL_SIZES)}; scorer, chain"
        )
    check_choice("there is no optimizer", optimizer, OPTIMIZERS)
    if weight_decay and optimizer != "muon":
        raise BadSpec("--weight-decay is for --optimizer muon")
    if way == "chain" and size in SCORER_SIZES:
        raise BadSpec(f"there is no {size} chain; {size} is a size of scorers")
    if teacher is not None and way != "scorer":
        raise BadSpec("a teacher's moves are for the scorer; ludus train nnmm is the chain's way")
    if distil is not None and (way != "scorer" or teacher is not None):
        raise BadSpec("only a scorer can learn from a larger scorer, and from no other teacher")
    if mistakes is not None and teacher is not None:
        raise BadSpec("a teacher's moves are all that is learned; --mistakes is for perfect play")
    initial = None if begin is None else load_weights(begin)
    large = None if distil is None else load_weights(distil)
    if distil is not None and large is not None and large.kind != SCORER:
        raise BadSpec(f"{quote_path(distil)} holds no scorer; --distil learns from scorers alone")
    mined = None if mistakes is None else PositionBatch.from_keys(load_mistakes(mistakes))
    exam_entries = _read_exams(exam or [])
    torch_device = select_device(device)
    source = make_example_source(torch_device, oracle)
    men = source.rules.men
    if games and (0, 0, men, men) not in source.subspaces:
        raise BadSpec("games against perfect play need the whole game solved, not endings alone")
    exams = {name: _make_exam(source, entries) for name, entries in exam_entries.items()}
    training = _make_training(
        source,
        way,
        size,
        seed,
        cast("OptimizerName", optimizer),
        weight_decay,
        torch_device,
        teacher,
        large,
    )
    if initial is not None:
        load_initial_weights(training, initial)
    if teacher is None:
        training.generator.is_threaded = ahead
    if mined is not None:
        training.generator.mined = PositionBatch(*source.to_columns(mined.position_columns))
    state = add_suffix(out, ".training")
    trainer = Trainer(training, TrainingSchedule(60 * minutes, rate), state, compact)
    with open_training_log(log, f"scholar {way} {size}") as curves:
        for progress in trainer.run(math.inf if session is None else 60 * session):
            kept = {name: run_exam(training, each)["kept"] for name, each in exams.items()}
            trainer.log({**asdict(progress), "kept": kept})
            curves.add(progress.steps, {"loss": progress.loss, **_name_curves(kept)})
            shown = "".join(f"  {name} {proportion:.2%}" for name, proportion in kept.items())
            print_status(
                f"{progress.seconds:6.0f} s  step {progress.steps}  loss {progress.loss:.4f}{shown}"
            )
    trainer.save_checkpoint(state)
    is_finished = trainer.seconds >= trainer.schedule.seconds
    facts = {
        "way": way,
        "size": size,
        "seed": seed,
        "optimizer": optimizer,
        "weight_decay": weight_decay,
        "teacher": "perfect play" if teacher is None else teacher.stem,
        "seconds": round(trainer.seconds, 1),
        "steps": training.optimizer.steps,
        "parameters": sum(each.numel() for each in training.optimizer.model.parameters()),
        "device": str(torch_device),
        "exams": {name: run_exam(training, each) for name, each in exams.items()},
        "history": trainer.history,
        "revived": training.revived,
    }
    if games and is_finished:
        facts["games"] = summarize_errors(
            find_first_errors(source, training.choose, 2 * games, seed)
        )
    if not is_finished:
        print_status(f"stopped after {trainer.seconds:.0f} s of training; the same command goes on")
        out = add_suffix(out, ".unfinished")
    weights = export_weights(training, facts)
    if exams:
        # The networks as they play, rounded to bytes.
        load_initial_weights(training, weights)
        facts["rounded"] = {name: run_exam(training, each)["kept"] for name, each in exams.items()}
    save_weights(out, replace(weights, trained=facts))
    _print_report({**facts, "out": str(out)}, json)


def _name_curves(kept: dict[str, float]) -> dict[str, float]:
    return {f"kept/{name}": proportion for name, proportion in kept.items()}


def make_example_source(device: Any, oracle: Path | None) -> "ExampleSource":
    """Return a source of exact values: solved on the GPU if there is one, else from the oracle."""
    if device.type == "cuda":
        from ludus.games.nine_mens_morris.rules import PRESETS
        from ludus.learn.scholar.example_sources import CudaExampleSource, solve_on_gpu

        began = time.monotonic()
        solver = solve_on_gpu(PRESETS["standard"])
        print_status(f"solved in {time.monotonic() - began:.1f} s")
        return CudaExampleSource(solver)
    from ludus.games import game
    from ludus.learn.scholar.example_sources import OracleExampleSource
    from ludus.oracles import MorrisOracle
    from ludus.oracles import oracle as find_oracle

    morris = game("nine_mens_morris")
    solved = find_oracle(morris, oracle)
    assert isinstance(solved, MorrisOracle)
    if not solved.has_value(morris.start()):
        print_notice(
            f"examples are endings alone, {solved.coverage}; {solved.advice} solves the whole game"
        )
    return OracleExampleSource(solved)


def _read_exams(files: "Sequence[Path]") -> dict[str, "MoveBatch"]:
    """Return the entries of datasets by the names of the files, which reports show."""
    from ludus.datasets.morris.files import check_entries, read_dataset

    found: dict[str, MoveBatch] = {}
    for path in files:
        entries = read_dataset(path)
        check_entries(path, len(entries))
        if path.stem in found:
            raise BadSpec(f"two exams are named {quote(path.stem)}; a report has one of each name")
        found[path.stem] = entries
    return found


def _make_exam(source: "ExampleSource", entries: "MoveBatch") -> "Exam":
    from ludus.games.nine_mens_morris.batch import PositionBatch
    from ludus.learn.scholar.model import Exam

    positions = PositionBatch(*source.to_columns(entries.position_columns))
    return Exam.from_positions(source, positions)


def _make_training(
    source: "ExampleSource",
    way: str,
    size: str,
    seed: int,
    optimizer: "OptimizerName",
    weight_decay: float,
    device: Any,
    teacher: Path | None,
    large: "ScholarWeights | None",
) -> "AnyTraining":
    from ludus.datasets.morris.files import read_dataset
    from ludus.learn.scholar.chain_training import ChainTraining
    from ludus.learn.scholar.scorer_training import (
        DistillationTraining,
        ImitationTraining,
        ScorerTraining,
    )
    from ludus.learn.scholar.train import load_chain_preset, load_scorer_preset

    changes: dict[str, Any] = {"optimizer": optimizer, "weight_decay": weight_decay}
    if way == "chain":
        return ChainTraining(source, replace(load_chain_preset(size, seed), **changes), device)
    config = replace(load_scorer_preset(size, seed), **changes)
    if large is not None:
        return DistillationTraining(source, config, device, large)
    if teacher is not None:
        return ImitationTraining(source, config, device, read_dataset(teacher))
    return ScorerTraining(source, config, device)


def print_status(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print_report(facts: dict[str, Any], json: bool) -> None:
    if json:
        print_json(**facts)
        return
    print(f"{facts['steps']} steps in {facts['seconds']:.0f} s, written to {facts['out']}")
    if not facts["exams"]:
        print("no exam was set; --exam FILE measures the networks on a dataset")
        return
    shown = ("kept", "legal", "placing", "moving", "flying")
    print_table(
        ["exam", "critical", *shown, "kept, rounded"],
        [
            [
                name,
                str(each["critical"]),
                *(format_optional(each.get(key), ".2%") for key in shown),
                format_optional(facts["rounded"][name], ".2%"),
            ]
            for name, each in facts["exams"].items()
        ],
    )
