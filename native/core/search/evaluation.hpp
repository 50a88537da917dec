// The evaluation of positions at the leaves of a search. All terms are named here, and each one
// is counted for both sides; their weights are the struct Weights, in hundredths of a man.
//
// While men are placed, freedom to move later on matters most: the weights for it are
// those that predict the exact values of 12,388 positions with men in hand best (a logistic fit).
// Such a fit made the search worse with all men placed, where it sees consequences for itself.
#pragma once

#include "morris/moves.hpp"
#include "search/score.hpp"

namespace ludus::search {

using morris::Bits;
using morris::Move;
using morris::Rules;
using morris::State;

struct Weights {
    Score man = 100;          // on the board or in hand
    Score step = 3;           // a free point adjacent to a man, counted for each such pair
    Score blocked = -8;       // a man that cannot move
    Score mill = 12;          // three in a line
    Score pair = 6;           // a free point that would complete a line of one's own
    Score swing = 40;         // a double mill: a man that leaves one mill and closes another
    Score threat_now = 55;    // the mover can close a mill at once
    Score threat_next = 12;   // the side that is not to move could close one, at one point
    Score threat_fork = 45;   // the same at two points or more: one of them stays open
    Score flying = 70;        // three men that may go anywhere, in place of their steps
    Score crossing = 4;       // a man on a point with four neighbours, while men are in hand
};

inline constexpr Weights kPlacing = {
    .man = 160,  // more than the fit gives: what can be taken at once should be
    .step = 38,
    .blocked = -22,
    .mill = 35,
    .pair = 50,
    .swing = 62,
    .threat_now = 107,
    .threat_next = 20,
    .threat_fork = 83,
    .crossing = 14,
};

// Weights of the terms while either side has men in hand, and afterwards. Where a man in hand
// need not be placed, the game is one of moving from the start.
struct Evaluation {
    Weights placing = kPlacing;
    Weights moving{};

    const Weights& operator()(const Rules& rules, const State& s) const {
        return s.hand[0] + s.hand[1] > 0 && !rules.place_or_move ? placing : moving;
    }
};

// The features of one side.
struct Features {
    int men = 0;       // on the board and in hand
    int steps = 0;
    int blocked = 0;
    int mills = 0;
    int pairs = 0;
    int swings = 0;
    int threats = 0;   // points on which it could close a mill if it were its turn
    int crossings = 0;
    bool flies = false;
};

inline int num_mills(Bits men, bool diagonals) {
    const Bits sides = men & morris::turned(men, 7) & morris::turned(men, 6) & morris::kCorners;
    const Bits across = men & (men >> 8) & (men >> 16) & morris::spokes(diagonals) & 0xFF;
    return morris::count(sides) + morris::count(across);
}

// Where the men came from that arrive on these points in one of the directions of all_slides.
inline Bits origins(Bits targets, int direction) {
    switch (direction) {
        case 0: return morris::turned(targets, 7);
        case 1: return morris::turned(targets, 1);
        case 2: return targets >> 8;
        default: return (targets << 8) & morris::kAll;
    }
}

inline Features features(const Rules& rules, const State& s, std::size_t side) {
    using namespace morris;
    constexpr Bits kCrossings = kSides & 0x00FF00;  // the middle ring's sides lead four ways
    const Bits own = s.men[side], free = s.free();
    const int hand = s.hand[side], on_board = count(own);
    Features f;
    f.men = on_board + hand;
    f.mills = num_mills(own, rules.diagonals);
    const Bits completing = completes_mill(own, rules.diagonals) & free;
    f.pairs = count(completing);
    if (hand > 0) {
        f.threats = f.pairs;
        f.crossings = count(own & kCrossings);
        if (!rules.place_or_move) {
            f.steps = count(neighbours(own, rules.diagonals) & free);
            return f;
        }
    } else if (rules.flying && on_board <= 3) {
        // With three men two of them are in the line, so the third one flies in.
        f.flies = true;
        f.threats = f.pairs;
        return f;
    }
    f.blocked = count(own & ~neighbours(free, rules.diagonals));
    const Bits standing = f.mills == 0 ? 0 : in_mills(own, rules.diagonals);
    Bits closing = 0;
    int direction = 0;
    for (const Slides& group : all_slides(rules, own, free)) {
        f.steps += count(group.targets);
        closing |= group.closing;
        if (standing != 0 && group.closing != 0) {
            f.swings += count(origins(group.closing, direction) & standing);
        }
        ++direction;
    }
    if (hand == 0) f.threats = count(closing);
    return f;
}

inline Score weigh(const Weights& w, const Features& f, bool is_mover) {
    Score score = w.man * f.men + w.mill * f.mills + w.pair * f.pairs + w.swing * f.swings +
                  w.crossing * f.crossings;
    score += f.flies ? w.flying : w.step * f.steps + w.blocked * f.blocked;
    if (f.threats > 0) {
        score += is_mover ? w.threat_now : f.threats > 1 ? w.threat_fork : w.threat_next;
    }
    return score;
}

// What the mover makes of a position in which the game goes on.
inline Score evaluate(const Rules& rules, const Evaluation& evaluation, const State& s) {
    const std::size_t mover = s.mover;
    const Weights& weights = evaluation(rules, s);
    return weigh(weights, features(rules, s, mover), true) -
           weigh(weights, features(rules, s, mover ^ 1), false);
}

}  // namespace ludus::search
