// The heuristic players of Vrajitoru's paper (newbie, basic, focused), and whole games between
// them. The twin of ludus.players.morris_heuristics, which says how the paper was read.
#pragma once

#include <string_view>

#include "morris/closing.hpp"
#include "morris/playouts.hpp"

namespace ludus::morris {

// The readings of the paper that ludus.players.morris_heuristics describes.
enum class Opening : std::uint8_t { safe, any };
enum class Taking : std::uint8_t { any, first, threat };
enum class Among : std::uint8_t { moves, men, first };

// What a heuristic looks for beyond closing moves, which all of them look for first.
struct Heuristic {
    std::string_view name;
    bool opens = false;   // opens mills in the moving phase
    bool blocks = false;  // blocks mills in the placing phase
    Opening opening = Opening::safe;
    Taking taking = Taking::any;
    Among among = Among::moves;
};

inline constexpr std::array<Heuristic, 3> kHeuristics{
    {{"newbie", false, false}, {"basic", true, false}, {"focused", true, true}}};

// The moves among which a heuristic draws, each with the same probability unless it draws a man
// first.
class HeuristicMoves {
public:
    HeuristicMoves(const Rules& rules, const State& s, const Heuristic& heuristic)
        : among_(heuristic.among) {
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
            const Bits leaving = mills == 0 ? 0 : mills & ~entered(rules, s, heuristic.opening);
            if (leaving != 0) keep(rules, s, [&](Move m) { return (leaving & bit(m.from)) != 0; });
        }
        if (size_ == 0) {
            keep(rules, s, [](Move) { return true; });
        } else if (among_ == Among::first) {
            keep_first_way();
        }
        if (heuristic.taking != Taking::any) narrow_taking(rules, s, heuristic.taking);
    }

    bool is_empty() const { return size_ == 0; }
    Move draw(Random& random) const {
        const auto [begin, size] = among_ == Among::men ? one_man(random) : Range{0, size_};
        return unpacked(moves_[begin + random.below(static_cast<std::uint32_t>(size))]);
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
    static Bits entered(const Rules& rules, State s, Opening opening) {
        if (opening == Opening::any) return 0;
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

    struct Range {
        std::size_t begin, size;
    };

    // Moves come ordered by from, then to, then take, so those that share a man, or all but the
    // man they take, lie together. `mask` says which parts of a packed move they share.
    static constexpr std::uint32_t kMan = 0xFF, kWay = 0xFFFF;
    Range alike(std::size_t begin, std::uint32_t mask) const {
        std::size_t end = begin;
        while (end < size_ && (moves_[end] & mask) == (moves_[begin] & mask)) ++end;
        return {begin, end - begin};
    }

    // The moves of one man, each man with the same probability.
    Range one_man(Random& random) const {
        std::uint32_t men = 0;
        for (std::size_t i = 0; i < size_; i += alike(i, kMan).size) ++men;
        Range range = alike(0, kMan);
        for (std::uint32_t skip = random.below(men); skip > 0; --skip) {
            range = alike(range.begin + range.size, kMan);
        }
        return range;
    }

    void keep_first_way() { size_ = alike(0, kWay).size; }

    void narrow_taking(const Rules& rules, const State& s, Taking taking) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size_;) {
            const Range way = alike(i, kWay);
            i += way.size;
            const std::size_t before = kept;
            const auto copy_if = [&](const auto& wanted) {
                for (std::size_t j = way.begin; j < i; ++j) {
                    if (wanted(unpacked(moves_[j]))) moves_[kept++] = moves_[j];
                }
            };
            if (taking == Taking::first) {
                copy_if([&](Move) { return kept == before; });
            } else {
                copy_if([&](Move move) { return lessens(rules, s, move); });
                // No man takes a threat away: any will do.
                if (kept == before) copy_if([](Move) { return true; });
            }
        }
        size_ = kept;
    }

    // Whether the man taken leaves the other side fewer points on which a mill would be complete.
    static bool lessens(const Rules& rules, const State& s, Move move) {
        if (move.take == kNone) return true;
        const Bits rest = move.from == kNone ? s.own() : s.own() & ~bit(move.from);
        const Bits own = rest | bit(move.to), men = s.other();
        const auto gaps = [&](Bits left) {
            return count(completes_mill(left, rules.diagonals) & ~left & ~own);
        };
        return gaps(men & ~bit(move.take)) < gaps(men);
    }

    static std::uint32_t packed(Move m) {
        return std::uint32_t{m.from} | std::uint32_t{m.to} << 8 | std::uint32_t{m.take} << 16;
    }
    static Move unpacked(std::uint32_t bits) {
        return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                static_cast<std::uint8_t>(bits >> 16)};
    }

    Among among_;
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
