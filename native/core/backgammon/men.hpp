// One side's men alone: a number for every placement of up to 15 men on the points 1 to P.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backgammon/view.hpp"

namespace ludus::backgammon {

inline constexpr int kMostPoints = 25;

// binomial(n, k), for n up to kMaxMen + kMostPoints.
class Binomials {
public:
    constexpr Binomials() {
        for (std::size_t n = 0; n < kRows; ++n) {
            rows_[n][0] = 1;
            for (std::size_t k = 1; k <= n; ++k) {
                rows_[n][k] = rows_[n - 1][k - 1] + (k < n ? rows_[n - 1][k] : 0);
            }
        }
    }

    constexpr std::uint64_t operator()(int n, int k) const {
        return rows_[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
    }

private:
    static constexpr std::size_t kRows = kMaxMen + kMostPoints + 1;
    std::array<std::array<std::uint64_t, kRows>, kRows> rows_{};
};

inline constexpr Binomials kBinomials{};

// Placements are ranked in the combinatorial number system: with s_k men on the k points furthest
// back the number is the sum of binomial(k - 1 + s_k, k). It is GNU Backgammon's numbering, too.
// 0 is all men off, fewer men come first, and every step forward lowers the number.
class MenIndex {
public:
    constexpr MenIndex(int men, int points) : men_(men), points_(points) {}

    int men() const { return men_; }
    int points() const { return points_; }

    std::size_t size() const { return kBinomials(men_ + points_, points_); }

    std::uint32_t rank(const Side& side) const {
        std::uint64_t total = 0;
        int behind = 0;
        for (int k = 1; k <= points_; ++k) {
            behind += side[static_cast<std::size_t>(points_ - k + 1)];
            total += kBinomials(k - 1 + behind, k);
        }
        return static_cast<std::uint32_t>(total);
    }

    // The inverse of rank; men that are on no point are off.
    Side unrank(std::uint32_t rank) const {
        Side side{};
        std::uint64_t rest = rank;
        int behind = men_;
        for (int k = points_; k >= 1; --k) {
            int most = behind;
            while (kBinomials(k - 1 + most, k) > rest) {
                --most;
            }
            rest -= kBinomials(k - 1 + most, k);
            if (k < points_) {
                side[static_cast<std::size_t>(points_ - k)] =
                    static_cast<std::int8_t>(behind - most);
            } else {
                side[kOff] = static_cast<std::int8_t>(men_ - most);
            }
            behind = most;
        }
        side[static_cast<std::size_t>(points_)] = static_cast<std::int8_t>(behind);
        return side;
    }

private:
    int men_;
    int points_;
};

inline int count_pips(const Side& side) {
    int pips = 0;
    for (std::size_t place = 1; place < side.size(); ++place) {
        pips += static_cast<int>(place) * side[place];
    }
    return pips;
}

}  // namespace ludus::backgammon
