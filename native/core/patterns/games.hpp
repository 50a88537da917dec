// Whole games between Fuzzy players and the heuristic players.
#pragma once

#include <variant>

#include "morris/heuristics.hpp"
#include "patterns/fuzzy.hpp"

namespace ludus::patterns {

// One who plays: a heuristic or a network, which must outlive the games.
using Side = std::variant<morris::Heuristic, const Knowledge*>;

// What the side to move draws from.
class SideMoves {
public:
    SideMoves(const Rules& rules, const State& s, const morris::Heuristic& heuristic)
        : moves_(std::in_place_type<morris::HeuristicMoves>, rules, s, heuristic) {}
    SideMoves(const Rules& rules, const State& s, const Knowledge* knowledge)
        : moves_(std::in_place_type<FuzzyMoves>, rules, s, *knowledge) {}

    bool is_empty() const {
        return std::visit([](const auto& moves) { return moves.is_empty(); }, moves_);
    }
    Move draw(Random& random) const {
        return std::visit([&](const auto& moves) { return moves.draw(random); }, moves_);
    }

private:
    std::variant<morris::HeuristicMoves, FuzzyMoves> moves_;
};

// Games between two sides; the first one is side 0.
template <class Watch>
morris::Tally games(const Rules& rules, const morris::Position& start,
                    const std::array<Side, 2>& sides, std::uint64_t number, std::uint64_t seed,
                    int threads, int max_plies, const Watch& watch) {
    const auto moves_of = [&](const State& s) {
        return std::visit([&](const auto& side) { return SideMoves(rules, s, side); },
                          sides[s.mover]);
    };
    return morris::games_of(rules, start, number, seed, threads, max_plies, moves_of, watch);
}

}  // namespace ludus::patterns
