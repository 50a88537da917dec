"""`ludus export`: games of tournaments as tables or records, and networks as ONNX models."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.help import HelpGroup, complete_player, make_group
from ludus.cli.options import ForceOption, JsonOption, OutputFileOption, list_spec_files
from ludus.cli.output import print_json, track_progress
from ludus.core.errors import BadSpec
from ludus.core.files import add_suffix, check_output, quote_path, write_bytes


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
