// Wins, losses and draws of a sector, counted once per class of 16 symmetries.
#pragma once

#include <mutex>

#include "solver/store.hpp"
#include "solver/workers.hpp"

namespace ludus::solver {

struct Tally {
    std::uint64_t win = 0, loss = 0, draw = 0;
    int max_win = 0, max_loss = 0;

    void count(Value v) {
        if (v == kDraw) {
            ++draw;
        } else if (is_win(v)) {
            ++win;
            max_win = std::max<int>(max_win, v);
        } else {
            ++loss;
            max_loss = std::max<int>(max_loss, v);
        }
    }
    void add(const Tally& other) {
        win += other.win;
        loss += other.loss;
        draw += other.draw;
        max_win = std::max(max_win, other.max_win);
        max_loss = std::max(max_loss, other.max_loss);
    }
};

// A slot stands for its class if no symmetry of X's men takes Y's men to a smaller number.
inline bool is_representative(Bits x, Bits y, std::uint16_t stabiliser) {
    const Bits free = kAll & ~x, own = squeezed(y, free);
    for (int g = 1; g < morris::kSymmetries; ++g) {
        if ((stabiliser >> g & 1) != 0 && squeezed(image(symmetry_table()[g], y), free) < own) {
            return false;
        }
    }
    return true;
}

inline Tally tally(const Store& store, const Table& table, bool x_to_move, Workers& workers) {
    const std::vector<Bits> columns = subsets(morris::kPoints - table.id.x, table.id.y);
    const std::vector<Value>& values = table.values(x_to_move);
    Tally total;
    std::mutex mutex;
    workers.share(table.rows, 64, [&](std::uint64_t first, std::uint64_t last) {
        Tally part;
        for (std::uint64_t row = first; row < last; ++row) {
            const Bits x = store.orbits().representatives(table.id.x)[row];
            const std::uint16_t stabiliser = store.orbits().stabilisers(table.id.x)[row];
            for (std::uint64_t col = 0; col < table.cols; ++col) {
                if (stabiliser == 1 ||
                    is_representative(x, spread(columns[col], kAll & ~x), stabiliser)) {
                    part.count(values[row * table.cols + col]);
                }
            }
        }
        const std::lock_guard lock(mutex);
        total.add(part);
    });
    return total;
}

}  // namespace ludus::solver
