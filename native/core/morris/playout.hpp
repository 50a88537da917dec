// Random games: each legal move with the same probability, without listing the moves.
#pragma once

#include <vector>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "common/random.hpp"
#include "morris/position.hpp"

namespace ludus::morris {

// What a number of random games came to.
struct Tally {
    std::uint64_t games = 0, plies = 0;
    std::array<std::uint64_t, 3> winners{};  // side 0, side 1, nobody
    std::array<std::uint64_t, kReasons> reasons{};

    void add(const Tally& other) {
        games += other.games;
        plies += other.plies;
        for (std::size_t i = 0; i < winners.size(); ++i) winners[i] += other.winners[i];
        for (std::size_t i = 0; i < reasons.size(); ++i) reasons[i] += other.reasons[i];
    }
};

// The k-th point of a set, counted from 0.
inline std::uint8_t nth_point(Bits set, std::uint32_t k) {
#ifdef __BMI2__
    return static_cast<std::uint8_t>(lowest(_pdep_u32(Bits{1} << k, set)));
#else
    for (; k > 0; --k) set &= set - 1;
    return static_cast<std::uint8_t>(lowest(set));
#endif
}

// Chooses among groups of moves without listing them: each group is a set of targets, some of
// which close a mill and then stand for one move per man that can be taken.
class Lottery {
public:
    // All moves of a state.
    Lottery(const Rules& rules, const State& s) : booty_(takeable(rules, s.other())) {
        const Bits own = s.own(), free = s.free();
        takes_ = static_cast<std::uint32_t>(count(booty_));
        if (places(s)) add(kNone, free, completes_mill(own, rules.diagonals));
        if (!slides(rules, s)) return;
        if (flies(rules, s)) {
            for_each_point(own, [&](int from) {
                add(static_cast<std::uint8_t>(from), free,
                    completes_mill(own & ~bit(from), rules.diagonals));
            });
            return;
        }
        std::uint8_t direction = kFirstDirection;
        for (const Slides& group : all_slides(rules, own, free)) {
            add(direction++, group.targets, group.closing);
        }
    }

    bool is_empty() const { return total_ == 0; }

    // A uniformly random move; there must be one.
    Move draw(Random& random) const {
        std::uint32_t k = random.below(total_);
        std::size_t g = 0;
        while (k >= groups_[g].size) k -= groups_[g++].size;
        const Group& group = groups_[g];
        Move move{group.origin, kNone, kNone};
        if (const auto quiet = static_cast<std::uint32_t>(count(group.plain)); k < quiet) {
            move.to = nth_point(group.plain, k);
        } else {
            k -= quiet;
            move.to = nth_point(group.closing, k / takes_);
            move.take = nth_point(booty_, k % takes_);
        }
        if (move.from >= kFirstDirection) {
            move.from = static_cast<std::uint8_t>(origin(move.to, move.from - kFirstDirection));
        }
        return move;
    }

private:
    // Groups of slides have a direction in place of the point they start from.
    static constexpr std::uint8_t kFirstDirection = kNone + 1;

    struct Group {
        Bits plain, closing;
        std::uint32_t size;
        std::uint8_t origin;
    };

    void add(std::uint8_t origin, Bits targets, Bits closing) {
        closing = takes_ == 0 ? 0 : closing & targets;
        const Bits plain = targets & ~closing;
        const auto size = static_cast<std::uint32_t>(count(plain)) +
                          static_cast<std::uint32_t>(count(closing)) * takes_;
        groups_[num_groups_++] = {plain, closing, size, origin};
        total_ += size;
    }

    Bits booty_;
    std::uint32_t takes_ = 0, total_ = 0;
    std::size_t num_groups_ = 0;
    std::array<Group, 5> groups_{};  // placing, and four directions or up to three flying men
};

// The keys since the last irreversible move, with a small filter that answers most questions.
class Road {
public:
    void clear() {
        keys_.clear();
        filter_.fill(0);
    }
    // How often the key was there before; then it is added.
    int count_and_add(std::uint64_t key) {
        const std::uint64_t hash = (key * 0x9E3779B97F4A7C15u) >> 55;  // 9 bits
        std::uint64_t& word = filter_[hash >> 6];
        const std::uint64_t mask = std::uint64_t{1} << (hash & 63);
        int found = 0;
        if ((word & mask) != 0) {
            for (const std::uint64_t old : keys_) found += old == key ? 1 : 0;
        }
        word |= mask;
        keys_.push_back(key);
        return found;
    }

private:
    std::vector<std::uint64_t> keys_;
    std::array<std::uint64_t, 8> filter_{};
};

// A game in progress, with what the rules about repetition and quiet plies need to remember. It can
// be used again for another game, and then keeps its memory.
class GameInProgress {
public:
    void start(const Rules& rules, const Position& position) {
        state = position.state;
        occurrence_ = position.occurrence;
        quiet_ = position.quiet;
        road_.clear();
        if (rules.repetition > 0) {
            for (const std::uint64_t key : position.history.keys()) road_.count_and_add(key);
            road_.count_and_add(state.key());
        }
    }

    // Makes a move (or a pass), which is taken to be legal.
    void play(const Rules& rules, Move move) {
        apply(state, move);
        if (move.is_irreversible()) road_.clear();
        quiet_ = move.is_irreversible() ? 0 : quiet_ + 1;
        occurrence_ = rules.repetition > 0 ? 1 + road_.count_and_add(state.key()) : 1;
    }

    Outcome outcome(const Rules& rules, bool mover_can_move) const {
        return morris::outcome(rules, state, occurrence_, quiet_, mover_can_move);
    }

    int occurrence() const { return occurrence_; }
    int quiet() const { return quiet_; }

    State state;

private:
    int occurrence_ = 1, quiet_ = 0;
    Road road_;
};

// One game from a position, in which `moves_of(state)` says what a move is drawn from: it has
// is_empty() and draw(Random&). Longer games than max_plies count as drawn without a reason.
template <class MovesOf>
void playout(const Rules& rules, const Position& start, Random& random, int max_plies,
             GameInProgress& game, Tally& tally, const MovesOf& moves_of) {
    game.start(rules, start);
    ++tally.games;
    for (int ply = 0; ply < max_plies; ++ply, ++tally.plies) {
        const auto moves = moves_of(game.state);
        const Outcome end = game.outcome(rules, !moves.is_empty());
        if (end.is_over()) {
            ++tally.winners[end.winner];
            ++tally.reasons[static_cast<std::size_t>(end.reason)];
            return;
        }
        game.play(rules, moves.is_empty() ? Move{} : moves.draw(random));
    }
    ++tally.winners[2];
    ++tally.reasons[static_cast<std::size_t>(Reason::none)];
}

}  // namespace ludus::morris
