// Many random games on several threads; the result depends on the seed alone, not on the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "morris/playout.hpp"

namespace ludus::morris {

inline Tally playouts(const Rules& rules, const Position& start, std::uint64_t games,
                      std::uint64_t seed, int threads, int max_plies) {
    constexpr std::uint64_t kBatch = 1024;  // each batch has a generator of its own
    const std::uint64_t batches = (games + kBatch - 1) / kBatch;
    const auto workers = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(threads), 1, std::max<std::uint64_t>(batches, 1)));
    std::atomic<std::uint64_t> next_batch{0};
    std::vector<Tally> tallies(workers);
    const auto work = [&](Tally& tally) {
        Road road;
        for (std::uint64_t b = next_batch++; b < batches; b = next_batch++) {
            Random random(Random(seed ^ (b * 0xD1B54A32D192ED03u)).next());
            const std::uint64_t end = std::min(games, (b + 1) * kBatch);
            for (std::uint64_t g = b * kBatch; g < end; ++g) {
                playout(rules, start, random, max_plies, road, tally);
            }
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t w = 1; w < workers; ++w) helpers.emplace_back(work, std::ref(tallies[w]));
    work(tallies[0]);
    for (std::thread& helper : helpers) helper.join();
    for (std::size_t w = 1; w < workers; ++w) tallies[0].add(tallies[w]);
    return tallies[0];
}

}  // namespace ludus::morris
