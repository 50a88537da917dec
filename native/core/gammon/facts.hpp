// What can be counted on a board after a move: the twin of ludus.players.backgammon_features.
#pragma once

#include <algorithm>

#include "gammon/shots.hpp"

namespace ludus::gammon {

inline constexpr int kMidPoint = 13;
inline constexpr int kHomeEnd = 6;
inline constexpr int kTheirHome = 19;

// Everything is from the view of the side that has just moved; the other side rolls next.
struct Facts {
    int own_pips = 0;
    int their_pips = 0;
    bool has_contact = false;
    Shots exposure;     // own blots before the other side's next roll
    Shots chances;      // their blots before the own next roll, were it now
    int own_escapes = 0;
    int their_escapes = 0;
    int home_points = 0;
    int their_home_points = 0;
    int own_prime = 0;
    int their_prime = 0;
    int own_blots = 0;
    int own_back = 0;   // own men in their home or on the bar
    int their_back = 0;
    int anchors = 0;    // own points in their home
    int their_anchors = 0;
};

inline int longest_run(Mask points) {
    int length = 0;
    for (; points != 0; points &= points << 1) {
        ++length;
    }
    return length;
}

inline int men_in(const backgammon::Side& men, int first, int last) {
    int count = 0;
    for (int place = first; place <= last; ++place) {
        count += men[static_cast<std::size_t>(place)];
    }
    return count;
}

inline int points_in(Mask blocks, int first, int last) {
    const Mask range = ((Mask{1} << (last + 1)) - 1) & ~((Mask{1} << first) - 1);
    return std::popcount(blocks & range);
}

inline Facts facts(const View& end) {
    Facts found;
    int own_rear = 0;
    int their_rear = kBar;
    for (int place = 0; place <= kBar; ++place) {
        const int own = end.own[static_cast<std::size_t>(place)];
        const int their = end.their[static_cast<std::size_t>(place)];
        found.own_pips += own * place;
        found.their_pips += their * (kBar - place);
        own_rear = own > 0 ? place : own_rear;
        their_rear = their > 0 ? std::min(their_rear, place) : their_rear;
    }
    found.has_contact = own_rear > their_rear;
    const Walkers against = walkers_against(end);
    const Walkers ours = walkers_against(end.turned());
    found.exposure = shots(against);
    found.chances = shots(ours);
    found.their_escapes = escapes(against);
    found.own_escapes = escapes(ours);
    found.own_prime = longest_run(against.blocks);
    found.their_prime = longest_run(ours.blocks);
    found.home_points = points_in(against.blocks, 1, kHomeEnd);
    found.anchors = points_in(against.blocks, kTheirHome, kBar - 1);
    found.their_home_points = points_in(ours.blocks, 1, kHomeEnd);
    found.their_anchors = points_in(ours.blocks, kTheirHome, kBar - 1);
    found.own_blots = std::popcount(against.blots);
    found.own_back = men_in(end.own, kTheirHome, kBar);
    found.their_back = men_in(end.their, 0, kHomeEnd);
    return found;
}

// The expected loss by hits: the pips each blot has come so far, times the chance that it is hit.
inline float pips_at_risk(const Shots& exposure) {
    int sum = 0;
    for (int place = 1; place < kBar; ++place) {
        sum += exposure.at[static_cast<std::size_t>(place)] * (kBar - place);
    }
    return static_cast<float>(sum) / static_cast<float>(kRolls);
}

// Men that a point can spare: blots, and those beyond the second, where they can still build.
inline int builders(const View& end) {
    int count = 0;
    for (int place = 4; place <= kMidPoint; ++place) {
        const int men = end.own[static_cast<std::size_t>(place)];
        count += men == 1 ? 1 : std::max(men - 2, 0);
    }
    return count;
}

// Men beyond the third on a point: they bear on nothing that the others do not bear on.
inline int stacked(const View& end) {
    int count = 0;
    for (int place = 1; place < kBar; ++place) {
        count += std::max(end.own[static_cast<std::size_t>(place)] - 3, 0);
    }
    return count;
}

// Empty points in the own home.
inline int gaps(const View& end) {
    int count = 0;
    for (int place = 1; place <= kHomeEnd; ++place) {
        count += end.own[static_cast<std::size_t>(place)] == 0 ? 1 : 0;
    }
    return count;
}

// Quarters of the board that men outside the home have still to cross.
inline int crossovers(const View& end) {
    int count = 0;
    for (int place = kHomeEnd + 1; place <= kBar; ++place) {
        count += end.own[static_cast<std::size_t>(place)] * ((place - 1) / kHomeEnd);
    }
    return count;
}

}  // namespace ludus::gammon
