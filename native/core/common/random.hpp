// A small, fast, seeded generator (SplitMix64): the same seed gives the same games everywhere.
#pragma once

#include <cstdint>

namespace ludus {

class Random {
public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    // A number from 0 to n - 1. The bias is below n / 2^32, which no count of games can show.
    constexpr std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

    // The same with each number exactly as likely as the others (Lemire 2019), for a little more.
    constexpr std::uint32_t fairly_below(std::uint32_t n) {
        const std::uint32_t unfair = (0u - n) % n;
        for (;;) {
            const std::uint64_t product = (next() >> 32) * n;
            if (static_cast<std::uint32_t>(product) >= unfair) {
                return static_cast<std::uint32_t>(product >> 32);
            }
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace ludus
