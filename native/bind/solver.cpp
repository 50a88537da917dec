// Python's view of the solver: one sector at a time, tables as arrays without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "bind/rules.hpp"
#include "solver/solve.hpp"
#include "solver/tally.hpp"
#include "solver/verify.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::solver;

namespace {

using Sector = std::tuple<int, int, int, int>;  // X's and Y's men on the board, then in hand
using Bytes = nb::ndarray<nb::numpy, Value, nb::ndim<1>, nb::c_contig>;
using ReadOnlyBytes = nb::ndarray<nb::numpy, const Value, nb::ndim<1>, nb::c_contig>;
using Boards = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig>;
using Numbers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig>;
using Pairs = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>;
using Slots = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>;

// The sector, if there is one under these rules. Each number is looked at alone first: sums of
// large ones would overflow.
SectorId checked(const Sector& sector, const Rules& rules) {
    const auto [x, y, x_hand, y_hand] = sector;
    const SectorId id{x, y, x_hand, y_hand};
    for (const int men : {x, y, x_hand, y_hand}) {
        if (men < 0 || men > rules.men) throw nb::value_error("no such sector under these rules");
    }
    if (x + x_hand > rules.men || y + y_hand > rules.men)
        throw nb::value_error("no such sector under these rules");
    if (!id.is_ordered()) throw nb::value_error("X must be the side with more men");
    return id;
}

// A sector that has values: where a side has lost nobody is to move.
SectorId checked_playable(const Sector& sector, const Rules& rules) {
    const SectorId id = checked(sector, rules);
    if (has_lost(rules, id.x, id.x_hand) || has_lost(rules, id.y, id.y_hand))
        throw nb::value_error("a side of this sector has lost, so that nobody is to move");
    return id;
}

using HeldTable = std::shared_ptr<const Table>;

// Methods may be called from several threads. One of them works at a time, the others wait; only
// `stop`, `progress` and what looks at tables do not.
class Solver {
public:
    Solver(nb::object rules, int threads)
        : rules_(ludus::bind::read_rules(rules)),
          store_(rules_.men),
          workers_(std::clamp(threads, 1, 1024)) {
        if (const char* why = why_unsolvable(rules_)) throw nb::value_error(why);
    }

    void solve_sector(const Sector& sector) {
        const SectorId id = checked_playable(sector, rules_);
        const nb::gil_scoped_release release;
        const std::lock_guard turn(working_);
        progress_.is_stopped = false;
        solve(rules_, store_, id, workers_, progress_);
    }

    std::uint64_t verify_sector(const Sector& sector) {
        const SectorId id = table(sector)->id;
        const nb::gil_scoped_release release;
        const std::lock_guard turn(working_);
        progress_.is_stopped = false;
        return verify(rules_, store_, id, workers_, progress_);
    }

    nb::dict tally_sector(const Sector& sector, bool x_to_move) {
        const HeldTable found = table(sector);
        if (found->values(x_to_move).empty()) throw nb::value_error("this side is never to move");
        Tally counts;
        {
            const nb::gil_scoped_release release;
            const std::lock_guard turn(working_);
            counts = tally(store_, *found, x_to_move, workers_);
        }
        nb::dict result;
        result["win"] = counts.win;
        result["loss"] = counts.loss;
        result["draw"] = counts.draw;
        result["max_win"] = counts.max_win;
        result["max_loss"] = counts.max_loss;
        return result;
    }

    // A view of the table, which it keeps alive.
    nb::object values(const Sector& sector, bool x_to_move) const {
        auto kept = std::make_unique<HeldTable>(table(sector));
        const std::vector<Value>& all = (*kept)->values(x_to_move);
        if (all.empty()) return nb::none();
        const nb::capsule owner(kept.release(),
                                [](void* p) noexcept { delete static_cast<HeldTable*>(p); });
        const std::size_t shape[1] = {all.size()};
        return nb::cast(ReadOnlyBytes(all.data(), 1, shape, owner));
    }

    void load(const Sector& sector, const nb::object& x_moves, const nb::object& y_moves) {
        Table loaded(checked_playable(sector, rules_), store_.orbits());
        fill(loaded, loaded.x_moves, x_moves);
        fill(loaded, loaded.y_moves, y_moves);
        store_.add(std::move(loaded));
    }

    bool has(const Sector& sector) const { return store_.find(checked(sector, rules_)) != nullptr; }
    void drop(const Sector& sector) { store_.drop(checked(sector, rules_)); }
    void stop() { progress_.is_stopped = true; }

    std::tuple<std::uint64_t, int> progress() const { return {progress_.rows, progress_.depth}; }

    std::tuple<std::uint64_t, std::uint64_t> shape(const Sector& sector) const {
        const Table empty(checked(sector, rules_), store_.orbits());
        return {empty.rows, empty.cols};
    }

    // The slots of positions that all belong to one sector.
    nb::object slots(const Sector& sector, const Boards& x, const Boards& y) const {
        const Table empty(checked(sector, rules_), store_.orbits());
        const std::size_t size = x.shape(0);
        if (y.shape(0) != size) throw nb::value_error("as many boards of X as of Y");
        auto* found = new std::uint64_t[size];
        const nb::capsule owner(found,
                                [](void* p) noexcept { delete[] static_cast<std::uint64_t*>(p); });
        for (std::size_t i = 0; i < size; ++i) {
            const Bits own = x.data()[i], other = y.data()[i];
            if (((own | other) & ~kAll) != 0 || (own & other) != 0 ||
                ludus::morris::count(own) != empty.id.x ||
                ludus::morris::count(other) != empty.id.y)
                throw nb::value_error("a board does not belong to the sector");
            found[i] = slot(store_.orbits(), empty, own, other);
        }
        const std::size_t extent[1] = {size};
        return nb::cast(Slots(found, 1, extent, owner));
    }

    // The inverse of slots: X's and Y's men.
    nb::object boards(const Sector& sector, const Numbers& slots) const {
        const Table empty(checked(sector, rules_), store_.orbits());
        const std::vector<Bits> columns = subsets(ludus::morris::kPoints - empty.id.x, empty.id.y);
        const std::vector<Bits>& rows = store_.orbits().representatives(empty.id.x);
        const std::size_t size = slots.shape(0);
        auto* found = new std::uint32_t[2 * size];
        const nb::capsule owner(found,
                                [](void* p) noexcept { delete[] static_cast<std::uint32_t*>(p); });
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint64_t number = slots.data()[i];
            if (number >= empty.slots()) throw nb::value_error("the sector has no such slot");
            const Bits x = rows[number / empty.cols];
            found[i] = x;
            found[size + i] = spread(columns[number % empty.cols], kAll & ~x);
        }
        const std::size_t extent[2] = {2, size};
        return nb::cast(Pairs(found, 2, extent, owner));
    }

private:
    HeldTable table(const Sector& sector) const {
        HeldTable found = store_.find(checked(sector, rules_));
        if (found == nullptr) throw nb::value_error("the sector is not solved");
        return found;
    }

    static void fill(const Table& loaded, std::vector<Value>& into, const nb::object& given) {
        if (given.is_none()) return;
        ReadOnlyBytes bytes;
        if (!nb::try_cast(given, bytes)) throw nb::type_error("values are an array of bytes");
        if (bytes.shape(0) != loaded.slots()) throw nb::value_error("not as many values as slots");
        into.assign(bytes.data(), bytes.data() + bytes.shape(0));
    }

    Rules rules_;
    Store store_;
    Workers workers_;
    Progress progress_;
    std::mutex working_;
};

}  // namespace

NB_MODULE(solver, m) {
    m.doc() = "The Morris family solved, sector by sector.";
    m.attr("DRAW") = kDraw;
    m.def(
        "why_unsolvable",
        [](nb::object rules) -> nb::object {
            const char* why = why_unsolvable(ludus::bind::read_rules(rules));
            return why == nullptr ? nb::none() : nb::object(nb::str(why));
        },
        "rules"_a);
    nb::exception<MissingSector>(m, "MissingSector");
    nb::exception<Stopped>(m, "Stopped");
    nb::exception<TooDeep>(m, "TooDeep");
    nb::class_<Solver>(m, "Solver")
        .def(nb::init<nb::object, int>(), "rules"_a, "threads"_a = 1)
        .def("solve", &Solver::solve_sector, "sector"_a)
        .def("verify", &Solver::verify_sector, "sector"_a)
        .def("tally", &Solver::tally_sector, "sector"_a, "x_to_move"_a)
        .def("values", &Solver::values, "sector"_a, "x_to_move"_a)
        .def("load", &Solver::load, "sector"_a, "x_moves"_a.none(), "y_moves"_a.none())
        .def("has", &Solver::has, "sector"_a)
        .def("drop", &Solver::drop, "sector"_a)
        .def("stop", &Solver::stop)
        .def("shape", &Solver::shape, "sector"_a)
        .def("slots", &Solver::slots, "sector"_a, "x"_a, "y"_a)
        .def("boards", &Solver::boards, "sector"_a, "slots"_a)
        .def_prop_ro("progress", &Solver::progress);
}
