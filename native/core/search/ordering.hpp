// In which order moves are tried: the sooner the best one comes, the less is left to be searched.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "morris/closing.hpp"
#include "search/score.hpp"

namespace ludus::search {

using morris::Bits;
using morris::Move;
using morris::Rules;
using morris::State;

struct RankedMove {
    Move move;
    std::int32_t rank;
};

class Ordering {
public:
    static constexpr std::int32_t kFirst = 1 << 30, kCapture = 1 << 28, kBlock = 1 << 26,
                                  kKiller = 1 << 25;

    // Writes the moves of a state with their ranks; returns how many there are. `first` is what
    // the table says was best.
    int generate(const Rules& rules, const State& s, Move first, int ply, RankedMove* out) const {
        const auto& killers = killers_[static_cast<std::size_t>(ply)];
        const auto& past = history_[s.mover];
        const Bits threatened = morris::closing_points(rules, s, s.mover ^ 1);
        int size = 0;
        for_each_move(rules, s, [&](Move move) {
            std::int32_t rank = past[move.from][move.to];
            if (move == first) {
                rank = kFirst;
            } else if (move.take != morris::kNone) {
                rank += kCapture + taken_[s.mover][move.take];
            } else {
                if ((threatened & morris::bit(move.to)) != 0) rank += kBlock;
                if (move == killers[0] || move == killers[1]) rank += kKiller;
            }
            out[size++] = {move, rank};
        });
        return size;
    }

    // The best of the moves from `next` on changes places with the one there.
    static void bring_best(RankedMove* moves, int next, int size) {
        int best = next;
        for (int i = next + 1; i < size; ++i) {
            if (moves[i].rank > moves[best].rank) best = i;
        }
        std::swap(moves[next], moves[best]);
    }

    // A move was so good that the rest needed no look.
    void learn(const State& s, Move move, int depth, int ply) {
        raise(history_[s.mover][move.from][move.to], depth);
        if (move.take != morris::kNone) {
            raise(taken_[s.mover][move.take], depth);
            return;
        }
        auto& killers = killers_[static_cast<std::size_t>(ply)];
        if (killers[0] == move) return;
        killers[1] = killers[0];
        killers[0] = move;
    }

private:
    static void raise(std::int32_t& value, int depth) {
        constexpr std::int32_t kMost = 1 << 22;
        value += depth * depth;
        if (value > kMost) value = kMost;
    }

    std::array<std::array<Move, 2>, kMaxPly + 1> killers_{};
    std::array<std::array<std::array<std::int32_t, morris::kPoints>, morris::kPoints + 1>, 2>
        history_{};
    std::array<std::array<std::int32_t, morris::kPoints>, 2> taken_{};
};

}  // namespace ludus::search
