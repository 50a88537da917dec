// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace ludus::backgammon {

// SplitMix64 (Steele, Lea and Flood 2014): one addition and a mix per number.
class SplitMix64 {
public:
    constexpr explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

    // A number below the bound, each with exactly the same probability (Lemire 2019).
    constexpr std::uint32_t below(std::uint32_t bound) {
        const std::uint32_t unfair = (0U - bound) % bound;
        for (;;) {
            const std::uint64_t product = (next() >> 32) * bound;
            if (static_cast<std::uint32_t>(product) >= unfair) {
                return static_cast<std::uint32_t>(product >> 32);
            }
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace ludus::backgammon
