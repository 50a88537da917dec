"""Move entry for Morris: place or move a man and, when a mill closes, take one."""

from ludus.core import game as core
from ludus.games.move_entry import Arrangement, EntryStage, MoveEntry, PartialMove, Stack
from ludus.games.nine_mens_morris.board import POINT_NUMBERS, POINTS, Move
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.games.nine_mens_morris.position import MorrisPosition, Position

MILL_SAFETY = {
    "when_all": "; men in mills are safe as long as there are others",
    "never": "; men in mills are safe",
    "always": "",
}
BLOCKED_SIDE = {
    "loses": ", and so has a side that cannot move",
    "passes": "; a side that cannot move waits",
}


class MorrisMoveEntry(MoveEntry[MorrisPosition, Move]):
    """The man is shown at his destination before the man to take is chosen."""

    game: NineMensMorris
    hand_title = "Still to place"

    def stage(self, position: MorrisPosition, touched: tuple[str, ...]) -> EntryStage:
        if not touched:
            return "begin"
        is_moved = len(touched) > 1 or self._begins_on_free_point(position, touched)
        return "take" if is_moved else "go"

    def paths(self, move: Move) -> tuple[tuple[str, ...], ...]:
        """Return the path of the moving man; the man taken has none."""
        steps = self.game.steps(move._replace(take=None))
        return (steps,) if steps else ()

    def preview(self, position: MorrisPosition, touched: tuple[str, ...]) -> core.Position:
        """Return the position with the man moved while the man to take is not yet chosen."""
        if self.stage(position, touched) != "take":
            return position
        side = position.mover
        men = [set(own) for own in position.men]
        hands = list(position.hands)
        if self._begins_on_free_point(position, touched):
            men[side].add(POINT_NUMBERS[touched[0]])
            hands[side] -= 1
        else:
            men[side].remove(POINT_NUMBERS[touched[0]])
            men[side].add(POINT_NUMBERS[touched[1]])
        white, black = (frozenset(own) for own in men)
        return self.game.position(PositionFields((white, black), (hands[0], hands[1]), side, 1, 0))

    def describe_task(self, position: MorrisPosition, entry: PartialMove) -> str:
        if entry.stage == "take":
            return f"You closed a mill: take one of {self.side_name(1 - position.mover)}’s men"
        if entry.stage == "go":
            return "Choose where it goes"
        if not position.hands[position.mover]:
            return "Move one of your men" + self._may_fly(position)
        if self.game.rules.place_or_move:
            return "Place a man on a free point, or move one"
        return "Place a man on a free point"

    def describe_place(self, position: MorrisPosition, place: str) -> str:
        for side, name in enumerate(self.game.sides):
            if POINT_NUMBERS[place] in position.men[side]:
                return f"a {name} man"
        return ""

    def describe_side(self, position: MorrisPosition, side: int) -> str:
        on_board, in_hand = len(position.men[side]), position.hands[side]
        return f"{on_board} on the board" + (f", {in_hand} to place" if in_hand else "")

    def describe_move(self, move: Move, position: MorrisPosition) -> str:
        if move.to is None:
            return "could not move"
        *_, taken = places = self.game.steps(move)
        end = places[0 if move.frm is None else 1]
        predicate = f"placed {end}" if move.frm is None else f"moved {places[0]} to {end}"
        return predicate if move.take is None else f"{predicate} and took {taken}"

    def stacks(self, position: MorrisPosition) -> dict[str, Stack]:
        return {POINTS[point]: (side, 1) for side in (0, 1) for point in position.men[side]}

    def to_arrangement(self, position: MorrisPosition) -> Arrangement:
        return Arrangement(self.stacks(position), position.mover, position.hands)

    def from_arrangement(self, arrangement: Arrangement) -> Position:
        white, black = (
            frozenset(
                POINT_NUMBERS[place]
                for place, (owner, _) in arrangement.men.items()
                if owner == side
            )
            for side in (0, 1)
        )
        # The Python class, which also accepts positions that no game leads to.
        return Position(self.game.rules, (white, black), arrangement.hands, arrangement.mover)

    def describe_rules(self) -> list[str]:
        rules = self.game.rules
        first = "place one of them on a free point" + (
            ", or move one along a line" if rules.place_or_move else ""
        )
        sentences = [
            f"Each side has {rules.men} men. In turn, {first}.",
            f"Three men in a row on a line are a mill. A side that closes one takes a man of the "
            f"other side{MILL_SAFETY[rules.take_from_mills]}.",
            "When all men are placed, move one along a line to the next free point.",
        ]
        if rules.flying:
            sentences.append("With three men left they may jump to any free point.")
        few = "no man" if rules.lose_below == 1 else f"fewer than {rules.lose_below} men"
        sentences.append(f"A side with {few} left has lost{BLOCKED_SIDE[rules.blocked]}.")
        if rules.repetition:
            times = "a second time" if rules.repetition == 2 else f"{rules.repetition} times"
            sentences.append(f"A position that comes {times} is a draw.")
        if rules.quiet_plies:
            sentences.append(
                f"After {rules.quiet_plies} turns without placing or taking it is a draw."
            )
        if rules.full_board == "draws":
            sentences.append("A full board is a draw.")
        return sentences

    def _may_fly(self, position: MorrisPosition) -> str:
        is_flying = self.game.rules.flying and len(position.men[position.mover]) <= 3
        return "; with three left they may jump anywhere" if is_flying else ""

    @staticmethod
    def _begins_on_free_point(position: MorrisPosition, touched: tuple[str, ...]) -> bool:
        """Return whether the man is placed from the hand."""
        return POINT_NUMBERS[touched[0]] not in position.men[position.mover]
