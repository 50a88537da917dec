// A board after a move as inputs of a network: the twin of ludus.learn.gammon.afterstate_inputs.
// Compiles for the CPU and the GPU.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "common/device.hpp"
#include "gammon/shots.hpp"

namespace ludus::gammon {

// In how many of 36 rolls a man gets past the six points in front of him, by which of the next 12
// points are blocked: bit 0 is the next one.
class EscapeTable {
public:
    static constexpr int kAhead = 12;
    static constexpr std::size_t kSize = std::size_t{1} << kAhead;

    EscapeTable() {
        for (std::size_t pattern = 0; pattern < kSize; ++pattern) {
            Walkers man;
            man.men = Mask{1} << 1;
            man.blocks = static_cast<Mask>(pattern) << 2;
            rolls_[pattern] = static_cast<std::uint8_t>(escapes(man));
        }
    }

    const std::uint8_t* data() const { return rolls_.data(); }

private:
    std::array<std::uint8_t, kSize> rolls_{};
};

inline constexpr int kUnitsPerPlace = 4;
inline constexpr int kOffUnits = 3;
inline constexpr int kSideFeatures = 25;
inline constexpr int kSideUnits = 25 * kUnitsPerPlace + kOffUnits + kSideFeatures;
inline constexpr int kAfterstateInputs = 2 * kSideUnits + 1;

// What is counted for one side, which walks down to 0.
struct SideBoard {
    Mask men = 0;     // places with men, the bar included
    Mask blocks = 0;  // points with two men or more
    Mask blots = 0;
    int pips = 0;
    int rear = 0;
};

LUDUS_HD inline int bits_in(Mask set) {
#ifdef __CUDA_ARCH__
    return __popcll(set);
#else
    return std::popcount(set);
#endif
}

LUDUS_HD inline int lowest_in(Mask set) {
#ifdef __CUDA_ARCH__
    return __ffsll(static_cast<long long>(set)) - 1;
#else
    return std::countr_zero(set);
#endif
}

// The set with place p at 25 - p.
LUDUS_HD inline Mask turned(Mask set) {
    auto bits = static_cast<std::uint32_t>(set);
    bits = (bits >> 1 & 0x55555555u) | (bits & 0x55555555u) << 1;
    bits = (bits >> 2 & 0x33333333u) | (bits & 0x33333333u) << 2;
    bits = (bits >> 4 & 0x0F0F0F0Fu) | (bits & 0x0F0F0F0Fu) << 4;
    bits = (bits >> 8 & 0x00FF00FFu) | (bits & 0x00FF00FFu) << 8;
    bits = std::rotl(bits, 16);
    return bits >> (31 - kBar);
}

LUDUS_HD inline Mask places(int first, int last) {
    return ((Mask{1} << (last + 1)) - 1) & ~((Mask{1} << first) - 1);
}

template <typename Men>
LUDUS_HD SideBoard side_board(const Men& men) {
    SideBoard side;
    for (int place = 1; place <= kBar; ++place) {
        const int count = men(place);
        const Mask bit = Mask{1} << place;
        side.men |= count > 0 ? bit : 0;
        side.pips += count * place;
        side.rear = count > 0 ? place : side.rear;
        if (place < kBar) {
            side.blots |= count == 1 ? bit : 0;
            side.blocks |= count > 1 ? bit : 0;
        }
    }
    return side;
}

// Writes inputs one after the other.
template <typename Float>
class InputWriter {
public:
    LUDUS_HD explicit InputWriter(Float* into) : next_(into) {}
    LUDUS_HD void add(float value) { *next_++ = static_cast<Float>(value); }
    LUDUS_HD void add(int count, float whole) { add(static_cast<float>(count) / whole); }

private:
    Float* next_;
};

LUDUS_HD inline int clamped(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

// The units of one side's men; places as it counts itself.
template <typename Float, typename Men>
LUDUS_HD void add_men(InputWriter<Float>& inputs, const Men& men) {
    for (int place = 1; place <= kBar; ++place) {
        const int count = men(place);
        inputs.add(count >= 1 ? 1.0f : 0.0f);
        inputs.add(count >= 2 ? 1.0f : 0.0f);
        inputs.add(count >= 3 ? 1.0f : 0.0f);
        inputs.add(clamped(count - 3, 0, 15), 2.0f);
    }
    const int off = men(kOff);
    for (int unit = 0; unit < kOffUnits; ++unit) {
        inputs.add(clamped(off - 5 * unit, 0, 5), 5.0f);
    }
}

// Features of `own` against `other`, both as each counts itself. `hitters` is the other side as it
// walks up over the own places.
template <typename Float, typename Men>
LUDUS_HD void add_side_features(InputWriter<Float>& inputs, const Men& men, const SideBoard& own,
                                const SideBoard& other, int other_on_bar,
                                const std::uint8_t* escape_rolls) {
    // On the own places.
    const Mask other_blocks = turned(other.blocks);
    const Mask other_men = turned(other.men);
    Walkers hitters;
    hitters.men = other_men & kPoints;
    hitters.on_bar = other_on_bar;
    hitters.blots = own.blots;
    hitters.blocks = own.blocks;

    int any = 0;
    int several = 0;
    int at_home = 0;
    int risk = 0;
    if (own.blots != 0 && (hitters.men != 0 || hitters.on_bar > 0)) {
        for (int high = 1; high <= 6; ++high) {
            for (int low = 1; low <= high; ++low) {
                const int ways = high == low ? 1 : 2;
                const Mask hit =
                    (high == low ? reached(hitters, high) : reached(hitters, high, low)) &
                    own.blots;
                any += hit != 0 ? ways : 0;
                several += (hit & (hit - 1)) != 0 ? ways : 0;
                at_home += (hit & places(1, 6)) != 0 ? ways : 0;
                for (Mask rest = hit; rest != 0; rest &= rest - 1) {
                    risk += ways * (kBar - lowest_in(rest));
                }
            }
        }
    }
    inputs.add(own.pips, 167.0f);
    inputs.add(any, 36.0f);
    inputs.add(several, 36.0f);
    inputs.add(at_home, 36.0f);
    inputs.add(risk, 36.0f * 25.0f);

    // Ways out for the own men: the next 12 places ahead of place p are p - 1, p - 2 …
    const Mask ahead = other.blocks;  // bit q is the own place 25 - q
    const auto escapes_from = [&](int place) {
        return static_cast<int>(escape_rolls[(ahead >> (kBar - place + 1)) & 0xFFF]);
    };
    int kept = 0;
    for (int place = 13; place <= kBar; ++place) {
        kept += men(place) * (36 - escapes_from(place));
    }
    inputs.add(own.rear > 12 ? escapes_from(own.rear) : 36, 36.0f);
    inputs.add(kept, 36.0f * 4.0f);
    inputs.add(escapes_from(kBar), 36.0f);
    const int closed = bits_in(other_blocks & places(19, 24));
    const float dances = static_cast<float>(closed * closed) / 36.0f;
    inputs.add(dances);
    inputs.add(men(kBar) > 0 ? dances : 0.0f);

    inputs.add(bits_in(own.blocks & places(1, 6)), 6.0f);
    int prime = 0;
    for (Mask run = own.blocks; run != 0; run &= run << 1) ++prime;
    inputs.add(prime, 6.0f);
    int blockade = 0;
    for (int place = 1; place <= 19; ++place) {
        const int points = bits_in(own.blocks & places(place, place + 5));
        const bool is_needed = (other_men & places(0, place + 4)) != 0;
        blockade = is_needed && points > blockade ? points : blockade;
    }
    inputs.add(blockade, 6.0f);
    inputs.add(bits_in(own.blocks & places(19, 24)), 3.0f);

    int back = 0, builders = 0, stacked = 0, crossovers = 0, timing = 0, deep = 0, mean_error = 0;
    int in_contact = 0, contact_pips = 0, num_men = 0;
    const int others_rear = kBar - other.rear;  // their rearmost man on the own places
    for (int place = 1; place <= kBar; ++place) {
        const int count = men(place);
        num_men += count;
        back += place >= 19 ? count : 0;
        builders += place >= 4 && place <= 13 ? (count == 1 ? 1 : clamped(count - 2, 0, 15)) : 0;
        stacked += clamped(count - 3, 0, 15);
        crossovers += count * ((place - 1) / 6);
        timing += place >= 7 && place <= 18 ? count * (place - 6) : 0;
        deep += place <= 2 ? count : 0;
        mean_error += count * place * place;
        in_contact += place > others_rear ? count : 0;
        contact_pips += place > others_rear ? count * (place - others_rear) : 0;
    }
    int gaps = 0;
    for (int place = 1; place <= 6; ++place) {
        gaps += men(place) == 0 ? 1 : 0;
    }
    inputs.add(back, 6.0f);
    inputs.add(builders, 8.0f);
    inputs.add(stacked, 8.0f);
    inputs.add(gaps, 6.0f);
    inputs.add(crossovers, 30.0f);
    inputs.add(bits_in(own.blots), 4.0f);
    inputs.add(timing, 60.0f);
    inputs.add(deep, 15.0f);
    inputs.add(in_contact, 15.0f);
    inputs.add(contact_pips, 167.0f);
    // The spread of the men around their mean place.
    const float share = num_men > 0 ? 1.0f / static_cast<float>(num_men) : 0.0f;
    const float mean = static_cast<float>(own.pips) * share;
    inputs.add((static_cast<float>(mean_error) * share - mean * mean) / 100.0f);
}

// The inputs of a board after a move: the mover's men, then the other side's, who rolls next; then
// whether there is contact. `row` has 52 counts as in View; `into` takes kAfterstateInputs values.
template <typename Float>
LUDUS_HD void write_inputs(const std::int8_t* row, Float* into, const std::uint8_t* escape_rolls) {
    const auto own_men = [row](int place) { return static_cast<int>(row[place]); };
    const auto other_men = [row](int place) { return static_cast<int>(row[26 + kBar - place]); };
    const SideBoard own = side_board(own_men);
    const SideBoard other = side_board(other_men);
    InputWriter<Float> inputs(into);
    add_men(inputs, own_men);
    add_side_features(inputs, own_men, own, other, other_men(kBar), escape_rolls);
    add_men(inputs, other_men);
    add_side_features(inputs, other_men, other, own, own_men(kBar), escape_rolls);
    inputs.add(own.rear + other.rear > kBar ? 1.0f : 0.0f);
}

}  // namespace ludus::gammon
