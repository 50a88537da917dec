// Numbering the k-subsets of n places: a set's number is its place among all sets with as many
// members in rising order of their bit patterns, which does not depend on n.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/device.hpp"
#include "morris/board.hpp"

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace ludus::solver {

using morris::Bits;
using morris::kAll;

constexpr int kLowBits = 12;

LUDUS_HD constexpr std::uint64_t choose(int n, int k) {
    if (k < 0 || k > n) return 0;
    std::uint64_t result = 1;
    for (int i = 1; i <= k; ++i)
        result = result * static_cast<std::uint64_t>(n - k + i) / static_cast<std::uint64_t>(i);
    return result;
}

// The number of a set is the sum of C(place, i + 1) over its members, i counting from 0; it is
// looked up for the lower and the upper half of the places, given how many lie in the lower.
struct RankTable {
    std::array<std::uint32_t, 1 << kLowBits> low{};
    std::array<std::array<std::uint32_t, 1 << kLowBits>, kLowBits + 1> high{};

    RankTable() {
        for (std::uint32_t set = 0; set < low.size(); ++set) {
            low[set] = sum(set, 0, 0);
            for (int before = 0; before <= kLowBits; ++before) {
                high[static_cast<std::size_t>(before)][set] = sum(set, kLowBits, before);
            }
        }
    }

    std::uint32_t operator()(Bits set) const {
        const Bits lower = set & ((Bits{1} << kLowBits) - 1);
        return low[lower] + high[static_cast<std::size_t>(morris::count(lower))][set >> kLowBits];
    }

private:
    static std::uint32_t sum(Bits set, int offset, int before) {
        std::uint64_t total = 0;
        for (int i = before + 1; set != 0; set &= set - 1, ++i) {
            total += choose(morris::lowest(set) + offset, i);
        }
        return static_cast<std::uint32_t>(total);  // sets beyond 24 places do not occur
    }
};

inline const RankTable& rank_table() {
    static const RankTable table;
    return table;
}

// All k-subsets of n places, in the order of their numbers.
inline std::vector<Bits> subsets(int n, int k) {
    std::vector<Bits> all;
    all.reserve(choose(n, k));
    if (k == 0) return {0};
    for (Bits set = (Bits{1} << k) - 1; set < (Bits{1} << n);) {
        all.push_back(set);
        const Bits smallest = set & (~set + 1), ripple = set + smallest;
        set = ripple | (((set ^ ripple) >> 2) / smallest);
    }
    return all;
}

// The members of a set within a mask, pushed together to the lowest places.
inline Bits squeezed(Bits set, Bits mask) {
#ifdef __BMI2__
    return _pext_u32(set, mask);
#else
    Bits out = 0;
    for (Bits place = 1; mask != 0; mask &= mask - 1, place <<= 1) {
        if ((set & mask & (~mask + 1)) != 0) out |= place;
    }
    return out;
#endif
}

// The inverse of squeezed: the lowest places spread out over a mask.
inline Bits spread(Bits set, Bits mask) {
#ifdef __BMI2__
    return _pdep_u32(set, mask);
#else
    Bits out = 0;
    for (; mask != 0; mask &= mask - 1, set >>= 1) {
        if ((set & 1) != 0) out |= mask & (~mask + 1);
    }
    return out;
#endif
}

}  // namespace ludus::solver
