// Bearing off without contact by one side: how many rolls it takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "backgammon/men.hpp"
#include "backgammon/quickest_plays.hpp"
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

// Probabilities of numbers of rolls, without the zeros before the first and behind the last one:
// those below `kLeast` count as zeros.
class RollTable {
public:
    explicit RollTable(std::size_t size) : rows_(size) {}

    std::span<const float> values(std::uint32_t number) const {
        return {values_.data() + rows_[number].at, rows_[number].count};
    }
    // The number of rolls of the first of the values.
    std::size_t first(std::uint32_t number) const { return rows_[number].first; }

    double mean(std::uint32_t number) const {
        double total = 0;
        const auto found = values(number);
        for (std::size_t i = 0; i < found.size(); ++i) {
            total += static_cast<double>(first(number) + i) * static_cast<double>(found[i]);
        }
        return total;
    }

    void append(std::uint32_t number, std::span<const double> row) {
        std::size_t first = 0, last = row.size();
        while (first + 1 < last && row[first] < kLeast) ++first;
        while (last > first + 1 && row[last - 1] < kLeast) --last;
        rows_[number] = {values_.size(), static_cast<std::uint8_t>(first),
                         static_cast<std::uint8_t>(last - first)};
        for (std::size_t i = first; i < last; ++i) values_.push_back(static_cast<float>(row[i]));
    }

    // Writes rows of `width` probabilities of 0, 1, 2 … rolls.
    template <typename T>
    void spread(std::size_t width, T* into) const {
        std::fill_n(into, rows_.size() * width, T{});
        for (std::uint32_t number = 0; number < rows_.size(); ++number) {
            const auto found = values(number);
            std::copy(found.begin(), found.end(), into + number * width + first(number));
        }
    }

private:
    static constexpr double kLeast = 1e-12;

    struct Row {
        std::uint64_t at = 0;
        std::uint8_t first = 0, count = 0;
    };

    std::vector<Row> rows_;
    std::vector<float> values_;
};

// The number of rolls until all men are off, and until the first of `men` men is off, each with
// the moves that make its mean smallest. There are `width` probabilities at most, for 0, 1, 2 …
// rolls; the last one stands for all larger numbers, too.
class OneSidedBearoff {
public:
    OneSidedBearoff(int men, int points, int width)
        : index_(men, points),
          width_(static_cast<std::size_t>(width)),
          all_(index_.size()),
          first_(index_.size()) {}

    void solve(int threads) {
        Workers workers(threads);
        QuickestPlays all_off(index_), first_off(index_);
        for (const auto& group : group_by_pips(index_)) {
            std::vector<double> rows(2 * width_ * group.size());
            const auto row = [&](std::size_t i) {
                return std::span<double>(rows.data() + i * width_, width_);
            };
            workers.share(group.size(), 64, [&](std::uint64_t first, std::uint64_t last) {
                for (std::uint64_t i = first; i < last; ++i) {
                    const Side men = index_.unrank(group[i]);
                    derive(group[i], men, group[i] == 0, all_, all_off, row(2 * i));
                    derive(group[i], men, men[kOff] > 0, first_, first_off, row(2 * i + 1));
                }
            });
            for (std::size_t i = 0; i < group.size(); ++i) {
                all_.append(group[i], row(2 * i));
                first_.append(group[i], row(2 * i + 1));
                all_off.set_mean(group[i], all_.mean(group[i]));
                first_off.set_mean(group[i], first_.mean(group[i]));
            }
        }
    }

    const RollTable& all() const { return all_; }
    const RollTable& first() const { return first_; }
    std::size_t size() const { return index_.size(); }

private:
    static void derive(std::uint32_t number, const Side& men, bool is_done, const RollTable& table,
                       QuickestPlays& plays, std::span<double> into) {
        if (is_done) {
            into[0] = 1;
            return;
        }
        const auto after = plays.find(number, men);
        for (std::size_t roll = 0; roll < kRolls; ++roll) {
            add(into, table, after[roll], kWeightedRolls[roll].probability);
        }
    }

    // One roll more than after the play.
    static void add(std::span<double> into, const RollTable& table, std::uint32_t after,
                    double probability) {
        const auto values = table.values(after);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t rolls = std::min(table.first(after) + i + 1, into.size() - 1);
            into[rolls] += probability * static_cast<double>(values[i]);
        }
    }

    MenIndex index_;
    std::size_t width_;
    RollTable all_, first_;
};

}  // namespace ludus::backgammon
