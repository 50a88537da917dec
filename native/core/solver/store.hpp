// The tables that are solved, and how a move into one of them is looked up.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "solver/sides.hpp"

namespace ludus::solver {

// Where the solved tables are kept while others are being solved. One thread may read a table,
// to write it to a file, while another adds the next or drops it: tables never change and are
// shared, so that a table lives as long as it is read.
class Store {
public:
    explicit Store(int max_men) : orbits_(max_men) {}

    const Orbits& orbits() const { return orbits_; }
    std::shared_ptr<const Table> find(SectorId id) const {
        const std::lock_guard guard(mutex_);
        const auto found = tables_.find(id);
        return found == tables_.end() ? nullptr : found->second;
    }
    void add(Table table) {
        const SectorId id = table.id;
        auto kept = std::make_shared<const Table>(std::move(table));
        const std::lock_guard guard(mutex_);
        tables_[id] = std::move(kept);
    }
    void drop(SectorId id) {
        const std::lock_guard guard(mutex_);
        tables_.erase(id);
    }

private:
    Orbits orbits_;
    mutable std::mutex mutex_;
    std::map<SectorId, std::shared_ptr<const Table>> tables_;
};

// Looks up positions of one sector in which a given side is to move. The sides are called A and
// B by the caller; which of them determines the row in the target is settled once.
class Target {
public:
    Target(const Rules& rules, const Store& store, int a, int b, int a_hand, int b_hand,
           bool a_to_move)
        : orbits_(&store.orbits()) {
        if (has_lost(rules, a_to_move ? a : b, a_to_move ? a_hand : b_hand)) {
            is_lost_ = true;
            return;
        }
        if (a < 0 || b < 0) return;
        const auto [id, a_is_x] = oriented(a, b, a_hand, b_hand);
        table_ = store.find(id);
        a_is_x_ = a_is_x;
        if (table_ != nullptr) values_ = table_->values(a_to_move == a_is_x).data();
    }

    // Whether the side to move has lost by the number of its men alone.
    bool is_lost() const { return is_lost_; }
    bool is_known() const { return is_lost_ || values_ != nullptr; }
    bool a_is_x() const { return a_is_x_; }
    const Orbits& orbits() const { return *orbits_; }

    Value look_up(Bits a, Bits b) const {
        if (is_lost_) return kLost;
        return a_is_x_ ? values_[slot(*orbits_, *table_, a, b)]
                       : values_[slot(*orbits_, *table_, b, a)];
    }

    // One row of the target, for lookups with a fixed set of its X.
    struct Row {
        const Value* values;
        const SymmetryTable::Rings* rings;
        Bits free;

        Value look_up(Bits y) const {
            return values[rank_table()(squeezed(image(*rings, y), free))];
        }
    };

    Row row(Bits x) const {
        const Place place = orbits_->place(x);
        return {values_ + place.orbit() * table_->cols, &symmetry_table()[place.symmetry()],
                kAll & ~orbits_->representatives(table_->id.x)[place.orbit()]};
    }

private:
    const Orbits* orbits_;
    std::shared_ptr<const Table> table_;
    const Value* values_ = nullptr;
    bool a_is_x_ = true, is_lost_ = false;
};

}  // namespace ludus::solver
