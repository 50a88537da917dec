// Many games on several threads; the result depends on the seed alone, not on the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <system_error>
#include <vector>

#include "common/threads.hpp"
#include "morris/playout.hpp"

namespace ludus::morris {

constexpr std::uint64_t kMaxThreads = 256;  // further ones would only wait for a processor

// Games in which moves are drawn from what `moves_of(state)` says, as in playout. `watch` is called
// by the calling thread between batches; by throwing it stops all threads.
template <class MovesOf, class Watch>
Tally games_of(const Rules& rules, const Position& start, std::uint64_t games, std::uint64_t seed,
               int threads, int max_plies, const MovesOf& moves_of, const Watch& watch) {
    constexpr std::uint64_t kBatch = 1024;  // each batch has a generator of its own
    const std::uint64_t batches = games / kBatch + (games % kBatch != 0 ? 1 : 0);
    const auto workers = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(threads), 1,
                                  std::clamp<std::uint64_t>(batches, 1, kMaxThreads)));
    std::atomic<std::uint64_t> next_batch{0};
    std::vector<Tally> tallies(workers);
    const auto work = [&](Tally& tally, const auto& between) {
        GameInProgress game;
        for (std::uint64_t b = next_batch++; b < batches; b = next_batch++) {
            between();
            Random random(Random(seed ^ (b * 0xD1B54A32D192ED03u)).next());
            const std::uint64_t size = std::min(games - b * kBatch, kBatch);
            for (std::uint64_t g = 0; g < size; ++g) {
                playout(rules, start, random, max_plies, game, tally, moves_of);
            }
        }
    };
    {
        Threads helpers;
        try {
            for (std::size_t w = 1; w < workers; ++w) {
                helpers.start([&work, &tally = tallies[w]] { work(tally, [] {}); });
            }
        } catch (const std::system_error&) {
            // The machine gives no more threads; those that are there do all the work.
        }
        try {
            work(tallies[0], watch);
        } catch (...) {
            next_batch = batches;
            throw;
        }
    }
    for (std::size_t w = 1; w < workers; ++w) tallies[0].add(tallies[w]);
    return tallies[0];
}

// Random games: each legal move with the same probability.
template <class Watch>
Tally playouts(const Rules& rules, const Position& start, std::uint64_t games, std::uint64_t seed,
               int threads, int max_plies, const Watch& watch) {
    const auto all = [&](const State& s) { return Lottery(rules, s); };
    return games_of(rules, start, games, seed, threads, max_plies, all, watch);
}

}  // namespace ludus::morris
