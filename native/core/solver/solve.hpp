// Solving one sector, given those that its irreversible moves lead to.
#pragma once

#include <stdexcept>

#include "solver/retrograde.hpp"
#include "solver/tally.hpp"

namespace ludus::solver {

// Rules whose values depend on more than the board and the hands cannot be solved.
inline const char* why_unsolvable(const Rules& rules) {
    if (rules.blocked != morris::Blocked::loses) return "a blocked side passes";
    if (rules.quiet_plies > 0) return "a number of quiet plies ends the game";
    return nullptr;
}

inline bool has_slides(const Rules& rules, SectorId id) {
    return rules.place_or_move || (id.x_hand == 0 && id.y_hand == 0);
}

// Where no man can slide every move is irreversible, and the best offer is the value.
inline void settle(const Rules& rules, const Store& store, Table& table, Workers& workers,
                   Progress& progress) {
    const std::vector<Bits> columns = subsets(morris::kPoints - table.id.x, table.id.y);
    const Irreversible ready(rules, store, table.id);
    const bool x_to_move =
        can_be_to_move(rules, table.id.x_hand, table.id.y_hand) && ready.is_ready(table.id, true);
    const bool y_to_move = !table.id.is_symmetric() &&
                           can_be_to_move(rules, table.id.y_hand, table.id.x_hand) &&
                           ready.is_ready(table.id, false);
    if (!x_to_move && !y_to_move) throw MissingSector();
    if (x_to_move) table.x_moves.resize(table.slots());
    if (y_to_move) table.y_moves.resize(table.slots());
    workers.share(table.rows, 4, [&](std::uint64_t first, std::uint64_t last) {
        Irreversible irreversible(rules, store, table.id);
        RowMen men;
        for (std::uint64_t row = first; row < last && !progress.is_stopped; ++row) {
            ++progress.rows;
            men.set(store.orbits().representatives(table.id.x)[row], columns);
            if (x_to_move) {
                Value* values = &table.x_moves[row * table.cols];
                irreversible.offers_to_x(men, values);
                std::transform(values, values + table.cols, values, value_of);
            }
            if (y_to_move) {
                Value* values = &table.y_moves[row * table.cols];
                irreversible.offers_to_y(men, values);
                std::transform(values, values + table.cols, values, value_of);
            }
        }
    });
}

// Solves a sector. Throws Stopped, TooDeep or MissingSector, and then the sector is not in the
// store.
inline void solve(const Rules& rules, Store& store, SectorId id, Workers& workers,
                  Progress& progress) {
    progress.rows = 0;
    progress.depth = 0;
    Table table(id, store.orbits());
    if (has_slides(rules, id)) {
        const Irreversible ready(rules, store, id);
        if (!ready.is_ready(id, true) || !ready.is_ready(id, false)) throw MissingSector();
        Retrograde(rules, store, table, workers, progress).solve();
    } else {
        settle(rules, store, table, workers, progress);
    }
    if (progress.is_stopped) throw Stopped();
    // The two halves of a symmetric sector say the same; one is enough.
    if (id.is_symmetric()) table.y_moves = {};
    store.add(std::move(table));
}

}  // namespace ludus::solver
