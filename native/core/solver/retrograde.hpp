// Values of a sector in which men can slide to and fro, found backwards from the ends of the
// game: first all positions decided in one ply, then in two, and so on.
//
// A position is won in n plies if some move leads to one lost in n - 1, and lost in n if all
// moves lead to won ones, the slowest of them won in n - 1. So in odd rounds the predecessors of
// lost positions become won, and in even rounds the predecessors of won positions are examined
// again. Moves into solved sectors were reduced to one offer per position beforehand; an offer
// joins in the round of its depth. What is never reached is drawn.
#pragma once

#include <algorithm>
#include <cstring>

#include "solver/irreversible.hpp"
#include "solver/progress.hpp"
#include "solver/workers.hpp"

namespace ludus::solver {

class Retrograde {
public:
    Retrograde(const Rules& rules, const Store& store, Table& table, Workers& workers,
               Progress& progress)
        : rules_(rules),
          store_(store),
          table_(table),
          workers_(workers),
          progress_(progress),
          columns_(subsets(morris::kPoints - table.id.x, table.id.y)),
          x_side_(side(rules, table.id.x, table.id.x_hand)),
          y_side_(side(rules, table.id.y, table.id.y_hand)) {
        for (Half* half : {&x_, &y_}) {
            const bool is_x = half == &x_;
            std::vector<Value>& values = table.values(is_x);
            values.assign(table.slots(), kDraw);
            half->values = values.data();
            half->offers.resize(table.slots());
            half->fresh[0].assign(table.rows, kDraw);
            half->fresh[1].assign(table.rows, kDraw);
            half->candidates.assign(table.rows, 0);
            half->depths.resize(table.rows);
        }
    }

    void solve() {
        find_offers();
        int quiet_rounds = 0;
        for (int n = 1; quiet_rounds < 2 || n <= deepest_offer_.load(); ++n) {
            if (n > kDeepest) throw TooDeep();
            if (progress_.is_stopped) throw Stopped();
            progress_.depth = n;
            const auto depth = static_cast<Value>(n);
            num_new_ = 0;
            workers_.share(table_.rows, 4, [&](std::uint64_t first, std::uint64_t last) {
                Scratch scratch;
                for (std::uint64_t row = first; row < last; ++row) spread_from(row, depth, scratch);
            });
            if (n % 2 == 0) {
                workers_.share(table_.rows, 4, [&](std::uint64_t first, std::uint64_t last) {
                    Scratch scratch;
                    for (std::uint64_t row = first; row < last; ++row) judge(row, depth, scratch);
                });
            }
            quiet_rounds = num_new_.load() > 0 ? 0 : quiet_rounds + 1;
        }
    }

private:
    // One side to move.
    struct Half {
        Value* values = nullptr;
        std::vector<Value> offers;
        // Rows with positions of the last two depths, odd and even apart.
        std::array<std::vector<Value>, 2> fresh;
        std::vector<Value> candidates;
        // The depths that a row's offers have, as a set.
        std::vector<std::array<std::uint64_t, 4>> depths;
    };

    struct Scratch {
        std::vector<std::uint32_t> cols, alive;
    };

    void find_offers() {
        const bool full_board = table_.id.x + table_.id.y == morris::kPoints;
        workers_.share(table_.rows, 4, [&](std::uint64_t first, std::uint64_t last) {
            Irreversible irreversible(rules_, store_, table_.id);
            RowMen men;
            for (std::uint64_t row = first; row < last && !progress_.is_stopped; ++row) {
                ++progress_.rows;
                men.set(representative(row), columns_);
                irreversible.offers_to_x(men, &x_.offers[row * table_.cols]);
                irreversible.offers_to_y(men, &y_.offers[row * table_.cols]);
                if (full_board && rules_.full_board_draws) continue;
                settle_offers(x_, row, men, true);
                settle_offers(y_, row, men, false);
            }
        });
    }

    // Marks blocked positions as lost and notes at which depths the offers of the row count.
    void settle_offers(Half& half, std::uint64_t row, const RowMen& men, bool x_to_move) {
        const Side& mover = x_to_move ? x_side_ : y_side_;
        const std::uint64_t base = row * table_.cols;
        std::array<std::uint64_t, 4> depths{};
        int deepest = 0;
        for (std::uint64_t col = 0; col < table_.cols; ++col) {
            const Value offer = half.offers[base + col];
            if (offer <= kDeepest) {
                depths[offer >> 6] |= std::uint64_t{1} << (offer & 63);
                deepest = std::max<int>(deepest, offer);
            } else if (offer == kNothing) {
                const Bits own = x_to_move ? men.x : men.y[col];
                const Bits free = kAll & ~(men.x | men.y[col]);
                const Bits reached =
                    mover.flies ? (own != 0 ? kAll : 0) : morris::neighbours(own, rules_.diagonals);
                if ((reached & free) == 0) put(half, base + col, row, kLost);
            }
        }
        half.depths[row] = depths;
        int known = deepest_offer_.load();
        while (deepest > known && !deepest_offer_.compare_exchange_weak(known, deepest)) {
        }
    }

    Bits representative(std::uint64_t row) const {
        return store_.orbits().representatives(table_.id.x)[row];
    }

    static Value get(const Half& half, std::uint64_t slot) {
        return __atomic_load_n(&half.values[slot], __ATOMIC_RELAXED);
    }

    void put(Half& half, std::uint64_t slot, std::uint64_t row, Value depth) {
        __atomic_store_n(&half.values[slot], depth, __ATOMIC_RELAXED);
        __atomic_store_n(&half.fresh[depth & 1][row], depth, __ATOMIC_RELAXED);
        num_new_.store(1, std::memory_order_relaxed);
    }

    // In odd rounds a predecessor is won; in even rounds it becomes a candidate.
    void reach_back(Half& half, std::uint64_t slot, std::uint64_t row, Value depth) {
        if (get(half, slot) != kDraw) return;
        if ((depth & 1) != 0) {
            put(half, slot, row, depth);
        } else {
            __atomic_store_n(&half.values[slot], kCandidate, __ATOMIC_RELAXED);
            __atomic_store_n(&half.candidates[row], Value{1}, __ATOMIC_RELAXED);
        }
    }

    // The columns of a row that hold a value. memchr is the quickest way through long rows.
    static void columns_with(const Value* row, std::uint64_t cols, Value value,
                             std::vector<std::uint32_t>& found) {
        found.clear();
        const Value* const end = row + cols;
        for (const Value* at = row; at < end; ++at) {
            at = static_cast<const Value*>(
                std::memchr(at, value, static_cast<std::size_t>(end - at)));
            if (at == nullptr) return;
            found.push_back(static_cast<std::uint32_t>(at - row));
        }
    }

    void spread_from(std::uint64_t row, Value depth, Scratch& scratch) {
        const auto before = static_cast<Value>(depth - 1);
        const std::uint64_t base = row * table_.cols;
        if (x_.fresh[before & 1][row] == before) {
            columns_with(x_.values + base, table_.cols, before, scratch.cols);
            for (const std::uint32_t col : scratch.cols) unmove_y(row, col, depth);
        }
        if (y_.fresh[before & 1][row] == before) {
            columns_with(y_.values + base, table_.cols, before, scratch.cols);
            unmove_x(row, scratch.cols, depth);
        }
        for (Half* half : {&x_, &y_}) {
            if ((half->depths[row][depth >> 6] >> (depth & 63) & 1) == 0) continue;
            columns_with(&half->offers[base], table_.cols, depth, scratch.cols);
            for (const std::uint32_t col : scratch.cols) reach_back(*half, base + col, row, depth);
        }
    }

    // Positions with X to move whose predecessors, with Y to move, lie in the same row.
    void unmove_y(std::uint64_t row, std::uint32_t col, Value depth) {
        if (!y_side_.slides) return;
        const Bits x = representative(row), x_free = kAll & ~x;
        const Bits y = spread(columns_[col], x_free), free = x_free & ~y;
        const bool is_taking = morris::takeable(rules_, x) != 0;
        const Bits men = is_taking ? y & ~morris::in_mills(y, rules_.diagonals) : y;
        const std::uint64_t base = row * table_.cols;
        morris::for_each_point(men, [&](int to) {
            const Bits rest = y & ~morris::bit(to);
            morris::for_each_point(reach(rules_, y_side_, to) & free, [&](int from) {
                const std::uint32_t at = rank_table()(squeezed(rest | morris::bit(from), x_free));
                reach_back(y_, base + at, row, depth);
            });
        });
    }

    // A move of X, forwards or backwards, from the view of the row: which row it leads to and how.
    struct RowMove {
        std::uint64_t row, base;
        const SymmetryTable::Rings* rings;
        Bits free;

        std::uint64_t slot(Bits y) const {
            return base + rank_table()(squeezed(image(*rings, y), free));
        }
    };

    RowMove row_move(Bits x_after) const {
        const Place place = store_.orbits().place(x_after);
        const std::uint64_t row = place.orbit();
        return {row, row * table_.cols, &symmetry_table()[place.symmetry()],
                kAll & ~representative(row)};
    }

    // Positions with Y to move whose predecessors, with X to move, are elsewhere. Slots that a
    // symmetry of X's men makes equal are all reached.
    void unmove_x(std::uint64_t row, const std::vector<std::uint32_t>& cols, Value depth) {
        if (!x_side_.slides) return;
        const Bits x = representative(row), x_free = kAll & ~x;
        const Bits in_mills = morris::in_mills(x, rules_.diagonals);
        morris::for_each_point(x, [&](int to) {
            const bool closed = (in_mills & morris::bit(to)) != 0;
            if (closed && table_.id.y > 0 && rules_.take_from_mills != morris::TakeFromMills::never)
                return;
            const Bits rest = x & ~morris::bit(to);
            morris::for_each_point(reach(rules_, x_side_, to) & x_free, [&](int from) {
                const RowMove move = row_move(rest | morris::bit(from));
                const std::uint16_t stabiliser = store_.orbits().stabilisers(table_.id.x)[move.row];
                for (const std::uint32_t col : cols) {
                    const Bits y = spread(columns_[col], x_free);
                    if ((y & morris::bit(from)) != 0) continue;
                    if (closed && morris::takeable(rules_, y) != 0) continue;
                    reach_back(x_, move.slot(y), move.row, depth);
                    if (stabiliser != 1) reach_twins(move, y, stabiliser, depth);
                }
            });
        });
    }

    void reach_twins(const RowMove& move, Bits y, std::uint16_t stabiliser, Value depth) {
        const Bits there = image(*move.rings, y);
        for (int g = 1; g < morris::kSymmetries; ++g) {
            if ((stabiliser >> g & 1) == 0) continue;
            const Bits twin = image(symmetry_table()[g], there);
            reach_back(x_, move.base + rank_table()(squeezed(twin, move.free)), move.row, depth);
        }
    }

    // Examines the candidates of a row: those whose every move loses are lost at this depth.
    void judge(std::uint64_t row, Value depth, Scratch& scratch) {
        const std::uint64_t base = row * table_.cols;
        for (Half* half : {&x_, &y_}) {
            if (half->candidates[row] == 0) continue;
            half->candidates[row] = 0;
            columns_with(half->values + base, table_.cols, kCandidate, scratch.cols);
            scratch.alive.clear();
            for (const std::uint32_t col : scratch.cols) {
                const Value offer = half->offers[base + col];
                // An offer that loses later than now keeps the position for a later round.
                const bool may_lose = offer == kNothing || (is_loss(offer) && offer <= depth);
                if (may_lose) scratch.alive.push_back(col);
                __atomic_store_n(&half->values[base + col], kDraw, __ATOMIC_RELAXED);
            }
            if (half == &x_) {
                keep_lost_x(row, scratch.alive);
            } else {
                keep_lost_y(row, scratch.alive);
            }
            for (const std::uint32_t col : scratch.alive) put(*half, base + col, row, depth);
        }
    }

    void keep_lost_x(std::uint64_t row, std::vector<std::uint32_t>& alive) const {
        if (!x_side_.slides) return;
        const Bits x = representative(row), x_free = kAll & ~x;
        morris::for_each_point(x, [&](int from) {
            const Bits rest = x & ~morris::bit(from);
            const Bits closing = morris::completes_mill(rest, rules_.diagonals);
            morris::for_each_point(reach(rules_, x_side_, from) & x_free, [&](int to) {
                if (alive.empty()) return;
                const RowMove move = row_move(rest | morris::bit(to));
                const bool closes = (closing & morris::bit(to)) != 0;
                std::erase_if(alive, [&](std::uint32_t col) {
                    const Bits y = spread(columns_[col], x_free);
                    if ((y & morris::bit(to)) != 0) return false;
                    if (closes && morris::takeable(rules_, y) != 0) return false;
                    return !is_win(get(y_, move.slot(y)));
                });
            });
        });
    }

    void keep_lost_y(std::uint64_t row, std::vector<std::uint32_t>& alive) const {
        if (!y_side_.slides) return;
        const Bits x = representative(row), x_free = kAll & ~x;
        const bool is_taking = morris::takeable(rules_, x) != 0;
        const std::uint64_t base = row * table_.cols;
        std::erase_if(alive, [&](std::uint32_t col) {
            const Bits y = spread(columns_[col], x_free), free = x_free & ~y;
            for (Bits men = y; men != 0; men &= men - 1) {
                const int from = morris::lowest(men);
                const Bits rest = y & ~morris::bit(from);
                Bits targets = reach(rules_, y_side_, from) & free;
                if (is_taking) targets &= ~morris::completes_mill(rest, rules_.diagonals);
                for (; targets != 0; targets &= targets - 1) {
                    const Bits after = rest | morris::bit(morris::lowest(targets));
                    if (!is_win(get(x_, base + rank_table()(squeezed(after, x_free))))) return true;
                }
            }
            return false;
        });
    }

    Rules rules_;
    const Store& store_;
    Table& table_;
    Workers& workers_;
    Progress& progress_;
    std::vector<Bits> columns_;
    Side x_side_, y_side_;
    Half x_, y_;
    std::atomic<int> num_new_{0}, deepest_offer_{0};
};

}  // namespace ludus::solver
