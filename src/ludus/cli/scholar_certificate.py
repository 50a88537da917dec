"""`ludus certify scholar`: prove that a scorer does not lose, with exceptions where it would."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.help import make_group
from ludus.cli.nnmm_training import DeviceOption
from ludus.cli.options import ForceOption, JsonOption, OracleOption
from ludus.cli.output import print_json, print_table
from ludus.cli.scholar import make_example_source, print_status
from ludus.core.errors import BadSpec, quote
from ludus.core.files import add_suffix, check_output, read_text

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.batch import PositionBatch

app = make_group(help="Prove that the scholar does not lose.")

SAVE_SECONDS = 300.0
"""Interval at which the state of a visit is written."""

MAX_DIGITS = 9
"""Longest number that is read; Python refuses those of thousands of digits."""

LOG2_CACHE_SIZE, CUDA_LOG2_CACHE_SIZE = 24, 30
"""Log2 of the number of scores kept in memory: 256 MB, and 16 GB of a GPU's."""

BATCH, CUDA_BATCH = 1 << 17, 1 << 20
"""Positions expanded at once: about 3 GB of a processor's memory, and 5 GB of a GPU's."""


@app.command()
def certify(
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights", metavar="FILE", help="Scorer.", show_default="the shipped one of --size"
        ),
    ] = None,
    size: Annotated[str, typer.Option("--size", metavar="SIZE", help="A shipped scorer.")] = "full",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="File of exceptions; a player uses it beside the weights, as NAME.exceptions.",
            show_default="beside the weights",
        ),
    ] = None,
    colour: Annotated[
        str, typer.Option("--colour", metavar="COLOUR", help="Of the scholar: white, black, both.")
    ] = "both",
    errors: Annotated[
        str,
        typer.Option(
            "--errors", metavar="N", help="How often the opponent may give the value away, or any."
        ),
    ] = "0",
    care: Annotated[
        float | None,
        typer.Option(
            help="Loss aversion of the player, its option care.",
            show_default="the player's own, 400; with --check that of the file",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Play the exceptions of --out, and find none missing.")
    ] = False,
    positions: Annotated[
        Path | None,
        typer.Option(
            "--positions",
            metavar="FILE",
            help="Begin at these positions, the scholar to move.",
            show_default="the start of the game",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Stop before this time is over; the same command goes on later.",
            show_default="no limit",
        ),
    ] = None,
    moves: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after this number of own moves.", show_default="no limit"),
    ] = None,
    device: DeviceOption = "auto",
    oracle: OracleOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Visit all positions that can arise, and store a move where the scholar would err.

    With the stored moves it cannot lose to an opponent that never gives the value away.
    """
    from ludus.games.nine_mens_morris.batch import PositionBatch
    from ludus.learn.common.devices import require_package, select_device

    require_package("torch", "visiting positions")
    from ludus.learn.scholar.certify import COLOURS, CertificateConfig, Certification
    from ludus.learn.scholar.exceptions import SUFFIX, load_exceptions, save_exceptions
    from ludus.learn.scholar.inference import LOSS_AVERSION, find_shipped_weights
    from ludus.learn.scholar.visit import ANY_NUMBER
    from ludus.learn.scholar.weights import SCORER, load_weights

    torch_device = select_device(device)
    if weights is None:
        files = find_shipped_weights()
        if ("scorer", size) not in files:
            raise BadSpec(f"no scorer of size {quote(size)} is shipped")
        weights = files["scorer", size]
    loaded = load_weights(weights)
    if loaded.kind != SCORER:
        raise BadSpec("only scorers have certificates")
    path = weights.with_suffix(SUFFIX) if out is None else out
    # A check goes on from a state of its own: that of an unfinished certificate is kept.
    state = add_suffix(path, ".check" if check else ".visit")
    if not check:
        check_output(path, weights, positions, force=force or state.exists())
    known = load_exceptions(path, loaded.digest()).unpack() if check else None
    if care is None:
        care = LOSS_AVERSION if known is None else known.loss_aversion
    if known is not None and known.loss_aversion != care:
        raise BadSpec(f"these exceptions are for care={known.loss_aversion:g}, not {care:g}")
    config = CertificateConfig(
        colours=COLOURS if colour == "both" else (colour,),
        opponent_errors=ANY_NUMBER if errors == "any" else _parse_errors(errors),
        loss_aversion=care,
        batch=CUDA_BATCH if torch_device.type == "cuda" else BATCH,
        log2_cache_size=CUDA_LOG2_CACHE_SIZE if torch_device.type == "cuda" else LOG2_CACHE_SIZE,
    )
    given = None if positions is None else _read_positions(positions)
    source = make_example_source(torch_device, oracle)
    roots = None
    if given is not None:
        roots = PositionBatch(*source.to_columns(given.position_columns))
    men = source.rules.men
    if roots is None and (0, 0, men, men) not in source.subspaces:
        raise BadSpec("the whole game must be solved, not endings alone; or give --positions")
    certification = Certification(source, loaded, config, torch_device, roots, known)
    if state.exists():
        certification.restore(state)
    saved = time.monotonic()
    seconds = float("inf") if minutes is None else 60 * minutes
    for counts in certification.run(seconds, 1 << 30 if moves is None else moves):
        print_status(
            f"{counts.seconds:6.0f} s  move {counts.own_moves}  visited {counts.visited}  "
            f"critical {counts.critical}  exceptions {counts.exceptions}"
        )
        if time.monotonic() - saved > SAVE_SECONDS:
            certification.save(state)
            saved = time.monotonic()
    found = certification.exceptions()
    is_complete = bool(found.facts["complete"])
    if not is_complete:
        certification.save(state)
    missing = 0 if known is None else len(found) - len(known)
    if known is None:
        save_exceptions(path, found)
    if is_complete:  # not before the exceptions are stored: the disk may be full
        state.unlink(missing_ok=True)
    report: dict[str, Any] = {
        **found.facts,
        "exceptions": len(found),
        "seconds": round(certification.visit.counts.seconds, 1),
        "out": str(path),
        **({} if known is None else {"missing": missing}),
    }
    if json:
        print_json(**report)
    else:
        print_table(["", ""], [[name, str(value)] for name, value in report.items()])
    if missing:
        if not json:
            print(f"{missing} exceptions are missing in {path}")
        raise typer.Exit(1)


def _parse_errors(text: str) -> int:
    if not text.isdecimal() or len(text) > MAX_DIGITS:
        raise BadSpec(f"--errors is a number or any, not {quote(text)}")
    return int(text)


def _read_positions(path: Path) -> "PositionBatch":
    """Read positions, one in a line."""
    from ludus.games import game
    from ludus.games.nine_mens_morris.batch import PositionBatch

    morris = game("nine_mens_morris", engine="python")
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    if not lines:
        raise BadSpec(f"{quote(str(path), 200)} has no positions")
    found = [morris.parse(line) for line in lines]
    for line, position in zip(lines, found, strict=True):
        if position.outcome() is not None:
            raise BadSpec(f"{quote(line.strip())} of {quote(str(path), 200)}: the game is over")
    return PositionBatch.from_positions(found)
