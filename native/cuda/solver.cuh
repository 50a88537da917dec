// The solver on one GPU: all tables that are still needed lie in its memory.
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "cuda/kernels.cuh"
#include "sampling/directory.hpp"
#include "solver/solve.hpp"

namespace ludus::cuda {

using solver::SectorId;

constexpr int kThreads = 256;

struct Counts {
    unsigned long long win, loss, draw;
    int max_win, max_loss;
};

class Solver {
public:
    explicit Solver(const Rules& rules)
        : rules_(rules),
          orbits_(rules.men),
          tables_(orbits_, rules.men),
          counters_(8),
          histogram_(256),
          wide_histogram_(256) {
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, 0));
        blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8;
    }

    void solve(SectorId id) {
        Table table = make(id);
        if (solver::has_slides(rules_, id)) {
            solve_backwards(table);
            if (id.is_symmetric()) table.y_moves = {};
        } else {
            settle_all(table);
        }
        solved_[id] = std::move(table);
        is_listed_ = false;
    }

    const Rules& rules() const { return rules_; }

    // All tables by the numbers of men, for kernels that look up any position.
    sampling::Directory directory() {
        if (!is_listed_) list_tables();
        return {rules_, tables_.get(), halves_.get(), num_cols_.get()};
    }

    // Gives back what only solving needs, more than half as much as all tables of the standard
    // game.
    void release_work() {
        for (auto& offers : offers_) offers = Array<Value>();
        for (auto& list : lists_) list = Array<std::uint32_t>();
    }

    unsigned long long verify_all(SectorId id) {
        Table& table = at(id);
        const Sector s = sector(table);
        check(cudaMemset(counters_.get(), 0, sizeof(unsigned long long)));
        for (const bool x_to_move : {true, false}) {
            const Array<Value>& values = x_to_move ? table.x_moves : table.y_moves;
            if (values.is_empty()) continue;
            const bool needs_other = solver::has_slides(rules_, id) && !id.is_symmetric();
            const Array<Value>& other = x_to_move ? table.y_moves : table.x_moves;
            if (!is_ready(s, id, x_to_move) || (needs_other && other.is_empty())) {
                throw solver::MissingSector();
            }
            verify<<<blocks_, kThreads>>>(s, values.get(), x_to_move, id.is_symmetric(),
                                          counters_.get());
        }
        return read_counter(0);
    }

    Counts count(SectorId id, bool x_to_move) {
        Table& table = at(id);
        const Array<Value>& values = x_to_move ? table.x_moves : table.y_moves;
        if (values.is_empty()) throw std::runtime_error("this side is never to move");
        check(cudaMemset(wide_histogram_.get(), 0, 256 * sizeof(unsigned long long)));
        count_values<<<blocks_, kThreads>>>(sector(table), values.get(), wide_histogram_.get());
        std::array<unsigned long long, 256> found{};
        check(
            cudaMemcpy(found.data(), wide_histogram_.get(), sizeof found, cudaMemcpyDeviceToHost));
        Counts counts{0, 0, found[solver::kDraw], 0, 0};
        for (int v = 0; v <= solver::kDeepest; ++v) {
            const unsigned long long number = found[static_cast<std::size_t>(v)];
            if (number == 0) continue;
            (v % 2 != 0 ? counts.win : counts.loss) += number;
            (v % 2 != 0 ? counts.max_win : counts.max_loss) = v;
        }
        return counts;
    }

    std::uint64_t slots(SectorId id) const {
        return orbits_.representatives(id.x).size() * solver::choose(morris::kPoints - id.x, id.y);
    }
    std::uint64_t rows(SectorId id) const { return orbits_.representatives(id.x).size(); }
    bool has(SectorId id, bool x_to_move) const {
        const auto found = solved_.find(id);
        return found != solved_.end() &&
               !(x_to_move ? found->second.x_moves : found->second.y_moves).is_empty();
    }
    void copy_out(SectorId id, bool x_to_move, Value* host) {
        Table& table = at(id);
        const Array<Value>& values = x_to_move ? table.x_moves : table.y_moves;
        check(cudaMemcpy(host, values.get(), slots(id), cudaMemcpyDeviceToHost));
    }
    void copy_in(SectorId id, bool x_to_move, const Value* host) {
        auto found = solved_.find(id);
        if (found == solved_.end()) found = solved_.emplace(id, make(id)).first;
        Array<Value>& values = x_to_move ? found->second.x_moves : found->second.y_moves;
        values = Array<Value>(padded(slots(id)));
        check(cudaMemcpy(values.get(), host, slots(id), cudaMemcpyHostToDevice));
        is_listed_ = false;
    }
    void drop(SectorId id) {
        solved_.erase(id);
        is_listed_ = false;
    }

private:
    struct Table {
        SectorId id;
        Array<Value> x_moves, y_moves;
    };

    // Room for words of four values at the end.
    static std::size_t padded(std::uint64_t slots) { return (slots + 7) & ~std::uint64_t{3}; }

    static Table make(SectorId id) {
        Table table;
        table.id = id;
        return table;
    }

    Table& at(SectorId id) {
        const auto found = solved_.find(id);
        if (found == solved_.end()) throw std::runtime_error("the sector is not solved");
        return found->second;
    }

    void list_tables() {
        std::vector<const Value*> halves(sampling::kNumHalves, nullptr);
        std::vector<std::uint32_t> num_cols(sampling::kNumHalves, 0);
        const auto add = [&](SectorId view, const Array<Value>& values, std::uint64_t cols) {
            if (values.is_empty()) return;
            const auto number = static_cast<std::size_t>(
                sampling::half_number(view.x, view.y, view.x_hand, view.y_hand));
            halves[number] = values.get();
            num_cols[number] = static_cast<std::uint32_t>(cols);
        };
        for (const auto& [id, table] : solved_) {
            const std::uint64_t cols = solver::choose(morris::kPoints - id.x, id.y);
            add(id, table.x_moves, cols);
            add(id.swapped(), table.y_moves, cols);
        }
        halves_ = Array<const Value*>(halves);
        num_cols_ = Array<std::uint32_t>(num_cols);
        is_listed_ = true;
    }

    Target target(int a, int b, int a_hand, int b_hand, bool a_to_move) const {
        Target t;
        t.is_lost = solver::has_lost(rules_, a_to_move ? a : b, a_to_move ? a_hand : b_hand);
        if (t.is_lost || a < 0 || b < 0) return t;
        const auto [id, a_is_x] = solver::oriented(a, b, a_hand, b_hand);
        const auto found = solved_.find(id);
        if (found == solved_.end()) return t;
        t.a_is_x = a_is_x;
        t.values = (a_to_move == a_is_x ? found->second.x_moves : found->second.y_moves).get();
        t.rows = tables_.get().rows[id.x];
        t.cols = static_cast<std::uint32_t>(solver::choose(morris::kPoints - id.x, id.y));
        return t;
    }

    // The sets of each column, made once for each shape.
    const Bits* columns(int places, int men) {
        Array<Bits>& made = columns_[{places, men}];
        if (made.is_empty()) made = Array<Bits>(solver::subsets(places, men));
        return made.get();
    }

    Sector sector(const Table& table) {
        const auto [x, y, xh, yh] = table.id;
        Sector s{};
        s.tables = tables_.get();
        s.rules = rules_;
        s.x_side = solver::side(rules_, x, xh);
        s.y_side = solver::side(rules_, y, yh);
        s.rows = tables_.get().rows[x];
        s.columns = columns(morris::kPoints - x, y);
        s.num_rows = static_cast<std::uint32_t>(rows(table.id));
        s.cols = static_cast<std::uint32_t>(solver::choose(morris::kPoints - x, y));
        s.full_board_draws = rules_.full_board_draws && x + y == morris::kPoints;
        s.x_places = target(x + 1, y, xh - 1, yh, false);
        s.x_places_taking = target(x + 1, y - 1, xh - 1, yh, false);
        s.x_slides_taking = target(x, y - 1, xh, yh, false);
        s.y_places = target(x, y + 1, xh, yh - 1, true);
        s.y_places_taking = target(x - 1, y + 1, xh, yh - 1, true);
        s.y_slides_taking = target(x - 1, y, xh, yh, true);
        s.after_x = Target{table.y_moves.get(), s.rows, s.cols, true, false};
        s.after_y = Target{table.x_moves.get(), s.rows, s.cols, true, false};
        return s;
    }

    // Whether all sectors that a side's moves can lead to are solved.
    static bool is_ready(const Sector& s, SectorId id, bool x_to_move) {
        const solver::Exits out =
            x_to_move ? solver::exits(s.x_side, id.x, id.y) : solver::exits(s.y_side, id.y, id.x);
        const auto known = [](bool is_needed, const Target& target) {
            return !is_needed || target.is_lost || target.values != nullptr;
        };
        return known(out.places, x_to_move ? s.x_places : s.y_places) &&
               known(out.places_taking, x_to_move ? s.x_places_taking : s.y_places_taking) &&
               known(out.slides_taking, x_to_move ? s.x_slides_taking : s.y_slides_taking);
    }

    void settle_all(Table& table) {
        const auto id = table.id;
        const Sector s = sector(table);
        const bool x_to_move =
            solver::can_be_to_move(rules_, id.x_hand, id.y_hand) && is_ready(s, id, true);
        const bool y_to_move = !id.is_symmetric() &&
                               solver::can_be_to_move(rules_, id.y_hand, id.x_hand) &&
                               is_ready(s, id, false);
        if (!x_to_move && !y_to_move) throw solver::MissingSector();
        if (x_to_move) {
            table.x_moves = Array<Value>(padded(slots(id)));
            settle<<<blocks_, kThreads>>>(s, table.x_moves.get(), true);
        }
        if (y_to_move) {
            table.y_moves = Array<Value>(padded(slots(id)));
            settle<<<blocks_, kThreads>>>(s, table.y_moves.get(), false);
        }
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }

    unsigned long long read_counter(int index) {
        unsigned long long value = 0;
        check(cudaMemcpy(&value, counters_.get() + index, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    // Memory for lists and offers, kept from sector to sector and grown when one needs more.
    void reserve(std::uint64_t size) {
        if (offers_[0].size() >= padded(size)) return;
        for (auto& offers : offers_) {
            offers = {};
            offers = Array<Value>(padded(size));
        }
        for (auto& list : lists_) {
            list = {};
            list = Array<std::uint32_t>(size);
        }
    }

    Half half(Array<Value>& values, int side) {
        const auto offset = static_cast<std::size_t>(side) * 3;
        return {values.get(),
                offers_[static_cast<std::size_t>(side)].get(),
                {lists_[offset].get(), counters_.get() + 1 + offset},
                {lists_[offset + 1].get(), counters_.get() + 2 + offset},
                {lists_[offset + 2].get(), counters_.get() + 3 + offset}};
    }

    void solve_backwards(Table& table) {
        const std::uint64_t size = slots(table.id);
        reserve(size);
        for (Array<Value>* values : {&table.x_moves, &table.y_moves}) {
            *values = Array<Value>(padded(size));
            check(cudaMemset(values->get(), solver::kDraw, padded(size)));
        }
        const Sector s = sector(table);
        if (!is_ready(s, table.id, true) || !is_ready(s, table.id, false)) {
            throw solver::MissingSector();
        }
        std::array<Half, 2> halves{half(table.x_moves, 0), half(table.y_moves, 1)};
        check(cudaMemset(counters_.get(), 0, 8 * sizeof(unsigned long long)));
        std::array<std::array<unsigned, 256>, 2> depths{};
        for (int side = 0; side < 2; ++side) {
            check(cudaMemset(histogram_.get(), 0, 256 * sizeof(unsigned)));
            find_offers<<<blocks_, kThreads>>>(s, halves[static_cast<std::size_t>(side)], side == 0,
                                               histogram_.get());
            check(cudaMemcpy(depths[static_cast<std::size_t>(side)].data(), histogram_.get(),
                             256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
        }
        int deepest_offer = 0;
        for (int d = 0; d <= solver::kDeepest; ++d) {
            if (depths[0][static_cast<std::size_t>(d)] + depths[1][static_cast<std::size_t>(d)] > 0)
                deepest_offer = d;
        }
        int quiet_rounds = 0;
        for (int n = 1; quiet_rounds < 2 || n <= deepest_offer; ++n) {
            if (n > solver::kDeepest) throw solver::TooDeep();
            quiet_rounds =
                round(s, halves, depths, size, static_cast<Value>(n)) ? 0 : quiet_rounds + 1;
        }
    }

    // One round; whether it decided anything.
    bool round(const Sector& s, std::array<Half, 2>& halves,
               const std::array<std::array<unsigned, 256>, 2>& depths, std::uint64_t size,
               Value depth) {
        for (Half& each : halves) {
            std::swap(each.fresh, each.next);
            check(cudaMemsetAsync(each.next.size, 0, sizeof(unsigned long long)));
            check(cudaMemsetAsync(each.candidates.size, 0, sizeof(unsigned long long)));
        }
        unmove_y<<<blocks_, kThreads>>>(s, halves[0].fresh, halves[1], depth);
        unmove_x<<<blocks_, kThreads>>>(s, halves[1].fresh, halves[0], depth);
        for (std::size_t side = 0; side < 2; ++side) {
            if (depths[side][depth] == 0) continue;
            join_offers<<<blocks_, kThreads>>>(size, halves[side], depth);
        }
        if (depth % 2 == 0) {
            judge<<<blocks_, kThreads>>>(s, halves[0], true, depth);
            judge<<<blocks_, kThreads>>>(s, halves[1], false, depth);
        }
        std::array<unsigned long long, 8> counts{};
        check(cudaMemcpy(counts.data(), counters_.get(), sizeof counts, cudaMemcpyDeviceToHost));
        check(cudaGetLastError());
        return counts[static_cast<std::size_t>(halves[0].next.size - counters_.get())] +
                   counts[static_cast<std::size_t>(halves[1].next.size - counters_.get())] >
               0;
    }

    Rules rules_;
    solver::Orbits orbits_;
    DeviceTables tables_;
    unsigned blocks_ = 0;
    std::map<SectorId, Table> solved_;
    std::map<std::pair<int, int>, Array<Bits>> columns_;
    Array<unsigned long long> counters_;
    Array<unsigned> histogram_;
    Array<unsigned long long> wide_histogram_;
    std::array<Array<Value>, 2> offers_;
    std::array<Array<std::uint32_t>, 6> lists_;
    bool is_listed_ = false;
    Array<const Value*> halves_;
    Array<std::uint32_t> num_cols_;
};

}  // namespace ludus::cuda
