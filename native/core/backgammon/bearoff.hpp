// Bearing off without contact: how many rolls one side takes, and who wins of two sides.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
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

// Every placement that each roll can lead to, all rolls of a placement one after the other.
class MoveLists {
public:
    explicit MoveLists(const MenIndex& index) {
        MenPlays plays(index);
        starts_.reserve(index.size() * kRolls + 1);
        for (std::uint32_t number = 0; number < index.size(); ++number) {
            const Side men = index.unrank(number);
            for (const auto& roll : kWeightedRolls) {
                starts_.push_back(to_.size());
                for (const MenPlay& play : plays.find(men, roll.dice)) {
                    to_.push_back(play.to);
                }
            }
        }
        starts_.push_back(to_.size());
    }

    std::span<const std::uint32_t> operator()(std::size_t number, std::size_t roll) const {
        const std::size_t list = number * kRolls + roll;
        return {to_.data() + starts_[list], starts_[list + 1] - starts_[list]};
    }

private:
    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> to_;
};

// Cubeless equities of two sides that bear off, as single games: the mean points of the side to
// move, equity[own * size + other].
//
// A move lowers the mover's number, so a position (own, other) leads to positions (other, less
// than own). In round k the positions (k, n >= k) follow from earlier rounds, and then the
// positions (n > k, k) from those. In both, the positions needed lie side by side in memory.
class TwoSidedBearoff {
public:
    TwoSidedBearoff(int men, int points)
        : index_(men, points),
          lists_(index_),
          equity_(index_.size() * index_.size()),
          turned_(equity_.size()) {}

    void solve(int threads) {
        Workers workers(threads);
        const std::size_t n = size();
        for (std::size_t other = 1; other < n; ++other) {
            store(0, other, 1.0F);
            store(other, 0, -1.0F);
        }
        const std::size_t piece = std::max<std::size_t>(64, n / 64);
        for (std::size_t k = 1; k < n; ++k) {
            workers.share(n - k, piece, [&](std::uint64_t first, std::uint64_t last) {
                derive_row(k, k + first, k + last);
            });
            workers.share(n - k - 1, piece, [&](std::uint64_t first, std::uint64_t last) {
                for (std::size_t own = k + 1 + first; own < k + 1 + last; ++own) {
                    turned_[k * n + own] = derive(own, k);
                }
            });
            const std::size_t end = std::min(n, (k / kTile + 1) * kTile);
            for (std::size_t own = k + 1; own < end; ++own) {
                equity_[own * n + k] = turned_[k * n + own];
            }
            if (end == k + 1) {
                turn_back(end, std::min(n, end + kTile), workers);
            }
        }
    }

    // The number of equities that do not follow from those of their successors.
    std::uint64_t verify(int threads, std::span<const float> equities) {
        std::copy(equities.begin(), equities.end(), equity_.begin());
        Workers workers(threads);
        std::atomic<std::uint64_t> wrong{0};
        const std::size_t n = size();
        workers.share(n * n, n, [&](std::uint64_t first, std::uint64_t last) {
            std::uint64_t here = 0;
            for (std::uint64_t slot = first; slot < last; ++slot) {
                const std::size_t own = slot / n, other = slot % n;
                const float expected = own == 0 ? (other == 0 ? 0.0F : 1.0F)
                                                : (other == 0 ? -1.0F : derive(own, other));
                // Values are found in another order than here, which changes the rounding.
                const float error = equity_[slot] - expected;
                here += error > -kRounding && error < kRounding ? 0 : 1;
            }
            wrong += here;
        });
        return wrong;
    }

    std::size_t size() const { return index_.size(); }
    std::vector<float>& equities() { return equity_; }

private:
    static constexpr float kRounding = 1e-6F;

    // Rows are completed this many at a time: one by one each value would cost a cache line.
    static constexpr std::size_t kTile = 64;

    // Completes the rows from first to last by what is known of earlier rounds.
    void turn_back(std::size_t first, std::size_t last, Workers& workers) {
        const std::size_t n = size();
        workers.share(first, 256, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::size_t other = begin; other < end; ++other) {
                for (std::size_t own = first; own < last; ++own) {
                    equity_[own * n + other] = turned_[other * n + own];
                }
            }
        });
    }

    void store(std::size_t own, std::size_t other, float equity) {
        equity_[own * size() + other] = equity;
        turned_[other * size() + own] = equity;
    }

    // (own, other) for other from first to last; turned_[s] are the positions of which s is the
    // other side.
    void derive_row(std::size_t own, std::size_t first, std::size_t last) {
        const std::size_t n = size();
        std::vector<float> total(last - first), worst(last - first);
        for (std::size_t roll = 0; roll < kRolls; ++roll) {
            const auto plays = lists_(own, roll);
            std::copy_n(turned_.data() + plays[0] * n + first, last - first, worst.data());
            for (const std::uint32_t to : plays.subspan(1)) {
                const float* after = turned_.data() + to * n + first;
                for (std::size_t i = 0; i < last - first; ++i) {
                    worst[i] = std::min(worst[i], after[i]);
                }
            }
            const auto probability = static_cast<float>(kWeightedRolls[roll].probability);
            for (std::size_t i = 0; i < last - first; ++i) {
                total[i] += probability * worst[i];
            }
        }
        for (std::size_t i = 0; i < last - first; ++i) {
            store(own, first + i, -total[i]);
        }
    }

    float derive(std::size_t own, std::size_t other) const {
        const float* after = equity_.data() + other * size();
        float total = 0;
        for (std::size_t roll = 0; roll < kRolls; ++roll) {
            float worst = 2;
            for (const std::uint32_t to : lists_(own, roll)) {
                worst = std::min(worst, after[to]);
            }
            total += static_cast<float>(kWeightedRolls[roll].probability) * worst;
        }
        return -total;
    }

    MenIndex index_;
    MoveLists lists_;
    std::vector<float> equity_, turned_;
};

}  // namespace ludus::backgammon
