// Mills and blocked men on the board, and the legal moves. Repetition and quiet plies, which need
// a memory, are the business of position.hpp.
#pragma once

#include <array>

#include "morris/board.hpp"
#include "morris/rules.hpp"

namespace ludus::morris {

constexpr std::uint8_t kNone = 24;  // a part that a move does not have

constexpr int kMaxMen = 12;  // of each side, in hand and on the board: a hand fits in 4 bits

// More moves than any position has: a target for each pair of a man (or the hand) and a free
// point, 13 * 23 at the very most, of which those that close a mill count once for each of 12 men.
constexpr int kMaxMoves = 13 * 23 * 12;

struct Move {
    std::uint8_t from = kNone, to = kNone, take = kNone;

    constexpr bool is_pass() const { return to == kNone; }
    // Placing and taking cannot be undone by later moves, so no earlier position can come back.
    constexpr bool is_irreversible() const {
        return take != kNone || (from == kNone && to != kNone);
    }
    constexpr bool operator==(const Move&) const = default;
};

struct State {
    std::array<Bits, 2> men{};
    std::array<std::uint8_t, 2> hand{};
    std::uint16_t mover = 0;  // two bytes, so that the struct has no holes and copies well

    LUDUS_HD Bits own() const { return men[mover]; }
    LUDUS_HD Bits other() const { return men[mover ^ 1]; }
    LUDUS_HD Bits free() const { return kAll & ~(men[0] | men[1]); }
    LUDUS_HD int total(int side) const {
        const auto s = static_cast<std::size_t>(side);
        return count(men[s]) + hand[s];
    }

    // The whole state in 57 bits: two boards of 24, two hands of 4, the mover.
    std::uint64_t key() const {
        return std::uint64_t{men[0]} | std::uint64_t{men[1]} << 24 | std::uint64_t{hand[0]} << 48 |
               std::uint64_t{hand[1]} << 52 | std::uint64_t{mover} << 56;
    }
    static State from_key(std::uint64_t key) {
        return {
            {static_cast<Bits>(key & kAll), static_cast<Bits>(key >> 24 & kAll)},
            {static_cast<std::uint8_t>(key >> 48 & 15), static_cast<std::uint8_t>(key >> 52 & 15)},
            static_cast<std::uint16_t>(key >> 56 & 1)};
    }
    bool operator==(const State&) const = default;
};

// The men of one side that its enemy may take on closing a mill.
LUDUS_HD inline Bits takeable(const Rules& rules, Bits men) {
    if (rules.take_from_mills == TakeFromMills::always) return men;
    const Bits safe = in_mills(men, rules.diagonals);
    if (men == safe && rules.take_from_mills == TakeFromMills::when_all) return men;
    return men & ~safe;
}

LUDUS_HD inline bool places(const State& s) { return s.hand[s.mover] > 0; }
LUDUS_HD inline bool slides(const Rules& rules, const State& s) {
    return rules.place_or_move || !places(s);
}
LUDUS_HD inline bool flies(const Rules& rules, const State& s) {
    return rules.flying && !places(s) && count(s.own()) <= 3;
}

// Whether this side could put a man anywhere if it were to move.
LUDUS_HD inline bool can_move(const Rules& rules, State s, int side) {
    s.mover = static_cast<std::uint16_t>(side);
    const Bits free = s.free();
    if (places(s)) return free != 0;
    if (flies(rules, s)) return free != 0 && s.own() != 0;
    return (neighbours(s.own(), rules.diagonals) & free) != 0;
}

// Calls f(from, targets, closing) for placings, if there are any, then for each man that can move:
// the points that it can go to, and those of them where a mill is closed and a man taken.
template <class F>
LUDUS_HD void for_each_origin(const Rules& rules, const State& s, Bits booty, F&& f) {
    const Bits own = s.own(), free = s.free();
    if (places(s)) {
        f(kNone, free, booty == 0 ? Bits{0} : completes_mill(own, rules.diagonals) & free);
    }
    if (!slides(rules, s)) return;
    const bool flying = flies(rules, s);
    // Most positions offer no mill at all; then no man needs a look of its own.
    const bool may_close = booty != 0 && (completes_mill(own, rules.diagonals) & free) != 0;
    for_each_point(own, [&](int from) {
        const Bits targets = flying ? free : neighbours_of(from, rules.diagonals) & free;
        if (targets == 0) return;
        const Bits closing = may_close ? completes_mill(own & ~bit(from), rules.diagonals) : 0;
        f(static_cast<std::uint8_t>(from), targets, closing & targets);
    });
}

// Calls f(Move) for each move but the pass: placings first, then by from, to and take.
template <class F>
LUDUS_HD void for_each_move(const Rules& rules, const State& s, F&& f) {
    const Bits booty = takeable(rules, s.other());
    for_each_origin(rules, s, booty, [&](std::uint8_t from, Bits targets, Bits closing) {
        for_each_point(targets, [&](int to) {
            Move move{from, static_cast<std::uint8_t>(to), kNone};
            if ((closing & bit(to)) == 0) return f(move);
            for_each_point(booty, [&](int take) {
                move.take = static_cast<std::uint8_t>(take);
                f(move);
            });
        });
    });
}

// The targets of all slides in one direction, and those of them that close a mill.
struct Slides {
    Bits targets, closing;
};

constexpr int kDirections = 4;  // clockwise, anticlockwise, inwards, outwards

// A man that slides along a line cannot complete that line, only the other one at its target;
// so the mills closed by all slides in one direction come out of a few ANDs.
inline std::array<Slides, kDirections> all_slides(const Rules& rules, Bits own, Bits free) {
    const Bits spoke = completes_spoke(own, rules.diagonals), side = completes_side(own);
    const Bits ahead = turned(own, 7) & turned(own, 6) & kCorners;
    const Bits behind = turned(own, 1) & turned(own, 2) & kCorners;
    const Bits crossing = own & spokes(rules.diagonals);
    std::array<Slides, kDirections> all{{{turned(own, 1) & free, spoke | ahead},
                                         {turned(own, 7) & free, spoke | behind},
                                         {(crossing << 8) & free, side},
                                         {(crossing >> 8) & free, side}}};
    for (Slides& slides : all) slides.closing &= slides.targets;
    return all;
}

// The point a man left when it slid to a target in one of the directions of all_slides.
inline int origin(int target, int direction) {
    const int ring = target & ~7;
    switch (direction) {
        case 0: return ring | ((target + 7) & 7);
        case 1: return ring | ((target + 1) & 7);
        case 2: return target - 8;
        default: return target + 8;
    }
}

// The number of moves that for_each_move would report, without making them.
inline int count_moves(const Rules& rules, const State& s) {
    const Bits own = s.own(), free = s.free();
    const int extra = count(takeable(rules, s.other())) - 1;  // further moves for each closing one
    const auto moves = [&](Bits targets, Bits closing) {
        return count(targets) + (extra > 0 ? extra * count(targets & closing) : 0);
    };
    int total = 0;
    if (places(s)) total += moves(free, completes_mill(own, rules.diagonals));
    if (!slides(rules, s)) return total;
    if (flies(rules, s)) {
        for_each_point(own, [&](int from) {
            total += moves(free, completes_mill(own & ~bit(from), rules.diagonals));
        });
        return total;
    }
    for (const Slides& s4 : all_slides(rules, own, free)) total += moves(s4.targets, s4.closing);
    return total;
}

// Whether for_each_move would report this move.
inline bool is_move(const Rules& rules, const State& s, Move move) {
    if (move.to >= kPoints || move.from > kNone || move.take > kNone) return false;
    const Bits own = s.own(), free = s.free();
    if ((free & bit(move.to)) == 0) return false;
    Bits rest = own;
    if (move.from == kNone) {
        if (!places(s)) return false;
    } else {
        if (!slides(rules, s) || (own & bit(move.from)) == 0) return false;
        if (!flies(rules, s) && (neighbours(bit(move.from), rules.diagonals) & bit(move.to)) == 0)
            return false;
        rest &= ~bit(move.from);
    }
    const bool closes = (completes_mill(rest, rules.diagonals) & bit(move.to)) != 0;
    const Bits booty = closes ? takeable(rules, s.other()) : 0;
    return booty == 0 ? move.take == kNone : move.take != kNone && (booty & bit(move.take)) != 0;
}

// Makes a move (or a pass), which is taken to be legal.
LUDUS_HD inline void apply(State& s, Move move) {
    Bits& own = s.men[s.mover];
    if (move.from != kNone) {
        own &= ~bit(move.from);
    } else if (!move.is_pass()) {
        --s.hand[s.mover];
    }
    if (!move.is_pass()) own |= bit(move.to);
    s.mover ^= 1;
    if (move.take != kNone) s.men[s.mover] &= ~bit(move.take);
}

LUDUS_HD inline State after(State s, Move move) {
    apply(s, move);
    return s;
}

}  // namespace ludus::morris
