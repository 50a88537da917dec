// Products of int8 weights and int16 coefficients, summed in 32 bits: exact in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__) || defined(__SSE4_1__)
#include <immintrin.h>
#endif

namespace ludus::equivariant {

// Rows of a matrix that are multiplied together; matrices are padded to this many with zeros.
inline constexpr std::size_t kRows = 16;

// Sums of a few rows side by side, and the columns whose sums of all kRows rows fit the registers.
#if defined(__AVX2__)

using Sums = __m256i;
using Pairs = __m256i;
inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kColumns = 3;

inline Pairs read_weights(const std::int8_t* pairs) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pairs)));
}
inline Pairs repeat_pair(const std::int16_t* pair) {
    std::int32_t both = 0;
    std::memcpy(&both, pair, sizeof both);
    return _mm256_set1_epi32(both);
}
inline void add_products(Sums& sums, Pairs weights, Pairs pair) {
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(weights, pair));
}
inline void write_sums(std::int32_t* to, Sums sums) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums);
}

#elif defined(__SSE4_1__)

using Sums = __m128i;
using Pairs = __m128i;
inline constexpr std::size_t kLanes = 4;
inline constexpr std::size_t kColumns = 2;

inline Pairs read_weights(const std::int8_t* pairs) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pairs)));
}
inline Pairs repeat_pair(const std::int16_t* pair) {
    std::int32_t both = 0;
    std::memcpy(&both, pair, sizeof both);
    return _mm_set1_epi32(both);
}
inline void add_products(Sums& sums, Pairs weights, Pairs pair) {
    sums = _mm_add_epi32(sums, _mm_madd_epi16(weights, pair));
}
inline void write_sums(std::int32_t* to, Sums sums) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), sums);
}

#else

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kColumns = 2;
struct Sums {
    std::int32_t lanes[kLanes];
};
using Pairs = const std::int8_t*;

inline Pairs read_weights(const std::int8_t* pairs) { return pairs; }
inline const std::int16_t* repeat_pair(const std::int16_t* pair) { return pair; }
inline void add_products(Sums& sums, Pairs weights, const std::int16_t* pair) {
    for (std::size_t i = 0; i < kLanes; ++i) {
        sums.lanes[i] += weights[2 * i] * pair[0] + weights[2 * i + 1] * pair[1];
    }
}
inline void write_sums(std::int32_t* to, const Sums& sums) {
    std::copy(sums.lanes, sums.lanes + kLanes, to);
}

#endif

// The sums of kRows rows for some columns, which lie `stride` apart; both have 2 * pairs entries.
// Weights are packed pair by pair: two neighbouring entries of each row.
template <std::size_t columns>
void multiply_rows(const std::int8_t* weights, std::size_t pairs, const std::int16_t* column,
                   std::size_t stride, std::int32_t (*found)[kRows]) {
    constexpr std::size_t parts = kRows / kLanes;
    Sums sums[columns][parts] = {};
    for (std::size_t k = 0; k < pairs; ++k) {
        Pairs rows[parts];
        for (std::size_t part = 0; part < parts; ++part) {
            rows[part] = read_weights(weights + 2 * (k * kRows + part * kLanes));
        }
        for (std::size_t j = 0; j < columns; ++j) {
            const auto pair = repeat_pair(column + j * stride + 2 * k);
            for (std::size_t part = 0; part < parts; ++part) {
                add_products(sums[j][part], rows[part], pair);
            }
        }
    }
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t part = 0; part < parts; ++part) {
            write_sums(found[j] + part * kLanes, sums[j][part]);
        }
    }
}

}  // namespace ludus::equivariant
