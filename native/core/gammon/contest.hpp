// Many games between two movers, on several threads, and the positions that come up in them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>

#include "backgammon/playouts.hpp"
#include "common/threads.hpp"
#include "gammon/movers.hpp"

namespace ludus::gammon {

using backgammon::Ending;
using backgammon::Tally;

using MakeMover = std::function<std::unique_ptr<Mover>()>;

// A game's dice come from its number alone, so that threads do not change the result.
inline Random random_of(std::uint64_t seed, std::uint64_t game) {
    Random mixed(seed ^ (game * 0x9E3779B97F4A7C15u));
    return Random(mixed.next());
}

// One game; `movers[side]` plays for that side, and side 0 is the viewer. `meet` sees every roll
// before it is played: (side, view of the side, dice, plays).
template <typename Meet>
Ending play_game(View view, bool is_opening, std::array<Mover*, 2> movers, Random& random,
                 Plays& plays, Meet meet) {
    for (std::size_t side = 0;; side = 1 - side) {
        if (view.is_over()) {
            return {static_cast<int>(1 - side), view.points_lost()};
        }
        const Dice dice = backgammon::roll(random, is_opening);
        plays.find(view, dice);
        meet(side, view, dice, plays);
        const int choice = plays.size() == 1 ? 0 : movers[side]->choose(view, dice, plays, random);
        view = plays[choice].end.turned();
        is_opening = false;
    }
}

// Games from the opening position, which the two begin in turn. `watch` is called now and then on
// the calling thread and may throw.
template <typename Watch>
Tally contest(const View& start, const MakeMover& first, const MakeMover& second,
              std::uint64_t games, std::uint64_t seed, unsigned threads, Watch watch) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<unsigned> working{threads};
    std::mutex mutex;
    Tally total{};
    const auto work = [&] {
        const auto plays = std::make_unique<Plays>();
        const auto one = first();
        const auto other = second();
        Tally tally{};
        for (std::uint64_t game = next++; game < games; game = next++) {
            Random random = random_of(seed, game);
            const std::size_t beginner = game % 2;
            std::array<Mover*, 2> movers{one.get(), other.get()};
            if (beginner == 1) {
                std::swap(movers[0], movers[1]);
            }
            const Ending ending = play_game(start, true, movers, random, *plays,
                                            [](auto, const auto&, auto, const auto&) {});
            const auto winner = static_cast<std::size_t>(ending.winner) ^ beginner;
            ++tally[winner][static_cast<std::size_t>(ending.points - 1)];
        }
        {
            const std::lock_guard hold(mutex);
            for (std::size_t side = 0; side < 2; ++side) {
                for (std::size_t points = 0; points < 3; ++points) {
                    total[side][points] += tally[side][points];
                }
            }
        }
        --working;
    };
    Threads workers;
    try {
        for (unsigned i = 0; i < threads; ++i) {
            workers.start(work);
        }
    } catch (const std::system_error&) {
        // The machine gives no more threads; those that are there do all the work.
        if (workers.size() == 0) throw;
        working -= threads - static_cast<unsigned>(workers.size());
    }
    try {
        while (working > 0) {
            watch();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    } catch (...) {
        next = games;
        throw;
    }
    return total;
}

// A position with more than one play.
struct Met {
    View before;
    Dice dice;
    std::uint32_t game;
    std::uint16_t ply;
    std::uint16_t moves;
};

// The positions of games between two movers, who play a random move with a chance of `stray`.
inline std::vector<Met> positions_met(std::span<const View> starts, bool is_opening, Mover& first,
                                      Mover& second, std::uint32_t games, double stray,
                                      std::uint64_t seed) {
    class Straying final : public Mover {
    public:
        Straying(Mover& mover, double stray) : mover_(mover), stray_(stray) {}
        int choose(const View& before, Dice dice, const Plays& plays, Random& random) override {
            const bool strays =
                static_cast<double>(random.next() >> 11) < stray_ * 9007199254740992.0;
            UniformMover uniform;
            return (strays ? static_cast<Mover&>(uniform) : mover_)
                .choose(before, dice, plays, random);
        }

    private:
        Mover& mover_;
        double stray_;
    };
    Straying one(first, stray);
    Straying other(second, stray);
    std::vector<Met> met;
    const auto plays = std::make_unique<Plays>();
    for (std::uint32_t game = 0; game < games; ++game) {
        Random random = random_of(seed, game);
        std::uint16_t ply = 0;
        play_game(starts[game % starts.size()], is_opening, {&one, &other}, random, *plays,
                  [&](auto, const View& view, Dice dice, const Plays& found) {
                      if (found.size() > 1) {
                          met.push_back(
                              {view, dice, game, ply, static_cast<std::uint16_t>(found.size())});
                      }
                      ++ply;
                  });
    }
    return met;
}

}  // namespace ludus::gammon
