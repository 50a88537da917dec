"""`ludus nnmm`: what else there is to do with the networks for nine men's morris."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table

if TYPE_CHECKING:
    from ludus.learn.nnmm.committee import Way

app = typer.Typer(
    help="Networks for nine men's morris: import those of the thesis's author, join several sets.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("import")
def import_(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The author's npz files: TEST-rawest-TFR_TO.npz and so on.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="Where the networks go.", show_default=False),
    ],
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Networks of this order.")
    ] = "TFR",
    json: Json = False,
) -> None:
    """Turn networks that the author of the thesis has published into a file that players take."""
    from ludus.learn.nnmm.author import import_folder
    from ludus.learn.nnmm.weights import save

    weights = import_folder(folder, order)
    save(out, weights)
    names = [step.name for step in weights.order.steps]
    if json:
        print_json(
            out=str(out),
            order=order,
            inputs=weights.model.name,
            networks=names,
            bytes=out.stat().st_size,
        )
    else:
        print(f"networks for {', '.join(names)}, inputs {weights.model.name}, are in {out}")


@app.command()
def join(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Sets of networks that `ludus train nnmm` or `ludus nnmm import` wrote.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="Where they go.", show_default=False),
    ],
    shares: Annotated[
        str,
        typer.Option(
            "--shares",
            metavar="NUMBERS",
            help="How much each set has to say: 0.4,0.6.",
            show_default="equal shares",
        ),
    ] = "",
    symmetries: Annotated[
        str,
        typer.Option(
            "--symmetries",
            metavar="NUMBERS",
            help="Through how many symmetries each sees a position, 1 to 16: 1,16.",
            show_default="one",
        ),
    ] = "",
    half: Annotated[bool, typer.Option("--half", help="Write half precision.")] = False,
    json: Json = False,
) -> None:
    """Make one file of several sets of networks; the mean of what they say chooses the move."""
    from ludus.learn.nnmm.committee import Committee, save
    from ludus.learn.nnmm.weights import load

    ways = _ways(len(files), {"share": shares, "symmetries": symmetries})
    committee = Committee.of(*map(load, files), ways=ways)
    save(out, committee, half)
    told = [
        {"inputs": weights.model.name, "members": len(weights.members)}
        | {"share": way.share, "symmetries": way.symmetries, "file": str(file)}
        for file, weights, way in zip(files, committee.sets, committee.ways, strict=True)
    ]
    if json:
        print_json(out=str(out), order=str(committee.order), sets=told, bytes=out.stat().st_size)
    else:
        print_table(tuple(told[0]), [tuple(map(str, each.values())) for each in told])
        print(f"together they are in {out}")


def _ways(sets: int, lists: dict[str, str]) -> "list[Way]":
    """One way of asking for each set; the lists have a number for each, or nothing."""
    from ludus.core.errors import BadSpec, check_length, quoted
    from ludus.core.spec import with_options
    from ludus.learn.nnmm.committee import Way

    options: list[dict[str, str]] = [{} for _ in range(sets)]
    for name, text in lists.items():
        numbers = check_length(text, BadSpec).split(",") if text else []
        if text and len(numbers) != sets:
            raise BadSpec(f"{quoted(text)} has {len(numbers)} numbers for {sets} sets of networks")
        for each, number in zip(options, numbers, strict=False):
            each[name] = number.strip()
    return [with_options(Way(), each, "nnmm join") for each in options]
