// Chances when both sides bear off without contact, from the numbers of rolls that each side takes.
#pragma once

#include <algorithm>
#include <vector>

#include "backgammon/one_sided_bearoff.hpp"
#include "gammon/chances_network.hpp"

namespace ludus::gammon {

// Each side plays for the fewest rolls, which is close to perfect play.
class BearoffRaces {
public:
    BearoffRaces()
        : index_(backgammon::kMaxMen, backgammon::kHome),
          rolls_(backgammon::kMaxMen, backgammon::kHome, kWidth) {
        rolls_.solve(1);
    }

    // Made on first use, in a tenth of a second.
    static const BearoffRaces& shared() {
        static const BearoffRaces races;
        return races;
    }

    // Whether all men of both sides are in their homes; the games of hypergammon are not held.
    static bool contains(const View& end) {
        int own = 0;
        int their = 0;
        for (std::size_t place = 0; place < end.own.size(); ++place) {
            if ((place > backgammon::kHome && end.own[place] > 0) ||
                (place < kBar - backgammon::kHome && end.their[place] > 0)) {
                return false;
            }
            own += end.own[place];
            their += end.their[place];
        }
        return own == backgammon::kMaxMen && their == backgammon::kMaxMen;
    }

    // The chances of the side that has just moved; the other side rolls next.
    Chances evaluate(const View& end) const {
        const std::uint32_t own = index_.rank(end.own);
        const std::uint32_t other = index_.rank(end.turned().own);
        const Rolls own_all(rolls_.all(), own), own_first(rolls_.first(), own);
        const Rolls other_all(rolls_.all(), other), other_first(rolls_.first(), other);
        Chances found;
        // Until more than n rolls: all men of the other side off, and its first man off.
        float others_left = 1, others_first_left = 1;
        for (std::size_t n = 0; n < kWidth; ++n) {
            others_left -= other_all[n];
            others_first_left -= other_first[n];
            found.win += own_all[n] * others_left;
            found.win_gammon += own_all[n] * others_first_left;
        }
        float first_left = 1;  // at least n rolls until the own first man is off
        for (std::size_t n = 0; n < kWidth; ++n) {
            found.lose_gammon += other_all[n] * first_left;
            first_left -= own_first[n];
        }
        const auto probability = [](float value) { return std::clamp(value, 0.0f, 1.0f); };
        return {probability(found.win), probability(found.win_gammon), 0,
                probability(found.lose_gammon), 0};
    }

private:
    static constexpr int kWidth = 32;  // more rolls have a probability below 1e-12

    // Probabilities of all numbers of rolls.
    struct Rolls {
        Rolls(const backgammon::RollTable& table, std::uint32_t number) {
            const auto values = table.values(number);
            std::copy(values.begin(), values.end(), of + table.first(number));
        }
        float operator[](std::size_t n) const { return of[n]; }
        float of[kWidth] = {};
    };

    backgammon::MenIndex index_;
    backgammon::OneSidedBearoff rolls_;
};

}  // namespace ludus::gammon
