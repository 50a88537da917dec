// The conventional program: 17 terms with fixed weights, the twin of
// ludus.players.backgammon_heuristics.
#pragma once

#include <array>

#include "gammon/facts.hpp"

namespace ludus::gammon {

inline constexpr std::size_t kTerms = 17;
using Terms = std::array<float, kTerms>;

// The value of points to their owner, from the own ace point on.
inline constexpr std::array<float, 25> kPointValue = {
    0,    0.2f, 0.35f, 0.55f, 0.85f, 1.0f, 0.9f, 0.8f, 0.5f, 0.3f,  0.25f, 0.2f, 0.2f,
    0.3f, 0.1f, 0.15f, 0.2f,  0.2f,  0.3f, 0.3f, 0.9f, 0.8f, 0.55f, 0.3f,  0.2f};

inline float point_values(const View& end) {
    float sum = 0;
    for (std::size_t place = 1; place < kPointValue.size(); ++place) {
        sum += end.own[place] > 1 ? kPointValue[place] : 0;
    }
    return sum;
}

inline Terms terms(const View& end, const Facts& facts) {
    const auto share = [](int count, float whole) { return static_cast<float>(count) / whole; };
    const auto on_bar = std::min<int>(end.their[kOff], 2);
    const auto own_low = end.own[1] + end.own[2];
    return {
        std::clamp(share(facts.their_pips - facts.own_pips, 100), -1.5f, 1.5f),
        share(facts.exposure.any, kRolls),
        pips_at_risk(facts.exposure) / 25,
        share(facts.home_points, 6),
        point_values(end) / 5,
        share(std::max(facts.own_prime - 2, 0), 4),
        1 - share(facts.their_escapes, 24),
        share(facts.own_escapes, 24),
        facts.anchors > 0 ? 1.0f : 0.0f,
        share(facts.own_back, 4),
        share(on_bar * facts.home_points, 12),
        share(facts.their_back, 4),
        share(facts.chances.any, kRolls),
        share(builders(end), 8),
        share(stacked(end), 8),
        share(end.own[kOff], 15),
        share(gaps(end) + own_low, 15) + share(crossovers(end), 30),
    };
}

// Chosen by hand; see docs/backgammon.md.
inline constexpr Terms kContactWeights = {1.0f,  -0.5f, -1.6f, 0.9f, 1.2f, 0.6f,  0.9f, 0.5f, 0.25f,
                                          -0.5f, 1.3f,  0.25f, 0.5f, 0.5f, -0.5f, 0.8f, -0.2f};
inline constexpr Terms kRaceWeights = {1.0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0f, -0.6f};

inline float tool_score(const View& end) {
    const Facts found = facts(end);
    const Terms values = terms(end, found);
    const Terms& weights = found.has_contact ? kContactWeights : kRaceWeights;
    float score = 0;
    for (std::size_t i = 0; i < kTerms; ++i) {
        score += weights[i] * values[i];
    }
    return score;
}

}  // namespace ludus::gammon
