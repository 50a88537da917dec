"""`ludus train gammon`: teach a network from an expert's scores."""

import dataclasses
import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, with_progress
from ludus.core.errors import BadSpec, LudusError, quoted

if TYPE_CHECKING:
    from ludus.learn.gammon.network import Network
    from ludus.learn.gammon.training import Settings, Training


def gammon(
    hidden: Annotated[
        str,
        typer.Option("--hidden", metavar="N,N…", help="Units of the hidden layers; none: 0."),
    ] = "24,24",
    coding: Annotated[
        str,
        typer.Option(
            "--coding",
            metavar="NAME",
            help="What the network sees: features (459 units), raw (393), tool (410), exact (651), "
            "unary or unary_features.",
        ),
    ] = "features",
    cycles: Annotated[int, typer.Option("--cycles", help="How often positions are shown.")] = 20,
    positions: Annotated[
        int, typer.Option("--positions", help="Use so many of the data base; 0: all.")
    ] = 0,
    noise: Annotated[
        bool, typer.Option("--noise/--no-noise", help="Show uncommented moves at random.")
    ] = True,
    error: Annotated[
        str,
        typer.Option(
            "--error",
            metavar="SIGNAL",
            help="score: each move by itself; comparison: the alternatives of a position together.",
        ),
    ] = "score",
    rate: Annotated[
        float | None, typer.Option("--rate", help="Learning rate of the first cycle.")
    ] = None,
    last_rate: Annotated[
        float | None, typer.Option("--last-rate", help="Learning rate of the last cycle.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="FILE", help="Learn from this data base.", show_default="our own"
        ),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option(
            "--test", metavar="FILE", help="Be tested with this one.", show_default="our own"
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", min=0, max=10_000_000, help="Games against tool at the end.")
    ] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same network.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the network; go on with what is there."),
    ] = None,
    json: Json = False,
) -> None:
    """Teach the backgammon network of Tesauro and Sejnowski from an expert's scores."""
    from ludus.learn.gammon import shipped
    from ludus.learn.gammon.codings import coding_named
    from ludus.learn.gammon.contest import contest
    from ludus.learn.gammon.lessons import Lessons

    settings = _settings(
        hidden=_hidden(hidden),
        coding=coding,
        cycles=cycles,
        positions=positions,
        noise=noise,
        error=error,
        rate=rate,
        last_rate=last_rate,
        seed=seed,
    )
    known = coding_named(coding)
    read = shipped.lessons(data) if data else list(shipped.training_lessons())
    lessons = Lessons.of(read[: positions or None], known)
    tests = Lessons.of(shipped.lessons(test) if test else shipped.test_lessons(), known)
    training = _training(lessons, settings, out, data)
    curve = []
    steps = with_progress(training.cycles(), settings.cycles - training.done, "learning")
    for cycle in steps:
        if out is not None:
            cycle.network.save(out, _notes(settings, data, cycle.number))
        shares = [each.agreement(cycle.network.scores(each.patterns)) for each in (lessons, tests)]
        curve.append({"cycle": cycle.number, "training": shares[0], "test": shares[1]})
        if not json:
            print(f"cycle {cycle.number:3}  training {shares[0]:.3f}  test {shares[1]:.3f}")
    _tell(
        training.network,
        curve,
        contest(training.network, "tool", games, seed) if games else None,
        json,
    )


def _tell(network: "Network", curve: list[dict[str, Any]], result: Any, json: bool) -> None:
    share = None if result is None else round(result.share, 4)
    if json:
        print_json(
            network=network.name,
            curve=curve,
            games=0 if result is None else result.games,
            against_tool=share,
        )
        return
    won = "" if result is None else f" wins {share:.1%} of {result.games} games against tool"
    print(f"{network.name}{won or ' is trained'}")


def _hidden(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        raise BadSpec(f"hidden layers {quoted(text)} must be numbers as in 24,12")
    sizes = tuple(int(part) for part in parts)
    return () if sizes == (0,) else sizes


def _settings(**values: Any) -> "Settings":
    from ludus.learn.gammon.training import Settings

    if values["error"] not in ("score", "comparison"):
        raise BadSpec(f"error {quoted(values['error'])} must be score or comparison")
    return Settings(**{name: value for name, value in values.items() if value is not None})


def _notes(settings: "Settings", data: Path | None, cycle: int) -> str:
    """What decides about the network, and how far it has come."""
    taught = {**dataclasses.asdict(settings), "data": str(data or "")}
    return json_format.dumps({"cycle": cycle, **taught}, sort_keys=True)


def _training(
    lessons: Any, settings: "Settings", out: Path | None, data: Path | None
) -> "Training":
    """A training from the beginning, or from where an interrupted one like it stopped."""
    import numpy as np

    from ludus.learn.gammon.codings import coding_named
    from ludus.learn.gammon.network import Network
    from ludus.learn.gammon.training import Training

    if out is None or not out.exists():
        rng = np.random.default_rng(settings.seed)
        made = Network.random(coding_named(settings.coding), settings.hidden, rng)
        return Training(lessons, made, settings)
    network, notes = Network.load_with_notes(out)
    done = next((n for n in range(settings.cycles + 1) if notes == _notes(settings, data, n)), None)
    if done is None:
        raise LudusError(f"{quoted(str(out), 200)} was trained in another way; name a new file")
    return Training(lessons, network, settings, done)
