// The plays of one side without contact that leave the fewest rolls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backgammon/men.hpp"
#include "backgammon/men_plays.hpp"

namespace ludus::backgammon {

// Without contact every die can be played as long as there are men. So the best play is a step with
// one die, and then the best play with the others, which is known: it begins with fewer pips.
class QuickestPlays {
public:
    explicit QuickestPlays(const MenIndex& index)
        : index_(index), means_(index.size()), best_(index.size()) {}

    // Where the best play of each of kWeightedRolls leads. All placements with fewer pips must have
    // been found, and have their means.
    std::array<std::uint32_t, kRolls> find(std::uint32_t number, Side men) {
        std::array<std::uint32_t, kRolls> found{};
        if (number == 0) {
            return found;
        }
        std::array<Steps, kFaces> steps;
        for (std::size_t die = 0; die < kFaces; ++die) {
            steps[die] = list_steps(men, static_cast<int>(die) + 1);
        }
        BestPlays& own = best_[number];
        std::size_t roll = 0;
        for (std::size_t high = 0; high < kFaces; ++high) {
            for (std::size_t low = 0; low < high; ++low) {
                const auto high_first =
                    least(steps[high], [&](std::uint32_t to) { return best_[to].of_one[low]; });
                const auto low_first =
                    least(steps[low], [&](std::uint32_t to) { return best_[to].of_one[high]; });
                found[roll++] = means_[low_first] < means_[high_first] ? low_first : high_first;
            }
            const auto& same = steps[high];
            found[roll++] = least(same, [&](std::uint32_t to) { return best_[to].of_three[high]; });
            own.of_one[high] = least(same, [](std::uint32_t to) { return to; });
            own.of_two[high] =
                least(same, [&](std::uint32_t to) { return best_[to].of_one[high]; });
            own.of_three[high] =
                least(same, [&](std::uint32_t to) { return best_[to].of_two[high]; });
        }
        return found;
    }

    void set_mean(std::uint32_t number, double mean) { means_[number] = mean; }

private:
    static constexpr std::size_t kFaces = 6;

    struct Steps {
        std::array<std::uint32_t, kMostPoints> to;
        std::size_t count = 0;
    };

    // With one, two and three dice of a number; without men placement 0 stays.
    struct BestPlays {
        std::array<std::uint32_t, kFaces> of_one{}, of_two{}, of_three{};
    };

    Steps list_steps(Side& men, int die) const {
        Steps steps;
        int rearmost = index_.points();
        while (men[static_cast<std::size_t>(rearmost)] == 0) {
            --rearmost;
        }
        const int last = rearmost == kBar ? kBar : kOff + 1;  // men on the bar enter first
        for (int start = rearmost; start >= last; --start) {
            const int end = start - die;
            const bool may_go =
                end > kOff || start == rearmost || (end == kOff && rearmost <= kHome);
            if (men[static_cast<std::size_t>(start)] == 0 || !may_go) {
                continue;
            }
            const auto from = static_cast<std::size_t>(start);
            const auto to = static_cast<std::size_t>(std::max(end, kOff));
            --men[from];
            ++men[to];
            steps.to[steps.count++] = index_.rank(men);
            ++men[from];
            --men[to];
        }
        return steps;
    }

    // The least mean of what follows a step; of equal ones the first.
    template <typename Follow>
    std::uint32_t least(const Steps& steps, Follow follow) const {
        std::uint32_t found = follow(steps.to[0]);
        for (std::size_t i = 1; i < steps.count; ++i) {
            const std::uint32_t other = follow(steps.to[i]);
            if (means_[other] < means_[found]) {
                found = other;
            }
        }
        return found;
    }

    MenIndex index_;
    std::vector<double> means_;
    std::vector<BestPlays> best_;
};

}  // namespace ludus::backgammon
