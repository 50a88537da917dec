// The heuristic players of Vrajitoru's paper (newbie, basic, focused), and whole games between
// them. The twin of ludus.players.mill_moves, which says how the paper was read.
#pragma once

#include <string_view>

#include "morris/closing.hpp"
#include "morris/playouts.hpp"

namespace ludus::morris {

// What a heuristic looks for beyond closing moves, which all of them look for first.
struct Heuristic {
    std::string_view name;
    bool opens = false;   // opens mills in the moving phase
    bool blocks = false;  // blocks mills in the placing phase
};

inline constexpr std::array<Heuristic, 3> kHeuristics{
    {{"newbie", false, false}, {"basic", true, false}, {"focused", true, true}}};

// The moves among which a heuristic draws, each with the same probability.
class HeuristicMoves {
public:
    HeuristicMoves(const Rules& rules, const State& s, const Heuristic& heuristic) {
        const Bits closing = closing_points(rules, s, s.mover);
        if (closing != 0) {
            keep(rules, s, [&](Move m) { return closes(rules, s, m); });
        } else if (places(s) && heuristic.blocks) {
            const Bits blocking = closing_points(rules, s, s.mover ^ 1);
            if (blocking != 0) keep(rules, s, [&](Move m) { return (blocking & bit(m.to)) != 0; });
        } else if (!places(s) && heuristic.opens) {
            // A man leaves its mill for a point from which it can come back, and the other side
            // cannot step into the gap.
            const Bits mills = in_mills(s.own(), rules.diagonals);
            const Bits leaving = mills == 0 ? 0 : mills & ~entered(rules, s);
            if (leaving != 0) keep(rules, s, [&](Move m) { return (leaving & bit(m.from)) != 0; });
        }
        if (size_ == 0) keep(rules, s, [](Move) { return true; });
    }

    bool is_empty() const { return size_ == 0; }
    Move draw(Random& random) const {
        return unpacked(moves_[random.below(static_cast<std::uint32_t>(size_))]);
    }
    std::vector<Move> all() const {
        std::vector<Move> list;
        for (std::size_t i = 0; i < size_; ++i) list.push_back(unpacked(moves_[i]));
        return list;
    }

private:
    static bool closes(const Rules& rules, const State& s, Move move) {
        const Bits rest = move.from == kNone ? s.own() : s.own() & ~bit(move.from);
        return (completes_mill(rest, rules.diagonals) & bit(move.to)) != 0;
    }

    // Own points onto which the other side could step once they are left.
    static Bits entered(const Rules& rules, State s) {
        s.mover ^= 1;
        if (places(s) || flies(rules, s)) return kAll;
        return neighbours(s.own(), rules.diagonals);
    }

    template <class Wanted>
    void keep(const Rules& rules, const State& s, const Wanted& wanted) {
        for_each_move(rules, s, [&](Move move) {
            if (wanted(move)) moves_[size_++] = packed(move);
        });
    }

    static std::uint32_t packed(Move m) {
        return std::uint32_t{m.from} | std::uint32_t{m.to} << 8 | std::uint32_t{m.take} << 16;
    }
    static Move unpacked(std::uint32_t bits) {
        return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                static_cast<std::uint8_t>(bits >> 16)};
    }

    std::size_t size_ = 0;
    // Plain numbers, which stay uninitialised: an array of moves would be filled for each position.
    std::array<std::uint32_t, kMaxMoves> moves_;
};

// Games between two heuristics; the first one plays side 0.
template <class Watch>
Tally heuristic_games(const Rules& rules, const Position& start,
                      const std::array<Heuristic, 2>& sides, std::uint64_t games,
                      std::uint64_t seed, int threads, int max_plies, const Watch& watch) {
    const auto moves_of = [&](const State& s) { return HeuristicMoves(rules, s, sides[s.mover]); };
    return games_of(rules, start, games, seed, threads, max_plies, moves_of, watch);
}

}  // namespace ludus::morris
