// Counting move sequences, in which a roll is a move too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "backgammon/plays.hpp"

namespace ludus::backgammon {

// Each level takes memory for a list of plays, and no machine counts so deep.
inline constexpr int kMaxDepth = 100;

// `Watch` is called now and then, so that a long count can be broken off by throwing.
template <typename Watch>
class Perft {
public:
    Perft(int depth, Watch watch)
        : plays_(std::make_unique<Plays[]>(static_cast<std::size_t>(depth / 2 + 1))),
          watch_(watch) {}

    std::uint64_t count(const View& view, std::optional<Dice> dice, bool is_opening, int depth) {
        if (depth == 0) {
            return 1;
        }
        return dice ? count_plays(view, *dice, depth) : count_rolls(view, is_opening, depth);
    }

private:
    static constexpr int kMinWatchedDepth = 4;

    std::uint64_t count_rolls(const View& view, bool is_opening, int depth) {
        if (view.is_over()) {
            return 0;
        }
        if (depth == 1) {
            return is_opening ? 15 : 21;
        }
        std::uint64_t total = 0;
        for (int high = 1; high <= 6; ++high) {
            for (int low = 1; low <= high; ++low) {
                if (!is_opening || low != high) {
                    total += count_plays(view, {high, low}, depth - 1);
                }
            }
        }
        return total;
    }

    std::uint64_t count_plays(const View& view, Dice dice, int depth) {
        if (depth >= kMinWatchedDepth) {
            watch_();
        }
        Plays& plays = plays_[static_cast<std::size_t>(depth / 2)];
        plays.find(view, dice);
        if (depth == 1) {
            return static_cast<std::uint64_t>(plays.size());
        }
        std::uint64_t total = 0;
        for (int i = 0; i < plays.size(); ++i) {
            total += count_rolls(plays[i].end.turned(), false, depth - 1);
        }
        return total;
    }

    // One list for each roll on the way: two plays of one sequence are two plies apart.
    std::unique_ptr<Plays[]> plays_;
    Watch watch_;
};

}  // namespace ludus::backgammon
