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
    BearoffRaces() : index_(backgammon::kMaxMen, backgammon::kHome) {
        backgammon::OneSidedBearoff solver(backgammon::kMaxMen, backgammon::kHome, kWidth);
        solver.solve(1);
        all_.assign(solver.all().begin(), solver.all().end());
        first_.assign(solver.first().begin(), solver.first().end());
    }

    // Made on first use, in half a second.
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
        const std::size_t own = row(end.own);
        const std::size_t other = row(end.turned().own);
        Chances found;
        // Until more than n rolls: all men of the other side off, and its first man off.
        float others_left = 1, others_first_left = 1;
        for (std::size_t n = 0; n < kWidth; ++n) {
            others_left -= all_[other + n];
            others_first_left -= first_[other + n];
            found.win += all_[own + n] * others_left;
            found.win_gammon += all_[own + n] * others_first_left;
        }
        float first_left = 1;  // at least n rolls until the own first man is off
        for (std::size_t n = 0; n < kWidth; ++n) {
            found.lose_gammon += all_[other + n] * first_left;
            first_left -= first_[own + n];
        }
        const auto probability = [](float value) { return std::clamp(value, 0.0f, 1.0f); };
        return {probability(found.win), probability(found.win_gammon), 0,
                probability(found.lose_gammon), 0};
    }

private:
    static constexpr std::size_t kWidth = 32;

    std::size_t row(const backgammon::Side& men) const { return index_.rank(men) * kWidth; }

    backgammon::MenIndex index_;
    std::vector<float> all_, first_;
};

}  // namespace ludus::gammon
