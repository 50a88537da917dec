// Every value derived again from the values of its successors, by the plain definition. If all
// agree, all are right: a shortest wrong value would have only right successors.
#pragma once

#include "solver/irreversible.hpp"
#include "solver/progress.hpp"
#include "solver/solve.hpp"
#include "solver/workers.hpp"

namespace ludus::solver {

// The value of a position of a sector, from its successors within the sector and the best offer.
class Definition {
public:
    Definition(const Rules& rules, const Store& store, const Table& table)
        : rules_(rules),
          x_side_(side(rules, table.id.x, table.id.x_hand)),
          y_side_(side(rules, table.id.y, table.id.y_hand)),
          after_x_(rules, store, table.id.x, table.id.y, table.id.x_hand, table.id.y_hand, false),
          after_y_(rules, store, table.id.x, table.id.y, table.id.x_hand, table.id.y_hand, true),
          is_symmetric_(table.id.is_symmetric()),
          full_board_draws_(rules.full_board_draws && table.id.x + table.id.y == morris::kPoints) {}

    Value value(Bits x, Bits y, bool x_to_move, Value offer) const {
        if (full_board_draws_) return kDraw;
        const Side& mover = x_to_move ? x_side_ : y_side_;
        const Bits own = x_to_move ? x : y, other = x_to_move ? y : x, free = kAll & ~(x | y);
        const bool is_taking = morris::takeable(rules_, other) != 0;
        Value best = offer;
        if (mover.slides) {
            morris::for_each_point(own, [&](int from) {
                const Bits rest = own & ~morris::bit(from);
                Bits targets = reach(rules_, mover, from) & free;
                if (is_taking) targets &= ~morris::completes_mill(rest, rules_.diagonals);
                morris::for_each_point(targets, [&](int to) {
                    best = better(best,
                                  after_move(successor(rest | morris::bit(to), other, x_to_move)));
                });
            });
        }
        return value_of(best);
    }

private:
    // Only one half of a symmetric sector is kept: there the side to move is always called X.
    Value successor(Bits own, Bits other, bool x_moved) const {
        if (is_symmetric_) return after_y_.look_up(other, own);
        return x_moved ? after_x_.look_up(own, other) : after_y_.look_up(other, own);
    }

    Rules rules_;
    Side x_side_, y_side_;
    Target after_x_, after_y_;
    bool is_symmetric_, full_board_draws_;
};

// Whether all values are there that those of one half follow from.
inline bool can_verify(const Rules& rules, const Store& store, const Table& table, bool x_to_move) {
    if (!Irreversible(rules, store, table.id).is_ready(table.id, x_to_move)) return false;
    const bool needs_other = has_slides(rules, table.id) && !table.id.is_symmetric();
    return !needs_other || !table.values(!x_to_move).empty();
}

// The number of wrong values of a sector; MissingSector if not all its neighbours are there.
inline std::uint64_t verify(const Rules& rules, const Store& store, SectorId id, Workers& workers,
                            Progress& progress) {
    const std::shared_ptr<const Table> held = store.find(id);
    if (held == nullptr) throw MissingSector();
    const Table& table = *held;
    const std::vector<Bits> columns = subsets(morris::kPoints - id.x, id.y);
    for (const bool x_to_move : {true, false}) {
        const bool is_there = !table.values(x_to_move).empty();
        if (is_there && !can_verify(rules, store, table, x_to_move)) throw MissingSector();
    }
    const Definition definition(rules, store, table);
    std::atomic<std::uint64_t> wrong{0};
    progress.rows = 0;
    workers.share(table.rows, 4, [&](std::uint64_t first, std::uint64_t last) {
        Irreversible irreversible(rules, store, id);
        RowMen men;
        std::vector<Value> offers(table.cols);
        std::uint64_t found = 0;
        for (std::uint64_t row = first; row < last && !progress.is_stopped; ++row) {
            ++progress.rows;
            men.set(store.orbits().representatives(id.x)[row], columns);
            for (const bool x_to_move : {true, false}) {
                const std::vector<Value>& values = table.values(x_to_move);
                if (values.empty()) continue;
                if (x_to_move) {
                    irreversible.offers_to_x(men, offers.data());
                } else {
                    irreversible.offers_to_y(men, offers.data());
                }
                for (std::uint64_t col = 0; col < table.cols; ++col) {
                    const Value value = definition.value(men.x, men.y[col], x_to_move, offers[col]);
                    found += value == values[row * table.cols + col] ? 0 : 1;
                }
            }
        }
        wrong += found;
    });
    if (progress.is_stopped) throw Stopped();
    return wrong;
}

}  // namespace ludus::solver
