// Value iteration over all positions of backgammon with few men a side, on the CPU.
//
// One sweep goes through the pip counts p from low to high. First the positions in which the mover
// has p pips and the other side more: they follow from positions in which the other side has fewer
// than p, all of them up to date, whatever was hit. Then those in which the other side has p and
// the mover as many or more: without hits they follow from the first ones. So the only values from
// the sweep before are those after a hit by the side that is behind, and after a pass.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backgammon/hypergammon.hpp"

namespace ludus::backgammon {

class HyperSolver {
public:
    HyperSolver(int men, int threads) : workers_(threads), tables_(men, workers_) {
        const std::uint64_t size = tables_.size();
        equity_.assign(size * size, 0.0);
        for (std::uint32_t own = 1; own < size; ++own) {
            equity_[own * size] = -points_lost(tables_.placement(own));
            equity_[own] = points_lost(tables_.placement(own));
        }
    }

    const HyperTables& tables() const { return tables_; }

    // One sweep over all equities; returns the largest change.
    double sweep() {
        const HyperRules rules = tables_.rules();
        return sweep_levels<double, double>(
            equity_, equity_pace_,
            [&](std::uint32_t own, std::uint32_t other) {
                return derive_equity(rules, equity_.data(), own, other);
            },
            [](double before, double after) { return std::abs(after - before); },
            [](double& value, double before, double factor) {
                value += factor * (value - before);
            });
    }

    // Rounds equities as they are stored and fixes the best plays by them; then chances may be
    // swept. Plays are chosen by what is stored, so that chances can be verified.
    void choose() {
        const std::uint64_t size = tables_.size();
        const HyperRules rules = tables_.rules();
        rounded_.assign(equity_.begin(), equity_.end());
        choices_.resize(size * size * kRolls);
        chances_.assign(size * size, Chances{});
        chances_pace_ = {};
        workers_.share(size, 8, [&](std::uint64_t first, std::uint64_t last) {
            for (auto other = static_cast<std::uint32_t>(first); other < last; ++other) {
                for (std::uint32_t own = 0; own < size; ++own) {
                    if (rules.is_possible(own, other)) {
                        choose_plays(rules, rounded_.data(), own, other, choices(own, other));
                    }
                }
            }
        });
        for (std::uint32_t own = 1; own < size; ++own) {
            const int lost = points_lost(tables_.placement(own));
            chances_[own * size] = chances_at_end(lost, false);
            chances_[own] = chances_at_end(lost, true);
        }
    }

    // One sweep over all chances; returns the largest change.
    double sweep_chances() {
        const HyperRules rules = tables_.rules();
        return sweep_levels<Chances, float>(
            chances_, chances_pace_,
            [&](std::uint32_t own, std::uint32_t other) {
                return derive_chances(rules, chances_.data(), own, other, choices(own, other));
            },
            largest_difference, extrapolate_chances);
    }

    // The largest difference between an equity and what follows from its successors, then the same
    // for chances. Call it after loading tables, or after choose.
    std::pair<double, double> find_errors() {
        const std::uint64_t size = tables_.size();
        const HyperRules rules = tables_.rules();
        std::vector<double> equity_errors(size), chance_errors(size);
        workers_.share(size, 8, [&](std::uint64_t first, std::uint64_t last) {
            for (auto other = static_cast<std::uint32_t>(first); other < last; ++other) {
                for (std::uint32_t own = 0; own < size; ++own) {
                    if (!rules.is_possible(own, other)) {
                        continue;
                    }
                    const double again = derive_equity(rules, rounded_.data(), own, other);
                    const double error = std::abs(again - rounded_[own * size + other]);
                    equity_errors[other] = std::max(equity_errors[other], as_error(error));
                    if (chances_.empty()) {
                        continue;
                    }
                    std::uint8_t plays[kRolls];
                    choose_plays(rules, rounded_.data(), own, other, plays);
                    const double difference = largest_difference(
                        chances_[own * size + other],
                        derive_chances(rules, chances_.data(), own, other, plays));
                    chance_errors[other] = std::max(chance_errors[other], difference);
                }
            }
        });
        return {*std::max_element(equity_errors.begin(), equity_errors.end()),
                *std::max_element(chance_errors.begin(), chance_errors.end())};
    }

    // Tables by rank: [own * size + other], chances in planes one after the other. Pairs that
    // share a point are 0.
    void read_equities(std::span<float> into) {
        remap([&](std::uint64_t slot, std::uint64_t inner) {
            into[slot] = static_cast<float>(equity_[inner]);
        });
    }

    void read_chances(std::span<float> into) {
        const std::uint64_t plane = std::uint64_t{tables_.size()} * tables_.size();
        remap([&](std::uint64_t slot, std::uint64_t inner) {
            for (int i = 0; i < kStoredChances; ++i) {
                into[static_cast<std::uint64_t>(i) * plane + slot] =
                    stored_chance(equity_[inner], chances_[inner], i);
            }
        });
    }

    void load(std::span<const float> equities, std::span<const float> chances) {
        const std::uint64_t plane = std::uint64_t{tables_.size()} * tables_.size();
        rounded_.resize(plane);
        chances_.assign(chances.empty() ? 0 : plane, Chances{});
        remap([&](std::uint64_t slot, std::uint64_t inner) {
            rounded_[inner] = equities[slot];
            equity_[inner] = static_cast<double>(equities[slot]);
            for (std::uint64_t i = 0; !chances.empty() && i < kChances; ++i) {
                chances_[inner].of[i] = chances[(i + 1) * plane + slot];
            }
        });
    }

private:
    // What is no number is as wrong as can be.
    static double as_error(double difference) {
        return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }

    static float largest_difference(const Chances& before, const Chances& after) {
        float largest = 0;
        for (int i = 0; i < kChances; ++i) {
            largest = std::max(largest, std::abs(before.of[i] - after.of[i]));
        }
        return largest;
    }

    static void extrapolate_chances(Chances& value, const Chances& before, double factor) {
        for (int i = 0; i < kChances; ++i) {
            value.of[i] += static_cast<float>(factor) * (value.of[i] - before.of[i]);
        }
    }

    std::uint8_t* choices(std::uint32_t own, std::uint32_t other) {
        return choices_.data() + (std::uint64_t{other} * tables_.size() + own) * kRolls;
    }

    template <typename Work>
    void remap(Work work) {
        const std::uint64_t size = tables_.size();
        const auto& ranks = tables_.ranks();
        workers_.share(size, 16, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t own = first; own < last; ++own) {
                for (std::uint64_t other = 0; other < size; ++other) {
                    work(ranks[own] * size + ranks[other], own * size + other);
                }
            }
        });
    }

    // The order is described at the top. Values of the second kind may follow from each other, so
    // they are written when all of a pip count are known: results do not depend on threads.
    template <typename Value, typename Difference, typename Derive, typename Compare,
              typename Extrapolate>
    double sweep_levels(std::vector<Value>& values, Pace& pace, Derive derive, Compare compare,
                        Extrapolate extrapolate) {
        const HyperRules rules = tables_.rules();
        const std::vector<Value> before = values;
        const std::uint64_t size = rules.size;
        const auto& levels = tables_.levels();
        std::vector<Difference> changes(size);
        std::vector<Value> buffer;
        for (std::size_t level = 1; level + 1 < levels.size(); ++level) {
            const std::uint32_t low = levels[level], high = levels[level + 1];
            workers_.share(size - high, 16, [&](std::uint64_t first, std::uint64_t last) {
                for (auto other = static_cast<std::uint32_t>(high + first); other < high + last;
                     ++other) {
                    for (std::uint32_t own = low; own < high; ++own) {
                        if (rules.is_possible(own, other)) {
                            Value& value = values[own * size + other];
                            const Value after = derive(own, other);
                            changes[other] = std::max(changes[other], compare(value, after));
                            value = after;
                        }
                    }
                }
            });
            const std::uint64_t width = size - low;
            buffer.resize((high - low) * width);
            constexpr std::uint64_t kPiece = 256;
            const std::uint64_t pieces = (width + kPiece - 1) / kPiece;
            workers_.share((high - low) * pieces, 1, [&](std::uint64_t first, std::uint64_t last) {
                for (std::uint64_t task = first; task < last; ++task) {
                    const auto other = static_cast<std::uint32_t>(low + task / pieces);
                    const std::uint64_t begin = task % pieces * kPiece;
                    for (std::uint64_t i = begin; i < std::min(begin + kPiece, width); ++i) {
                        const auto own = static_cast<std::uint32_t>(low + i);
                        if (rules.is_possible(own, other)) {
                            buffer[(other - low) * width + i] = derive(own, other);
                        }
                    }
                }
            });
            workers_.share(width, 64, [&](std::uint64_t first, std::uint64_t last) {
                for (std::uint64_t i = first; i < last; ++i) {
                    const auto own = static_cast<std::uint32_t>(low + i);
                    for (std::uint32_t other = low; other < high; ++other) {
                        if (rules.is_possible(own, other)) {
                            Value& value = values[own * size + other];
                            const Value& after = buffer[(other - low) * width + i];
                            changes[own] = std::max(changes[own], compare(value, after));
                            value = after;
                        }
                    }
                }
            });
        }
        const double change = *std::max_element(changes.begin(), changes.end());
        if (const double factor = pace.next_factor(change); factor > 0) {
            workers_.share(values.size(), size * 16, [&](std::uint64_t first, std::uint64_t last) {
                for (std::uint64_t slot = first; slot < last; ++slot) {
                    extrapolate(values[slot], before[slot], factor);
                }
            });
        }
        return change;
    }

    solver::Workers workers_;
    HyperTables tables_;
    std::vector<double> equity_;
    std::vector<float> rounded_;
    std::vector<std::uint8_t> choices_;
    std::vector<Chances> chances_;
    Pace equity_pace_, chances_pace_;
};

}  // namespace ludus::backgammon
