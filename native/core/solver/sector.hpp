// A sector is all positions with given numbers of men on the board and in hand. One side, called
// X, determines the row of the table (its men up to symmetry), the other, Y, the column (its men on
// the points that X leaves free). A move of Y therefore stays within its row, and a move of X
// maps the whole row to one other row: both keep to the processor's cache.
//
// X is the side with more men on the board, or else more in hand.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "solver/orbits.hpp"
#include "solver/subsets.hpp"
#include "solver/value.hpp"

namespace ludus::solver {

struct SectorId {
    int x = 0, y = 0;  // men on the board
    int x_hand = 0, y_hand = 0;  // men in hand

    auto operator<=>(const SectorId&) const = default;
    bool is_symmetric() const { return x == y && x_hand == y_hand; }
    SectorId swapped() const { return {y, x, y_hand, x_hand}; }
    bool is_ordered() const { return x > y || (x == y && x_hand >= y_hand); }
};

// A sector given by sides called A and B, and whether A is its X.
struct Oriented {
    SectorId id;
    bool a_is_x;
};

inline Oriented oriented(int a, int b, int a_hand, int b_hand) {
    const SectorId id{a, b, a_hand, b_hand};
    return id.is_ordered() ? Oriented{id, true} : Oriented{id.swapped(), false};
}

// The values of one sector for either side to move; a side that cannot be to move has none.
struct Table {
    SectorId id;
    std::uint64_t rows = 0, cols = 0;
    std::vector<Value> x_moves, y_moves;

    Table(SectorId sector, const Orbits& orbits)
        : id(sector),
          rows(orbits.representatives(sector.x).size()),
          cols(choose(morris::kPoints - sector.x, sector.y)) {}

    std::uint64_t slots() const { return rows * cols; }
    std::vector<Value>& values(bool x_to_move) { return x_to_move ? x_moves : y_moves; }
    const std::vector<Value>& values(bool x_to_move) const { return x_to_move ? x_moves : y_moves; }
};

// The slot of a position within its table.
inline std::uint64_t slot(const Orbits& orbits, const Table& table, Bits x, Bits y) {
    const Place place = orbits.place(x);
    const Bits x_image = orbits.representatives(table.id.x)[place.orbit()];
    const Bits y_image = image(symmetry_table()[place.symmetry()], y);
    return place.orbit() * table.cols + rank_table()(squeezed(y_image, kAll & ~x_image));
}

}  // namespace ludus::solver
