// The Fuzzy player of Vrajitoru's paper: scores for all moves out of a network of patterns, and a
// choice in proportion to them. The twin of ludus.learn.patterns.inference, which says how the
// paper was read.
#pragma once

#include <algorithm>
#include <bitset>
#include <memory>
#include <vector>

#include "common/random.hpp"
#include "morris/moves.hpp"
#include "patterns/quadrants.hpp"

namespace ludus::patterns {

using morris::bit;
using morris::Move;
using morris::Rules;
using morris::State;

enum class Take : std::uint8_t { random, share, best };

// What a network says with given weights: the score of each pattern, and which moves are known.
struct Knowledge {
    std::array<double, kPatterns> scores{};
    std::bitset<kPatterns * kPatterns> edges{};    // own moves that are known
    std::bitset<kPatterns * kPatterns> threats{};  // moves of the other side that are known
    double move_threshold = 0;  // how many times the old score an own move must reach
    double rate_threshold = 2;  // the same for a move of the other side that is to be blocked
    bool corners = true;  // whether a man that comes from another quadrant is scored
    bool leaves = false;  // whether the quadrant that a man leaves is scored
    bool defends = true;
    Take take = Take::random;

    static std::size_t edge(Pattern before, Pattern after) {
        return std::size_t{before} * kPatterns + after;
    }
};

// The moves of a position with the weight of each; moves with the same step share its score.
class FuzzyMoves {
public:
    FuzzyMoves(const Rules& rules, const State& s, const Knowledge& knowledge) : known_(knowledge) {
        std::array<double, morris::kPoints> threats{};
        if (known_.defends) find_threats(rules, s, threats);
        const Bits booty = morris::takeable(rules, s.other());
        const std::array<double, morris::kPoints> shares = take_shares(s.other(), booty);
        Move last;
        double score = 1;
        morris::for_each_move(rules, s, [&](Move move) {
            if (move.from != last.from || move.to != last.to) {
                score = best(s.own(), move, std::max(1.0, threats[move.to]), known_.edges,
                             known_.move_threshold);
                last = move;
            }
            moves_.push_back(move);
            weights_.push_back(move.take == morris::kNone ? score : score * shares[move.take]);
        });
    }

    bool is_empty() const { return moves_.empty(); }
    const std::vector<double>& weights() const { return weights_; }

    Move draw(Random& random) const {
        double total = 0;
        for (const double weight : weights_) total += weight;
        constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
        double left = static_cast<double>(random.next() >> 11) * kUnit * total;
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            left -= weights_[i];
            if (left < 0) return moves_[i];
        }
        // Rounding can leave a crumb; the last move that has a weight takes it.
        std::size_t i = moves_.size() - 1;
        while (i > 0 && weights_[i] == 0) --i;
        return moves_[i];
    }

private:
    // The best known score of a step for the side with these men, at least `floor`, among the
    // patterns whose score is more than `threshold` times what it was.
    double best(Bits men, Move step, double floor, const std::bitset<kPatterns * kPatterns>& edges,
                double threshold) const {
        const Bits moved =
            (step.from == morris::kNone ? men : men & ~bit(step.from)) | bit(step.to);
        double score = floor;
        for (int q = 0; q < kQuadrants; ++q) {
            const bool had = step.from != morris::kNone && has_point(q, step.from);
            if (has_point(q, step.to)) {
                if (step.from != morris::kNone && !had && !known_.corners) continue;
            } else if (!had || !known_.leaves) {
                continue;
            }
            const Pattern before = pattern(men, q), after = pattern(moved, q);
            const double reached = known_.scores[after];
            if (edges[Knowledge::edge(before, after)] &&
                reached > threshold * known_.scores[before]) {
                score = std::max(score, reached);
            }
        }
        return score;
    }

    // For each point the best score the other side could reach by a step to it.
    void find_threats(const Rules& rules, State s,
                      std::array<double, morris::kPoints>& threats) const {
        s.mover ^= 1;
        Move last;
        morris::for_each_move(rules, s, [&](Move move) {
            if (move.from == last.from && move.to == last.to) return;
            last = move;
            double& threat = threats[move.to];
            threat = best(s.own(), move, threat, known_.threats, known_.rate_threshold);
        });
    }

    // The probability of each man to be taken.
    std::array<double, morris::kPoints> take_shares(Bits men, Bits booty) const {
        std::array<double, morris::kPoints> shares{};
        if (known_.take == Take::random) {
            const double share = 1.0 / std::max(1, morris::count(booty));
            morris::for_each_point(booty,
                                   [&](int man) { shares[static_cast<std::size_t>(man)] = share; });
            return shares;
        }
        double highest = 0, total = 0;
        morris::for_each_point(booty, [&](int man) {
            shares[static_cast<std::size_t>(man)] = loss(men, man);
            highest = std::max(highest, shares[static_cast<std::size_t>(man)]);
        });
        morris::for_each_point(booty, [&](int man) {
            double& share = shares[static_cast<std::size_t>(man)];
            if (known_.take == Take::best) share = share == highest ? 1 : 0;
            total += share;
        });
        const int number = std::max(1, morris::count(booty));
        morris::for_each_point(booty, [&](int man) {
            double& share = shares[static_cast<std::size_t>(man)];
            share = total > 0 ? share / total : 1.0 / number;
        });
        return shares;
    }

    // What the patterns of a side lose with one of its men; nothing where they gain.
    double loss(Bits men, int man) const {
        double lost = 0;
        for (int q = 0; q < kQuadrants; ++q) {
            if (!has_point(q, man)) continue;
            lost += known_.scores[pattern(men, q)] - known_.scores[pattern(men & ~bit(man), q)];
        }
        return std::max(lost, 0.0);
    }

    const Knowledge& known_;
    std::vector<Move> moves_;
    std::vector<double> weights_;
};

}  // namespace ludus::patterns
