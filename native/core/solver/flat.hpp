// Finding the slot of a position by plain arrays alone, in a way that a GPU can follow too: the
// class of each set of points, the rows of each number of men, and the numbers of column sets.
#pragma once

#include <array>
#include <vector>

#include "solver/orbits.hpp"
#include "solver/subsets.hpp"

namespace ludus::solver {

// A row's set of X, and how the points it leaves free are pushed together: four steps suffice,
// since no member moves by more places than X has men.
struct Row {
    Bits x = 0;
    Bits steps[4] = {};
    Bits stabiliser = 1;

    LUDUS_HD Bits squeezed(Bits set) const {
        for (int i = 0; i < 4; ++i) {
            const Bits moved = set & steps[i];
            set = (set ^ moved) | (moved >> (1 << i));
        }
        return set;
    }
    LUDUS_HD Bits spread(Bits set) const {
        for (int i = 3; i >= 0; --i) {
            set = (set & ~steps[i]) | ((set << (1 << i)) & steps[i]);
        }
        return set & kAll & ~x;
    }
};

// After Hacker's Delight, section 7-4: which bits move by 1, 2, 4 and 8 places.
inline Row make_row(Bits x, Bits stabiliser) {
    Row row;
    row.x = x;
    row.stabiliser = stabiliser;
    Bits mask = kAll & ~x, gaps = ~mask << 1;
    for (int i = 0; i < 4; ++i) {
        Bits prefix = gaps;
        for (int shift = 1; shift < 32; shift <<= 1) prefix ^= prefix << shift;
        const Bits moves = prefix & mask;
        row.steps[i] = moves;
        mask = (mask ^ moves) | (moves >> (1 << i));
        gaps &= ~prefix;
    }
    return row;
}

// Where the arrays lie: in main memory, or in that of a GPU, to whose kernels it goes by value.
struct FlatTables {
    const std::uint32_t* places;           // set to orbit and symmetry, as Place packs it
    const Row* rows[morris::kPoints + 1];  // by number of men
    const std::uint32_t* low;              // numbers of sets, see RankTable
    const std::uint32_t* high;

    LUDUS_HD std::uint32_t rank(Bits set) const {
        constexpr Bits kLow = (Bits{1} << kLowBits) - 1;
        const Bits lower = set & kLow;
        return read(low + lower) +
               read(high + (morris::count(lower) << kLowBits) + (set >> kLowBits));
    }

    // The slot of a position in a table with `num_cols` columns.
    LUDUS_HD std::uint64_t slot(Bits x, Bits y, std::uint64_t cols) const {
        const std::uint32_t place = read(places + x), row = place & 0xFFFFF;
        const Bits image = morris::transformed(y, static_cast<int>(place >> 20));
        return row * cols + rank(rows[morris::count(x)][row].squeezed(image));
    }

    // These arrays never change, which a GPU is glad to know.
    LUDUS_HD static std::uint32_t read(const std::uint32_t* at) {
#ifdef __CUDA_ARCH__
        return __ldg(at);
#else
        return *at;
#endif
    }
};

// The arrays themselves, in main memory.
struct FlatVectors {
    std::vector<std::uint32_t> places, low, high;
    std::vector<std::vector<Row>> rows;

    FlatVectors(const Orbits& orbits, int max_men)
        : places(std::size_t{1} << morris::kPoints), rows(static_cast<std::size_t>(max_men) + 1) {
        for (Bits set = 0; set < places.size(); ++set) places[set] = orbits.place(set).packed;
        for (int men = 0; men <= max_men; ++men) {
            const std::vector<Bits>& sets = orbits.representatives(men);
            for (std::size_t i = 0; i < sets.size(); ++i) {
                rows[static_cast<std::size_t>(men)].push_back(
                    make_row(sets[i], orbits.stabilisers(men)[i]));
            }
        }
        const RankTable& ranks = rank_table();
        low.assign(ranks.low.begin(), ranks.low.end());
        for (const auto& part : ranks.high) high.insert(high.end(), part.begin(), part.end());
    }

    FlatTables tables() const {
        FlatTables view{};
        view.places = places.data();
        view.low = low.data();
        view.high = high.data();
        for (std::size_t men = 0; men < rows.size(); ++men) view.rows[men] = rows[men].data();
        return view;
    }
};

}  // namespace ludus::solver
