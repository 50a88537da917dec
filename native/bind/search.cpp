// Python's view of the search: positions as plain numbers, moves as triples of points.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "bind/rules.hpp"
#include "bind/state.hpp"
#include "search/iterative_deepening.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::bind;
using namespace ludus::search;
using ludus::morris::kMaxMen;
using ludus::morris::kNone;
using ludus::morris::Position;

namespace {

using Bytes = nb::ndarray<nb::numpy, const ludus::solver::Value, nb::ndim<1>, nb::c_contig>;

nb::object part(std::uint8_t point) {
    return point == kNone ? nb::none() : nb::object(nb::int_(static_cast<int>(point)));
}

nb::tuple python_move(Move move) {
    return nb::make_tuple(part(move.from), part(move.to), part(move.take));
}

std::uint8_t native_point(nb::handle part) {
    if (part.is_none()) return kNone;
    std::uint8_t point = kNone;
    if (!nb::try_cast(part, point))
        throw nb::type_error("a point is a number from 0 to 23 or None");
    require(point < kNone, "points are 0 to 23");
    return point;
}

// Read by hand: GCC takes nanobind's caster for a vector of tuples of optionals for uninitialized.
Move native_move(nb::handle parts) {
    if (!nb::isinstance<nb::sequence>(parts) || nb::len(parts) != 3) {
        throw nb::type_error("a move is three points");
    }
    return {native_point(parts[0]), native_point(parts[1]), native_point(parts[2])};
}

// Called while the interpreter is left free: whether Ctrl-C was pressed.
bool is_interrupted() {
    const nb::gil_scoped_acquire hold;
    return PyErr_CheckSignals() != 0;
}

// The time point `seconds` from now; the maximum for more seconds than any search takes.
Clock::time_point moment(std::optional<double> seconds) {
    constexpr double kLongest = 1e9;
    if (!seconds || !(*seconds < kLongest)) return Clock::time_point::max();
    const std::chrono::duration<double> span(std::max(*seconds, 0.0));
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(span);
}

// Solved endings that any number of searches may ask.
class PyEndgames {
public:
    explicit PyEndgames(int max_men) : max_men_(max_men), known_(checked_men(max_men)) {}

    // The array is not copied; it is kept alive and must not change.
    void add(int x, int y, bool x_to_move, Bytes values) {
        require(0 <= y && y <= x && x <= max_men_, "no such sector");
        require(values.shape(0) == known_.slots(x, y), "not as many values as slots");
        known_.add(x, y, x_to_move, values.data());
        kept_.push_back(std::move(values));
    }

    const Endgames* known() const { return &known_; }

private:
    static int checked_men(int men) {
        require(0 <= men && men <= kMaxMen, "a side has from 0 to 12 men");
        return men;
    }

    int max_men_;
    Endgames known_;
    std::vector<Bytes> kept_;
};

class Search {
public:
    Search(nb::object rules, std::size_t megabytes, bool plans_ahead)
        : shared_{.rules = ludus::bind::read_rules(rules),
                  .evaluation = {},
                  .table = Table(checked_size(megabytes))} {
        if (!plans_ahead) shared_.evaluation.placing = shared_.evaluation.moving;
        require(shared_.rules.men <= kMaxMen, "rules may give each side at most 12 men");
    }

    nb::dict run(Boards men, Hands hands, std::uint8_t mover, std::uint16_t occurrence,
                 std::uint16_t quiet, const std::vector<std::uint64_t>& history, int depth,
                 std::optional<std::uint64_t> nodes, std::optional<double> seconds, int lines,
                 int threads, double oversight, std::uint64_t seed, const PyEndgames* endgames,
                 bool extends, bool reduces, bool uses_table, const nb::sequence& only,
                 nb::object report) {
        Position position{checked(shared_.rules, men, hands, mover), occurrence, quiet, {}};
        for (const std::uint64_t key : history) position.history = position.history.with(key);
        require(!position.outcome(shared_.rules).is_over(), "the game is over");
        require(depth >= 1 && lines >= 1 && threads >= 1,
                "depth, lines and threads must be at least 1");
        Limits limits{depth, nodes.value_or(~std::uint64_t{0}), moment(seconds)};
        for (const nb::handle move : only) {
            limits.only.push_back(native_move(move));
            require(position.is_legal(shared_.rules, limits.only.back()),
                    "one of the moves is not legal");
        }
        const Settings settings{lines, threads, extends, reduces, uses_table, oversight, seed};
        const std::unique_lock lock(running_, std::try_to_lock);
        require(lock.owns_lock(), "this search is running already");
        shared_.is_stopped = false;
        shared_.endgames = endgames == nullptr ? nullptr : endgames->known();
        Result result;
        {
            const nb::gil_scoped_release release;
            result =
                search(shared_, settings, limits, position, is_interrupted, reporting_to(report));
        }
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
        return python_result(result);
    }

    void stop() { shared_.is_stopped = true; }

    Score evaluate_state(Boards men, Hands hands, std::uint8_t mover) const {
        return evaluate(shared_.rules, shared_.evaluation,
                        checked(shared_.rules, men, hands, mover));
    }

    nb::dict features_of(Boards men, Hands hands, std::uint8_t side) const {
        const Features f = features(shared_.rules, checked(shared_.rules, men, hands, side), side);
        nb::dict found;
        found["men"] = f.men;
        found["steps"] = f.steps;
        found["blocked"] = f.blocked;
        found["mills"] = f.mills;
        found["pairs"] = f.pairs;
        found["swings"] = f.swings;
        found["threats"] = f.threats;
        found["crossings"] = f.crossings;
        found["flies"] = f.flies;
        return found;
    }

private:
    static std::size_t checked_size(std::size_t megabytes) {
        require(megabytes <= std::size_t{1} << 20, "a table may have at most 2^20 megabytes");
        return megabytes;
    }

    // Hands on what the search reports; an error in there ends the search and is raised after it.
    static Report reporting_to(const nb::object& report) {
        if (report.is_none()) return {};
        return [&report](const Result& result) {
            const nb::gil_scoped_acquire hold;
            PyObject* answer = PyObject_CallOneArg(report.ptr(), python_result(result).ptr());
            const int is_enough = answer == nullptr ? -1 : PyObject_IsTrue(answer);
            Py_XDECREF(answer);
            return is_enough != 0;
        };
    }

    static nb::dict python_result(const Result& result) {
        nb::list lines;
        for (const Line& line : result.lines) {
            nb::list moves;
            for (const Move move : line.moves) moves.append(python_move(move));
            lines.append(nb::make_tuple(line.score, moves));
        }
        nb::dict found;
        found["depth"] = result.depth;
        found["deepest"] = result.deepest;
        found["nodes"] = result.nodes;
        found["lines"] = lines;
        return found;
    }

    Shared shared_;
    std::mutex running_;
};

}  // namespace

NB_MODULE(search, m) {
    m.doc() = "NegaScout for the Morris family.";
    m.attr("WIN") = kWin;
    m.attr("DECIDED") = kDecided;
    m.attr("MAX_DEPTH") = kMaxDepth;
    m.def(
        "canonical",
        [](Bits own, Bits other) {
            const Canonical form =
                canonical(own & ludus::morris::kAll, other & ludus::morris::kAll);
            return nb::make_tuple(form.boards >> 24, form.boards & ludus::morris::kAll,
                                  form.symmetry);
        },
        "own"_a, "other"_a);
    nb::class_<PyEndgames>(m, "Endgames")
        .def(nb::init<int>(), "max_men"_a)
        .def("add", &PyEndgames::add, "x"_a, "y"_a, "x_to_move"_a, "values"_a);
    nb::class_<Search>(m, "Search")
        .def(nb::init<nb::object, std::size_t, bool>(), "rules"_a, "megabytes"_a = 16,
             "plans_ahead"_a = true)
        .def("run", &Search::run, "men"_a, "hands"_a, "mover"_a, "occurrence"_a = 1, "quiet"_a = 0,
             "history"_a = std::vector<std::uint64_t>{}, nb::kw_only(), "depth"_a = kMaxDepth,
             "nodes"_a = nb::none(), "seconds"_a = nb::none(), "lines"_a = 1, "threads"_a = 1,
             "oversight"_a = 0.0, "seed"_a = 0, "endgames"_a = nb::none(), "extends"_a = true,
             "reduces"_a = true, "uses_table"_a = true, "only"_a = nb::tuple(),
             "report"_a = nb::none())
        .def("stop", &Search::stop)
        .def("evaluate", &Search::evaluate_state, "men"_a, "hands"_a, "mover"_a)
        .def("features", &Search::features_of, "men"_a, "hands"_a, "side"_a);
}
