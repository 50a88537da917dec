// Exact equities of two sides that bear off their last men, as an end of games.
#pragma once

#include "backgammon/two_sided_bearoff.hpp"
#include "gammon/chances_network.hpp"

namespace ludus::gammon {

// Of 15 men at least nine are off on each side, so that there are no gammons.
class ExactRaces {
public:
    static constexpr int kMen = 6;

    ExactRaces() : index_(kMen, backgammon::kHome) {
        backgammon::TwoSidedBearoff solver(kMen, backgammon::kHome, false);
        solver.solve(1);
        equities_ = std::move(solver.equities());
    }

    // Made on first use, in a third of a second.
    static const ExactRaces& shared() {
        static const ExactRaces races;
        return races;
    }

    // Whether each side has at most six men left, all of them in its home, and the others off.
    static bool contains(const View& view) {
        if (view.own[kOff] < backgammon::kMaxMen - kMen ||
            view.their[kBar] < backgammon::kMaxMen - kMen) {
            return false;
        }
        for (std::size_t place = 1; place < view.own.size(); ++place) {
            if ((place > backgammon::kHome && view.own[place] > 0) ||
                (place < kBar - backgammon::kHome && view.their[place] > 0)) {
                return false;
            }
        }
        return view.their[kOff] == 0;
    }

    // The chances of the side on roll; neither side has borne off all its men.
    Chances evaluate(const View& view) const {
        return {(1 + equities(view).of[backgammon::kNoCube]) / 2, 0, 0, 0, 0};
    }

    // For money, of the side on roll if it does not double now.
    backgammon::CubeEquities equities(const View& view) const {
        const std::size_t own = index_.rank(view.own);
        const std::size_t other = index_.rank(view.turned().own);
        backgammon::CubeEquities found{};
        for (std::size_t cube = 0; cube < backgammon::kCubes; ++cube) {
            found.of[cube] = equities_[(cube * index_.size() + own) * index_.size() + other];
        }
        return found;
    }

private:
    backgammon::MenIndex index_;
    std::vector<float> equities_;
};

}  // namespace ludus::gammon
