"""`ludus nnmm`: what else there is to do with the networks for nine men's morris."""

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json

app = typer.Typer(
    help="Networks for nine men's morris: import those of the thesis's author.",
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
