"""The players `menace`, `her` and `qlearning`, and drawings of their matchboxes."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame, Move, Position
from ludus.core.marks import NUM_COLOURS, Marks, Note, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games import game as named_game
from ludus.games.squares import SquaresPosition
from ludus.games.squares_drawing import square_centres
from ludus.learn import learner as named_learner
from ludus.learn.episodes import EpisodeConfig, EpisodeTraining
from ludus.learn.tabular.table import MoveTable, RowIndex, TableLearner, load_table
from ludus.learn.tabular.train import HerLearner, MenaceLearner, QLearner
from ludus.learn.training import fit
from ludus.learn.weights import find_shipped
from ludus.render.canvas import Canvas, Drawing, Point
from ludus.render.theme import scope_rules

BEAD_COLOURS = (
    "#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98",
    "#ca6f1e", "#148f77", "#5d6d7e", "#943126",
)  # fmt: skip
"""Bead colours, one for each move as in Michie's matchboxes."""

BEAD_STYLE = scope_rules(
    "\n".join(
        [
            *(f".bead.n{number}{{fill:{colour}}}" for number, colour in enumerate(BEAD_COLOURS)),
            ".beads{fill:#fff;font-size:12px;font-weight:bold}",
        ]
    )
)
"""Style sheet of the beads and of their numbers."""

BEAD_RADIUS = 15
"""Radius of a bead in the drawing."""

BEAD_OFFSET = 0.3
"""Distance of the beads from a move's target, as a proportion of the move's length."""


def make_heat_marks(game: AnyGame, probabilities: Mapping[Move, float]) -> Marks:
    """Return marks for a text board: target squares, with the probability as heat."""
    heat: dict[str, float] = {}
    for move, probability in probabilities.items():
        place = game.steps(move)[-1]
        heat[place] = heat.get(place, 0.0) + probability
    return Marks(points=dict.fromkeys(heat, "legal"), heat=heat)


def draw_matchbox(game: AnyGame, position: SquaresPosition, beads: Mapping[Move, float]) -> str:
    """Draw the board with a numbered bead for each move, as SVG."""
    places = square_centres(position.size)
    arrows = tuple((steps[0], steps[-1]) for steps in map(game.steps, beads) if len(steps) > 1)
    board: Drawing = position.drawing(Marks(arrows=arrows))
    layer = Canvas()
    for index, (move, number) in enumerate(beads.items()):
        centre = _bead_centre(game.steps(move), places)
        layer.circle(centre, BEAD_RADIUS, f"bead n{index % len(BEAD_COLOURS)}")
        layer.text(centre, f"{number:.0f}", "beads")
    return board.with_shapes(layer.shapes, BEAD_STYLE).svg()


def _bead_centre(steps: tuple[str, ...], places: Mapping[str, Point]) -> Point:
    (x, y), (from_x, from_y) = places[steps[-1]], places[steps[0]]
    return x + BEAD_OFFSET * (from_x - x), y + BEAD_OFFSET * (from_y - y)


def make_matchbox_picture(
    game: AnyGame, beads: Mapping[Move, float], names: Mapping[Move, str]
) -> Picture:
    """Return a picture of a position's matchbox; symmetric moves share a colour."""
    shown = list(dict.fromkeys(names[move] for move in beads))
    colours = {name: number % NUM_COLOURS for number, name in enumerate(shown)}
    held = {names[move]: int(number) for move, number in beads.items()}
    notes = (
        Note(game.steps(move), beads=int(number), colour=colours[names[move]])
        for move, number in beads.items()
        if number >= 1
    )
    total = sum(held.values())
    twins = " Moves that mirror each other share their beads." if len(held) < len(beads) else ""
    return Picture(
        "The matchbox",
        text=f"{total} {'bead' if total == 1 else 'beads'} of {len(held)} colours lay in the box "
        f"of this position, and one was drawn blindly.{twins}",
        notes=tuple(notes),
    )


TABLES_FOLDER = Path(__file__).with_name("tables")


@lru_cache(maxsize=8)
def load_shipped_table(system: str, game_id: str) -> MoveTable | None:
    """Return the shipped table for the standard rules of a game, if there is one."""
    file = find_shipped(TABLES_FOLDER, ".json").get(f"{system}-{game_id}")
    return None if file is None else load_table(file, named_game(game_id), system).table


@lru_cache(maxsize=8)
def train_table(system: str, game_id: str, rules: Any, games: int, seed: int) -> MoveTable:
    """Train a table for both sides, also against imperfect opponents."""
    learner: Any = named_learner(system, named_game(game_id, rules))
    if games:
        config = EpisodeConfig(games=games, seed=seed, against="mixed", start="everywhere")
        fit(EpisodeTraining(config, learner=learner))
    table: MoveTable = learner.table
    return table


MAX_BOARD_SIZES = {"noughts_and_crosses": 3, "hexapawn": 4}
"""Maximum board sizes; larger boards have too many positions to train at first use."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The source of the table."""

    table: str = ""
    """A file that `ludus train` has written."""

    games: int = 10_000
    """Without a file, the number of training games before the first move; a shipped table is used
    instead unless games or seed are changed.
    """

    seed: int = 0
    """Random seed of those games."""

    def __post_init__(self) -> None:
        check_ranges(self, games=(0, 1_000_000))


class TablePlayer(Player):
    """Plays by a table."""

    options: ClassVar[TableOptions] = TableOptions()
    games: ClassVar[frozenset[str] | None] = frozenset(MAX_BOARD_SIZES)
    learner: ClassVar[type[TableLearner]]

    @cached_property
    def table(self) -> MoveTable:
        """The table: loaded, shipped, or trained at first use."""
        game, system, settings = self.game, self.learner.system, self.settings
        if settings.table:
            return load_table(Path(settings.table), game, system).table
        self.check_start(game.start())
        if settings == self.options and game.rules == named_game(game.id).rules:
            shipped = load_shipped_table(system, game.id)
            if shipped is not None:
                return shipped
        return train_table(system, game.id, game.rules, settings.games, settings.seed)

    def check_start(self, position: Position) -> None:
        """Raise BadSpec if the board is too large and no table is given."""
        game, system = self.game, self.learner.system
        if not self.settings.table and game.rules.size > MAX_BOARD_SIZES[game.id]:
            raise BadSpec(
                f"{game.id} of size {game.rules.size} is too large to be learned at first use; "
                f"give {system} a table: {system}:table=FILE"
            )

    @cached_property
    def row_index(self) -> Any:
        options: Any = self.learner.Options
        symmetry = options().symmetry
        if self.settings.table:
            saved = load_table(Path(self.settings.table), self.game, self.learner.system)
            symmetry = options.parse(saved.options).symmetry
        return RowIndex(self.game, symmetry)

    def row_values(self, position: Position) -> dict[Move, float]:
        """Return the table's number of each legal move; empty for an unknown position."""
        key, names = self.row_index.locate(position)
        row = self.table.get(key, {})
        return {move: row[name] for move, name in names.items() if name in row}

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        values = self.row_values(position)
        moves = position.legal_moves()
        if len(moves) == 1:
            return Choice(moves[0], "has no choice", values)
        if not values:
            return Choice(self.random.choice(moves), "has never seen this position")
        return self.choose_from_row(position, values)

    @abstractmethod
    def choose_from_row(self, position: Position, values: dict[Move, float]) -> Choice:
        """Choose a move by the numbers of the table."""


class BeadPlayer(TablePlayer):
    """Samples a bead from the matchbox of a position."""

    def move_probabilities(self, position: Position) -> dict[Move, float]:
        """Return the probability of each move that has a bead; empty if none has."""
        _, names = self.row_index.locate(position)
        values = self.row_values(position)
        total = sum({names[move]: beads for move, beads in values.items()}.values())
        # Symmetric moves share their beads.
        twins = Counter(names[move] for move in values)
        return {move: beads / total / twins[names[move]] for move, beads in values.items() if beads}

    def choose_from_row(self, position: Position, values: dict[Move, float]) -> Choice:
        probabilities = self.move_probabilities(position)
        if not probabilities:
            return Choice(self.random.choice(list(values)), "finds the box empty", values)
        move = self.random.choices(list(probabilities), list(probabilities.values()))[0]
        return Choice(move, f"drew one of {values[move]:.0f} beads for {move}", values)

    def pictures(self, position: Position) -> list[Picture]:
        """Return a picture of its matchbox; empty for a position without a box."""
        values = self.row_values(position)
        _, names = self.row_index.locate(position)
        return [make_matchbox_picture(self.game, values, names)] if values else []


class MenacePlayer(BeadPlayer):
    """Draws its move from the beads of a matchbox (Michie 1963)."""

    title: ClassVar[str] = "MENACE: draws beads from matchboxes, as it has learned"
    learner = MenaceLearner


class HerPlayer(BeadPlayer):
    """Draws its move from the beads of a matchbox (Gardner 1962)."""

    title: ClassVar[str] = "HER: MENACE's sister, who learned hexapawn"
    learner = HerLearner


MATCHBOX_PLAYERS = {"noughts_and_crosses": "menace", "hexapawn": "her"}
"""Id of a game to the player whose matchboxes were built for it."""


class QLearningPlayer(TablePlayer):
    """Plays the move with the highest value in its table."""

    title: ClassVar[str] = "plays the move that Q-learning thinks is worth most"
    learner = QLearner

    def choose_from_row(self, position: Position, values: dict[Move, float]) -> Choice:
        most = max(values.values())
        best = [move for move, value in values.items() if value == most]
        return Choice(self.random.choice(best), f"thinks it is worth {most:+.2f}", values)
