// Backgammon with few men a side, all positions: what the solvers on CPU and GPU share.
//
// A position is a pair (own, other) of placements of men on 24 points and the bar, each as its own
// side counts, with own to move. Placements are ordered by pips, so that every step forward
// leads to an earlier one; without hits a value follows from values of earlier pairs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#if defined(__BMI2__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

#include "backgammon/men.hpp"
#include "backgammon/men_plays.hpp"
#include "common/device.hpp"
#include "solver/workers.hpp"

namespace ludus::backgammon {

inline constexpr int kMostBlots = 4;

// A play for all positions of the other side with the same blocked points.
struct ListedPlay {
    std::uint32_t to;
    PointSet landed;
};

// What the other side's placement means for the mover.
struct Opponent {
    PointSet occupied;  // its points, as the mover counts
    PointSet blots;
    std::uint32_t lists;  // which of the lists of plays holds: by its blocked points
    std::int32_t num_blots;
    std::uint8_t blot[kMostBlots];       // its blots from the lowest on; 0 for none
    std::uint32_t hit[1 << kMostBlots];  // its placement after hits, by a bit for each blot
};

// Probabilities of the side to move: to win a gammon or more, to win a backgammon, to lose a gammon
// or more, to lose a backgammon. With the equity they give the probability to win.
inline constexpr int kChances = 4;
struct alignas(16) Chances {
    float of[kChances];
};

// Everything needed to derive values, as plain arrays in the memory of a CPU or a GPU.
struct HyperRules {
    std::uint32_t size;  // number of placements
    const PointSet* occupied;  // own points of each placement
    const Opponent* opponents;  // of each placement
    const std::uint32_t* starts;  // of each list: lists, placements, rolls, and the end
    const ListedPlay* plays;
    const double* probabilities;  // of the rolls

    LUDUS_HD bool is_possible(std::uint32_t own, std::uint32_t other) const {
        return own != 0 && other != 0 && (occupied[own] & opponents[other].occupied) == 0;
    }
};

// A bit for each blot that is hit.
template <int Blots>
LUDUS_HD inline std::uint32_t hit_by(PointSet landed, const Opponent& opponent) {
#if defined(__BMI2__) && !defined(__CUDA_ARCH__)
    return _pext_u32(landed, opponent.blots);
#else
    std::uint32_t found = 0;
    for (int i = 0; i < Blots; ++i) {
        found |= (landed >> opponent.blot[i] & 1U) << i;
    }
    return found;
#endif
}

// The mean points of the side to move, which chooses the play that leaves the other side least.
template <int Blots, typename T>
LUDUS_HD inline double derive_equity(const HyperRules& rules, const T* table, std::uint32_t own,
                                     std::uint32_t other) {
    const Opponent& opponent = rules.opponents[other];
    const T* rows[1 << Blots];
    for (int hits = 0; hits < 1 << Blots; ++hits) {
        rows[hits] = table + std::uint64_t{opponent.hit[hits]} * rules.size;
    }
    const std::uint32_t* starts =
        rules.starts + (std::uint64_t{opponent.lists} * rules.size + own) * kRolls;
    double total = 0;
    std::uint32_t next = starts[0];
    for (int roll = 0; roll < kRolls; ++roll) {
        T least = 4;
        for (const std::uint32_t end = starts[roll + 1]; next < end; ++next) {
            const ListedPlay play = rules.plays[next];
            const T left = rows[hit_by<Blots>(play.landed, opponent)][play.to];
            least = left < least ? left : least;
        }
        total += rules.probabilities[roll] * static_cast<double>(least);
    }
    return -total;
}

template <typename T>
LUDUS_HD inline double derive_equity(const HyperRules& rules, const T* table, std::uint32_t own,
                                     std::uint32_t other) {
    switch (rules.opponents[other].num_blots) {
        case 0: return derive_equity<0>(rules, table, own, other);
        case 1: return derive_equity<1>(rules, table, own, other);
        case 2: return derive_equity<2>(rules, table, own, other);
        case 3: return derive_equity<3>(rules, table, own, other);
        default: return derive_equity<4>(rules, table, own, other);
    }
}

// The play with the best equity for each roll, the first one of several: its place in the list.
template <typename T>
LUDUS_HD inline void choose_plays(const HyperRules& rules, const T* table, std::uint32_t own,
                                  std::uint32_t other, std::uint8_t* choices) {
    const Opponent& opponent = rules.opponents[other];
    const std::uint32_t* starts =
        rules.starts + (std::uint64_t{opponent.lists} * rules.size + own) * kRolls;
    for (int roll = 0; roll < kRolls; ++roll) {
        T least = 4;
        choices[roll] = 0;  // where nothing is an equity
        for (std::uint32_t next = starts[roll]; next < starts[roll + 1]; ++next) {
            const ListedPlay play = rules.plays[next];
            const std::uint32_t row = opponent.hit[hit_by<kMostBlots>(play.landed, opponent)];
            const T left = table[std::uint64_t{row} * rules.size + play.to];
            if (left < least) {
                least = left;
                choices[roll] = static_cast<std::uint8_t>(next - starts[roll]);
            }
        }
    }
}

// Chances of the side to move with the chosen plays.
LUDUS_HD inline Chances derive_chances(const HyperRules& rules, const Chances* table,
                                       std::uint32_t own, std::uint32_t other,
                                       const std::uint8_t* choices) {
    const Opponent& opponent = rules.opponents[other];
    const std::uint32_t* starts =
        rules.starts + (std::uint64_t{opponent.lists} * rules.size + own) * kRolls;
    Chances total{};
    for (int roll = 0; roll < kRolls; ++roll) {
        const ListedPlay play = rules.plays[starts[roll] + choices[roll]];
        const std::uint32_t row = opponent.hit[hit_by<kMostBlots>(play.landed, opponent)];
        const Chances& after = table[std::uint64_t{row} * rules.size + play.to];
        const auto probability = static_cast<float>(rules.probabilities[roll]);
        for (int i = 0; i < kChances; ++i) {
            total.of[i] += probability * after.of[i];
        }
    }
    return {{total.of[2], total.of[3], total.of[0], total.of[1]}};
}

// The probability to win: an equity is what wins and losses are worth as single games, and what
// gammons and backgammons add.
LUDUS_HD inline float derive_wins(double equity, const Chances& chances) {
    const float* of = chances.of;
    return static_cast<float>((1 + equity - of[0] - of[1] + of[2] + of[3]) / 2);
}

// Chances at the end of a game, for the side that has lost this number of points, or won.
inline Chances chances_at_end(int points, bool is_won) {
    const float gammon = points > 1 ? 1.0F : 0.0F, backgammon = points > 2 ? 1.0F : 0.0F;
    return is_won ? Chances{{gammon, backgammon, 0, 0}} : Chances{{0, 0, gammon, backgammon}};
}

// What is stored: the probability to win, then the chances.
inline constexpr int kStoredChances = 1 + kChances;
inline float stored_chance(double equity, const Chances& chances, int which) {
    const float value = which == 0 ? derive_wins(equity, chances) : chances.of[which - 1];
    return std::clamp(value, 0.0F, 1.0F);
}

// Points that a side loses whose men stand so when the other side has borne off all of its men.
inline int points_lost(const Side& men) {
    View view;
    view.own = men;
    return view.points_lost();
}

// When to extrapolate: changes soon shrink by a constant ratio r from sweep to sweep, and then the
// sum of all changes to come is r / (1 - r) times the last one (Aitken's method). Without this
// twice as many sweeps are needed.
class Pace {
public:
    // What to multiply the last change by and add; 0 while the ratio is not known.
    double next_factor(double change) {
        const double ratio = last_change_ > 0 ? change / last_change_ : 1;
        const double drift = std::abs(ratio - last_ratio_);
        last_change_ = change;
        last_ratio_ = ratio;
        if (++sweeps_ < kFirst || ratio > kMost || drift > kDrift * ratio) {
            return 0;
        }
        last_ratio_ = 0;
        return ratio / (1 - ratio);
    }

private:
    static constexpr int kFirst = 5;
    static constexpr double kMost = 0.95;
    static constexpr double kDrift = 0.03;

    int sweeps_ = 0;
    double last_change_ = 0;
    double last_ratio_ = 0;
};

// Placements in their order, and the arrays behind HyperRules.
class HyperTables {
public:
    HyperTables(int men, solver::Workers& workers) : index_(men, kBar) {
        order_placements();
        describe_placements();
        list_plays(workers);
        for (const auto& roll : kWeightedRolls) {
            probabilities_.push_back(roll.probability);
        }
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(placements_.size()); }
    const MenIndex& index() const { return index_; }
    // From the number of a placement in order to its rank, and back.
    const std::vector<std::uint32_t>& ranks() const { return ranks_; }
    const std::vector<std::uint32_t>& numbers() const { return numbers_; }
    // The first number of each pip count, and the end; pip counts without placements are left out.
    const std::vector<std::uint32_t>& levels() const { return levels_; }
    const Side& placement(std::uint32_t number) const { return placements_[number]; }

    const std::vector<PointSet>& occupied() const { return occupied_; }
    const std::vector<Opponent>& opponents() const { return opponents_; }
    const std::vector<std::uint32_t>& starts() const { return starts_; }
    const std::vector<ListedPlay>& plays() const { return plays_; }
    const std::vector<double>& probabilities() const { return probabilities_; }

    HyperRules rules() const {
        return {size(),         occupied_.data(), opponents_.data(),
                starts_.data(), plays_.data(),    probabilities_.data()};
    }

private:
    void order_placements() {
        const auto size = static_cast<std::uint32_t>(index_.size());
        std::vector<int> pips(size);
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            ranks_.push_back(rank);
            pips[rank] = count_pips(index_.unrank(rank));
        }
        std::stable_sort(ranks_.begin(), ranks_.end(),
                         [&](auto a, auto b) { return pips[a] < pips[b]; });
        numbers_.resize(size);
        for (std::uint32_t number = 0; number < size; ++number) {
            numbers_[ranks_[number]] = number;
            placements_.push_back(index_.unrank(ranks_[number]));
            if (number == 0 || pips[ranks_[number]] != pips[ranks_[number - 1]]) {
                levels_.push_back(number);
            }
        }
        levels_.push_back(size);
    }

    static PointSet turned(PointSet points) {
        PointSet result = 0;
        for (int point = 1; point < kBar; ++point) {
            result |= (points >> point & 1U) << (kBar - point);
        }
        return result;
    }

    void describe_placements() {
        for (std::uint32_t number = 0; number < size(); ++number) {
            const Side& men = placements_[number];
            PointSet occupied = 0, blocked = 0;
            Opponent opponent{};
            // From the point that the mover counts as the lowest on.
            for (int point = kBar - 1; point >= 1; --point) {
                const int here = men[static_cast<std::size_t>(point)];
                occupied |= here > 0 ? 1U << point : 0U;
                blocked |= here > 1 ? 1U << point : 0U;
                if (here == 1) {
                    opponent.blots |= 1U << (kBar - point);
                    opponent.blot[opponent.num_blots++] = static_cast<std::uint8_t>(kBar - point);
                }
            }
            occupied_.push_back(occupied);
            opponent.occupied = turned(occupied);
            opponent.lists = list_of(turned(blocked));
            for (std::uint32_t hits = 0; hits < 1U << kMostBlots; ++hits) {
                Side after = men;
                for (int i = 0; i < opponent.num_blots; ++i) {
                    if (hits >> i & 1U) {
                        --after[static_cast<std::size_t>(kBar - opponent.blot[i])];
                        ++after[kBar];
                    }
                }
                opponent.hit[hits] = numbers_[index_.rank(after)];
            }
            opponents_.push_back(opponent);
        }
    }

    std::uint32_t list_of(PointSet blocked) {
        const auto found = std::find(blocked_.begin(), blocked_.end(), blocked);
        if (found == blocked_.end()) {
            blocked_.push_back(blocked);
            return static_cast<std::uint32_t>(blocked_.size() - 1);
        }
        return static_cast<std::uint32_t>(found - blocked_.begin());
    }

    // Lists of one set of blocked points are made by one thread, then put together.
    void list_plays(solver::Workers& workers) {
        std::vector<std::vector<ListedPlay>> plays(blocked_.size());
        std::vector<std::vector<std::uint32_t>> ends(blocked_.size());
        workers.share(blocked_.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
            MenPlays finder(index_);
            for (std::uint64_t list = first; list < last; ++list) {
                for (std::uint32_t number = 0; number < size(); ++number) {
                    const bool is_possible = (occupied_[number] & blocked_[list]) == 0;
                    for (const auto& roll : kWeightedRolls) {
                        if (is_possible) {
                            for (const MenPlay& play : finder.find(placements_[number], roll.dice,
                                                                   blocked_[list], true)) {
                                plays[list].push_back({numbers_[play.to], play.landed});
                            }
                        }
                        ends[list].push_back(static_cast<std::uint32_t>(plays[list].size()));
                    }
                }
            }
        });
        starts_.push_back(0);
        for (std::size_t list = 0; list < blocked_.size(); ++list) {
            const auto offset = static_cast<std::uint32_t>(plays_.size());
            for (const std::uint32_t end : ends[list]) {
                starts_.push_back(offset + end);
            }
            plays_.insert(plays_.end(), plays[list].begin(), plays[list].end());
            plays[list] = {};
        }
    }

    MenIndex index_;
    std::vector<Side> placements_;
    std::vector<std::uint32_t> ranks_, numbers_, levels_;
    std::vector<PointSet> occupied_, blocked_;
    std::vector<Opponent> opponents_;
    std::vector<std::uint32_t> starts_;
    std::vector<ListedPlay> plays_;
    std::vector<double> probabilities_;
};

}  // namespace ludus::backgammon
