"""`ludus convert`, `export`, `import` and `join`: files for and from other programs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.help import HelpGroup, make_group
from ludus.cli.options import (
    ForceOption,
    JsonOption,
    OutputFileOption,
    complete_player,
    list_spec_files,
)
from ludus.cli.output import print_json, print_table, track_progress
from ludus.core.errors import BadSpec
from ludus.core.files import (
    add_suffix,
    check_output,
    quote_path,
    read_text,
    write_bytes,
    write_text,
)


class ExportGroup(HelpGroup):
    """A group whose first word may also be a file, which is exported as a tournament."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands and not args[0].startswith("-"):
            return "tournament", self.commands["tournament"], args
        return super().resolve_command(ctx, args)


def tournament(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A result file (.sqlite), the tournament's .toml beside it, or a file of records.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write all games of a tournament as a table (.parquet) or as records in the form of PGN."""
    from ludus.arena.game_export import export_games

    results = add_suffix(file, "").with_suffix(".sqlite")
    # SQLite keeps the last games of a running tournament in two files beside it.
    parts = [add_suffix(each, end) for each in (file, results) for end in ("", "-wal", "-shm")]
    check_output(out, *parts, force=force)
    written = export_games(file, out, lambda games: track_progress(games, None, "writing"))
    if json:
        print_json(games=written, out=str(out), bytes=out.stat().st_size)
    else:
        print(f"{written} games in {out}")


def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Games as `ludus judge` reads them.", show_default=False
        ),
    ],
    out: OutputFileOption,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write games of other programs as records, .mat or .sgf, by the suffix of --out."""
    check_output(out, file, force=force)
    from ludus.games.game_files import format_games, read_games

    records = read_games(file)
    write_text(out, format_games(records, out.suffix))
    if json:
        print_json(games=len(records), out=str(out))
    else:
        print(f"{len(records)} {'record' if len(records) == 1 else 'records'} in {out}")


def onnx(
    what: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="A player with networks, as scholar:size=small, or a file of weights.",
            show_default=False,
            autocompletion=complete_player,
        ),
    ],
    out: OutputFileOption,
    game: Annotated[
        str, typer.Option("--game", metavar="GAME", help="The game of a deepq network.")
    ] = "",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write the networks of a player as an ONNX model, which other programs can run."""
    check_output(out, *list_spec_files(what), force=force)
    if out.suffix != ".onnx":
        raise BadSpec(f"{quote_path(out)} does not end in .onnx")
    from ludus.learn.onnx_export import build_onnx_model

    model = build_onnx_model(what, game)
    write_bytes(out, model.data)
    tensors = {
        kind: [{"name": each.name, "width": each.width, "meaning": each.meaning} for each in infos]
        for kind, infos in (("inputs", model.inputs), ("outputs", model.outputs))
    }
    if json:
        print_json(out=str(out), bytes=len(model.data), **tensors)
        return
    print(f"{len(model.data)} bytes in {out}")
    for kind, infos in tensors.items():
        for each in infos:
            print(f"{kind[:-1]} {each['name']}: {each['meaning']}")


app = make_group(
    help="Write games as tables or records, and networks as ONNX models.", cls=ExportGroup
)

for command in (tournament, onnx):
    app.command()(command)


def import_nnmm(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of Galassi's npz files: TEST-rawest-TFR_TO.npz and so on.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Networks of this order.")
    ] = "TFR",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Convert the networks published with Galassi 2018 to a weights file for players."""
    check_output(out, force=force)
    from ludus.learn.nnmm.weights import import_galassi_networks

    weights = import_galassi_networks(folder, order)
    weights.save(out)
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


def import_gammon(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Positions scored by hand.")],
    out: OutputFileOption,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Check positions of backgammon scored by hand and convert them for `ludus train gammon`."""
    check_output(out, file, force=force)
    from ludus.datasets.backgammon.scored_positions import (
        BadScoredPosition,
        format_scored_positions,
        parse_scored_positions,
    )

    try:
        positions = list(parse_scored_positions(read_text(file)))
    except BadScoredPosition as error:
        raise BadScoredPosition(f"{quote_path(file)}, {error}") from error
    write_text(out, format_scored_positions(positions))
    comments = sum(len(each.scores) for each in positions)
    if json:
        print_json(positions=len(positions), comments=comments)
    else:
        print(f"{len(positions)} positions with {comments} scores")


def join_nnmm(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Sets of networks written by `ludus train nnmm` or `ludus import nnmm`.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    shares: Annotated[
        str,
        typer.Option(
            "--shares",
            metavar="NUMBERS",
            help="Weights of the sets: 0.4,0.6.",
            show_default="equal weights",
        ),
    ] = "",
    symmetries: Annotated[
        str,
        typer.Option(
            "--symmetries",
            metavar="NUMBERS",
            help="Number of symmetries that each set averages over, 1 to 16: 1,16.",
            show_default="one",
        ),
    ] = "",
    half: Annotated[bool, typer.Option("--half", help="Write half precision.")] = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Join several sets of networks in one file; their weighted mean chooses the move."""
    check_output(out, *files, force=force)
    from ludus.learn.nnmm.weights import join_networks, parse_voting_options, save_committee

    committee = join_networks(files, parse_voting_options(len(files), shares, symmetries))
    save_committee(out, committee, half)
    rows = [
        {"inputs": weights.model.name, "members": len(weights.members)}
        | {"share": voting.share, "symmetries": voting.symmetries, "file": str(file)}
        for file, weights, voting in zip(files, committee.sets, committee.voting, strict=True)
    ]
    if json:
        print_json(out=str(out), order=str(committee.order), sets=rows, bytes=out.stat().st_size)
    else:
        print_table(tuple(rows[0]), [tuple(map(str, each.values())) for each in rows])
        print(f"written to {out}")
