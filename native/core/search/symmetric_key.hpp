// Keys under which positions are remembered: one for all positions that are alike up to the 16
// symmetries of the board and the colours of the sides.
//
// Both boards are turned and mirrored at once, in the six lower bytes of one number, so that a
// canonical form costs some hundred simple instructions. Asked for at every inner node it takes a
// twentieth of the time of a search in the moving phase, where it hardly pays, and from the start
// of the game it leaves a quarter of the nodes; so there is no depth below which it is left out.
#pragma once

#include <array>

#include "morris/moves.hpp"
#include "morris/symmetry.hpp"

namespace ludus::search {

using morris::Bits;
using morris::Move;
using morris::State;

// The mover's board above the other side's, ring by ring, so that the mover's decides first.
using Pair = std::uint64_t;

constexpr Pair in_each_byte(std::uint64_t byte) { return byte * 0x010101010101u; }

constexpr Pair quarter_turned(Pair b) {
    return ((b << 2) & in_each_byte(0xFC)) | ((b >> 6) & in_each_byte(0x03));
}

constexpr Pair mirrored(Pair b) {
    b = ((b >> 1) & in_each_byte(0x55)) | ((b & in_each_byte(0x55)) << 1);
    b = ((b >> 2) & in_each_byte(0x33)) | ((b & in_each_byte(0x33)) << 2);
    b = ((b >> 4) & in_each_byte(0x0F)) | ((b & in_each_byte(0x0F)) << 4);
    return ((b << 3) & in_each_byte(0xF8)) | ((b >> 5) & in_each_byte(0x07));
}

constexpr Pair inside_out(Pair b) {
    constexpr Pair kInner = 0x0000FF0000FF, kMiddle = 0x00FF0000FF00;
    return ((b & kInner) << 16) | (b & kMiddle) | ((b >> 16) & kInner);
}

struct Canonical {
    Pair boards;
    int symmetry;  // takes the position to its canonical form; numbered as in morris/symmetry.hpp
};

constexpr Canonical canonical(Bits own, Bits other) {
    const Pair start = Pair{own} << 24 | other;
    const std::array<Pair, 4> halves{start, mirrored(start), inside_out(start),
                                     mirrored(inside_out(start))};
    Canonical best{start, 0};
    for (int half = 0; half < 4; ++half) {
        Pair image = halves[static_cast<std::size_t>(half)];
        for (int turns = 0; turns < 4; ++turns) {
            if (image < best.boards) best = {image, 4 * half + turns};
            image = quarter_turned(image);
        }
    }
    return best;
}

// Where each symmetry takes each point; a part that a move does not have stays away.
struct PointImages {
    std::array<std::array<std::uint8_t, morris::kPoints + 1>, morris::kSymmetries> to{}, back{};

    constexpr PointImages() {
        for (int g = 0; g < morris::kSymmetries; ++g) {
            const auto row = static_cast<std::size_t>(g);
            for (int point = 0; point < morris::kPoints; ++point) {
                const Bits image = morris::transformed(morris::bit(point), g);
                const auto arrives = static_cast<std::uint8_t>(std::countr_zero(image));
                to[row][static_cast<std::size_t>(point)] = arrives;
                back[row][arrives] = static_cast<std::uint8_t>(point);
            }
            to[row][morris::kNone] = back[row][morris::kNone] = morris::kNone;
        }
    }
};
inline constexpr PointImages kPointImages;

// A position's key in the table, and how moves stored there are to be turned.
class SymmetricKey {
public:
    // `countdown`, below 256, sets positions apart in which a limit of quiet plies is near.
    SymmetricKey(const State& s, int countdown) {
        const Canonical form = canonical(s.own(), s.other());
        symmetry_ = static_cast<std::size_t>(form.symmetry);
        key_ = form.boards | std::uint64_t{s.hand[s.mover]} << 48 |
               std::uint64_t{s.hand[s.mover ^ 1]} << 52 |
               static_cast<std::uint64_t>(countdown) << 56;
    }

    std::uint64_t key() const { return key_; }
    Move to_table(Move move) const { return turned(move, kPointImages.to[symmetry_]); }
    Move from_table(Move move) const { return turned(move, kPointImages.back[symmetry_]); }

private:
    static Move turned(Move move, const std::array<std::uint8_t, morris::kPoints + 1>& images) {
        return {images[move.from], images[move.to], images[move.take]};
    }

    std::uint64_t key_;
    std::size_t symmetry_;
};

}  // namespace ludus::search
