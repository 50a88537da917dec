// Bearing off without contact by one side: how many rolls it takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "backgammon/men.hpp"
#include "backgammon/men_plays.hpp"
#include "solver/workers.hpp"

namespace ludus::backgammon {

using solver::Workers;

// Placements grouped by pips: those of one group do not lead to each other.
inline std::vector<std::vector<std::uint32_t>> group_by_pips(const MenIndex& index) {
    std::vector<std::vector<std::uint32_t>> groups(
        static_cast<std::size_t>(index.men() * index.points() + 1));
    for (std::uint32_t number = 0; number < index.size(); ++number) {
        groups[static_cast<std::size_t>(count_pips(index.unrank(number)))].push_back(number);
    }
    return groups;
}

// The number of rolls until all men are off, and until the first of `men` men is off, each with
// the moves that make its mean smallest. Rows have `width` probabilities, for 0, 1, 2 … rolls; the
// last one stands for all larger numbers, too.
class OneSidedBearoff {
public:
    OneSidedBearoff(int men, int points, int width)
        : index_(men, points),
          width_(static_cast<std::size_t>(width)),
          all_(index_.size() * width_),
          first_(index_.size() * width_),
          mean_all_(index_.size()),
          mean_first_(index_.size()) {}

    void solve(int threads) {
        Workers workers(threads);
        for (const auto& group : group_by_pips(index_)) {
            workers.share(group.size(), 64, [&](std::uint64_t first, std::uint64_t last) {
                MenPlays plays(index_);
                for (std::uint64_t i = first; i < last; ++i) {
                    derive(group[i], plays, row(all_, group[i]), row(first_, group[i]));
                    mean_all_[group[i]] = mean(row(all_, group[i]));
                    mean_first_[group[i]] = mean(row(first_, group[i]));
                }
            });
        }
    }

    const std::vector<double>& all() const { return all_; }
    const std::vector<double>& first() const { return first_; }
    std::size_t size() const { return index_.size(); }
    std::size_t width() const { return width_; }

private:
    std::span<double> row(std::vector<double>& table, std::uint32_t number) {
        return {table.data() + number * width_, width_};
    }

    static double mean(std::span<const double> distribution) {
        double total = 0;
        for (std::size_t i = 0; i < distribution.size(); ++i) {
            total += static_cast<double>(i) * distribution[i];
        }
        return total;
    }

    void derive(std::uint32_t number, MenPlays& plays, std::span<double> all,
                std::span<double> first) {
        const Side men = index_.unrank(number);
        const bool is_first_off = men[kOff] > 0;
        all[0] = number == 0 ? 1 : 0;
        first[0] = is_first_off ? 1 : 0;
        if (number == 0) {
            return;
        }
        for (const auto& [dice, probability] : kWeightedRolls) {
            const auto& found = plays.find(men, dice);
            add(all, row(all_, best(found, mean_all_)), probability);
            if (!is_first_off) {
                add(first, row(first_, best(found, mean_first_)), probability);
            }
        }
    }

    static std::uint32_t best(const std::vector<MenPlay>& plays, const std::vector<double>& means) {
        return std::min_element(
                   plays.begin(), plays.end(),
                   [&](const MenPlay& a, const MenPlay& b) { return means[a.to] < means[b.to]; })
            ->to;
    }

    // One roll more than `after`.
    static void add(std::span<double> into, std::span<const double> after, double probability) {
        for (std::size_t i = 0; i + 1 < into.size(); ++i) {
            into[i + 1] += probability * after[i];
        }
        into.back() += probability * after.back();
    }

    MenIndex index_;
    std::size_t width_;
    std::vector<double> all_, first_;
    std::vector<double> mean_all_, mean_first_;
};

}  // namespace ludus::backgammon
