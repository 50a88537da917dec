// What the rules say about one side of a sector: may it place, slide or fly, and when has the
// other side lost.
#pragma once

#include "morris/moves.hpp"
#include "solver/sector.hpp"

namespace ludus::solver {

using morris::Rules;

struct Side {
    bool places, slides, flies;
};

inline Side side(const Rules& rules, int men, int hand) {
    return {.places = hand > 0,
            .slides = hand == 0 || rules.place_or_move,
            .flies = rules.flying && hand == 0 && men <= 3};
}

// Whether a side with these numbers of men on the board and in hand has lost.
inline bool has_lost(const Rules& rules, int men, int hand) {
    return men + hand < rules.lose_below;
}

// Whether a side can be to move with these hands. Where nobody may move before all men are
// placed, the sides place in turn: the first one moves with equal hands, the second with one more.
inline bool can_be_to_move(const Rules& rules, int own_hand, int other_hand) {
    if (rules.place_or_move) return true;
    return own_hand == other_hand || own_hand == other_hand + 1;
}

// Which sectors the mover's irreversible moves can lead to.
struct Exits {
    bool places, places_taking, slides_taking;
};

inline Exits exits(const Side& mover, int own, int other) {
    return {.places = mover.places && own + other < morris::kPoints,
            .places_taking = mover.places && own >= 2 && other > 0,
            .slides_taking = mover.slides && own >= 3 && other > 0};
}

// Points to which a man on a point can move, whatever stands there.
LUDUS_HD inline Bits reach(const Rules& rules, const Side& side, int from) {
    return side.flies ? kAll : morris::neighbours_of(from, rules.diagonals);
}

}  // namespace ludus::solver
