// What one side can do with a roll, as far as it does not depend on the other side's blots: legal
// moves depend on blocked points alone, and a blot is hit wherever a man lands.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "backgammon/men.hpp"
#include "backgammon/plays.hpp"

namespace ludus::backgammon {

inline constexpr int kRolls = 21;

struct WeightedRoll {
    Dice dice;
    double probability;
};

// In the order of ludus.games.backgammon.board.ROLLS.
inline constexpr std::array<WeightedRoll, kRolls> kWeightedRolls = [] {
    std::array<WeightedRoll, kRolls> rolls{};
    std::size_t next = 0;
    for (int high = 1; high <= 6; ++high) {
        for (int low = 1; low <= high; ++low) {
            rolls[next++] = {{high, low}, (high == low ? 1.0 : 2.0) / 36.0};
        }
    }
    return rolls;
}();

// Bit p stands for point p.
using PointSet = std::uint32_t;

struct MenPlay {
    std::uint32_t to = 0;  // the number of the placement it leads to
    PointSet landed = 0;   // points on which a man came down, also in passing

    bool operator==(const MenPlay&) const = default;
};

// Finds plays as Plays does, each of them once, but tells apart what was landed on in passing.
class MenPlays {
public:
    explicit MenPlays(MenIndex index) : index_(index) {}

    // With `is_landing_kept` plays that differ only in where men came down are all listed.
    const std::vector<MenPlay>& find(const Side& men, Dice dice, PointSet blocked = 0,
                                     bool is_landing_kept = false) {
        men_ = men;
        blocked_ = blocked;
        is_landing_kept_ = is_landing_kept;
        plays_.clear();
        longest_ = 0;
        if (dice.high == dice.low) {
            order_ = {dice.high, dice.high, dice.high, dice.high};
            search(4, 1);
        } else {
            order_ = {dice.high, dice.low};
            search(2, 1);
            // With the larger die playable, the smaller one alone is not enough.
            order_ = {dice.low, dice.high};
            search(2, longest_ == 1 ? 2 : 1);
        }
        if (plays_.empty()) {
            plays_.push_back({index_.rank(men_), 0});
        }
        return plays_;
    }

private:
    void search(int num_dice, int enough) {
        num_dice_ = num_dice;
        enough_ = enough;
        extend(0, index_.points(), 0);
    }

    void extend(int length, int rearmost, PointSet landed) {
        bool is_stuck = true;
        if (length < num_dice_) {
            const int die = order_[static_cast<std::size_t>(length)];
            const int last = men_[kBar] > 0 ? kBar : 1;
            for (int start = rearmost; start >= last; --start) {
                if (!can_step(start, die)) {
                    continue;
                }
                is_stuck = false;
                const int end = std::max(start - die, kOff);
                --men_[static_cast<std::size_t>(start)];
                ++men_[static_cast<std::size_t>(end)];
                extend(length + 1, start,
                       is_landing_kept_ && end != kOff ? landed | 1U << end : landed);
                --men_[static_cast<std::size_t>(end)];
                ++men_[static_cast<std::size_t>(start)];
            }
        }
        if (is_stuck && length > 0) {
            record(length, landed);
        }
    }

    bool can_step(int start, int die) const {
        if (men_[static_cast<std::size_t>(start)] == 0) {
            return false;
        }
        const int end = start - die;
        return end > kOff ? (blocked_ >> end & 1U) == 0 : may_bear_off(start, die);
    }

    bool may_bear_off(int start, int die) const {
        const int first = start == die ? kHome + 1 : start + 1;
        return std::all_of(men_.begin() + first, men_.end(), [](auto men) { return men == 0; });
    }

    void record(int length, PointSet landed) {
        if (length < longest_ || length < enough_) {
            return;
        }
        if (length > longest_) {
            longest_ = length;
            plays_.clear();
        }
        const MenPlay play{index_.rank(men_), landed};
        if (std::find(plays_.begin(), plays_.end(), play) == plays_.end()) {
            plays_.push_back(play);
        }
    }

    MenIndex index_;
    Side men_{};
    PointSet blocked_ = 0;
    bool is_landing_kept_ = false;
    std::array<int, 4> order_{};
    int num_dice_ = 0;
    int enough_ = 1;
    int longest_ = 0;
    std::vector<MenPlay> plays_;
};

}  // namespace ludus::backgammon
