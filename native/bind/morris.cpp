// Python's view of the native Morris core: a Position that can be used move by move.
//
// Moves are the Python class Move, made once each and kept, so a list of legal moves costs no
// conversion. The Python side hands in its classes with `configure` before anything else.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bind/heuristics.hpp"
#include "bind/rules.hpp"
#include "bind/tally.hpp"
#include "morris/heuristics.hpp"
#include "morris/perft.hpp"
#include "morris/playouts.hpp"
#include "morris/position.hpp"
#include "morris/symmetry.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::morris;
using ludus::bind::kReasonNames;
using ludus::bind::let_interrupts_through;
using ludus::bind::python_tally;
using ludus::bind::read_heuristic;

namespace {

// Objects that live as long as the interpreter; never freed, so the order of its end is no matter.
PyObject* move_type = nullptr;
PyObject* outcome_type = nullptr;
PyObject* bad_move = nullptr;
constexpr int kParts = kNone + 1;
std::array<PyObject*, kParts * kParts * kParts> moves{};
std::array<PyObject*, kReasons * 3> outcomes{};

void configure(nb::object move_class, nb::object outcome_class, nb::object error) {
    move_type = move_class.release().ptr();
    outcome_type = outcome_class.release().ptr();
    bad_move = error.release().ptr();
}

// Rules as Python and C++ see them; made once per value and kept.
struct KnownRules {
    Rules rules;
    PyObject* object;
};

void require(bool is_so, const char* otherwise) {
    if (!is_so) throw std::invalid_argument(otherwise);
}

const KnownRules* known_rules(nb::object object) {
    static PyObject* const table = PyDict_New();
    if (PyObject* found = PyDict_GetItemWithError(table, object.ptr())) {
        return static_cast<const KnownRules*>(PyLong_AsVoidPtr(found));
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    auto entry = std::make_unique<KnownRules>();
    entry->rules = ludus::bind::read_rules(object);
    require(entry->rules.men <= kMaxMen, "rules may give each side at most 12 men");
    nb::object address = nb::steal(PyLong_FromVoidPtr(entry.get()));
    if (PyDict_SetItem(table, object.ptr(), address.ptr()) != 0) throw nb::python_error();
    entry->object = object.inc_ref().ptr();
    return entry.release();
}

struct PyPosition {
    const KnownRules* known;
    Position position;

    const Rules& rules() const { return known->rules; }
    const State& state() const { return position.state; }
};

nb::object optional_point(std::uint8_t point) {
    return point == kNone ? nb::none() : nb::object(nb::int_(static_cast<int>(point)));
}

PyObject* make_move(Move move) {
    nb::object made = nb::handle(move_type)(optional_point(move.from), optional_point(move.to),
                                            optional_point(move.take));
    return made.release().ptr();
}

// The kept Python object for a move; a borrowed reference. Moves without a capture, by far the
// most frequent, lie together in the table and so in the processor's cache.
inline PyObject* python_move(Move move) {
    const int index = (move.take * kParts + move.from) * kParts + move.to;
    PyObject*& kept = moves[static_cast<std::size_t>(index)];
    if (kept == nullptr) [[unlikely]]
        kept = make_move(move);
    return kept;
}

// One part of a Python move as a point; anything that is neither None nor 0 to 23 is no point.
bool read_part(PyObject* part, std::uint8_t& point) {
    if (part == Py_None) {
        point = kNone;
        return true;
    }
    if (!PyLong_Check(part)) return false;
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(part, &overflow);
    if (overflow != 0 || value < 0 || value >= kPoints) return false;
    point = static_cast<std::uint8_t>(value);
    return true;
}

nb::list legal_moves(const PyPosition& self) {
    const Rules& rules = self.rules();
    if (self.position.outcome(rules).is_over()) return nb::list();
    if (self.position.must_pass(rules)) {
        nb::list only;
        only.append(nb::borrow(python_move(Move{})));
        return only;
    }
    PyObject* found[kMaxMoves];
    Py_ssize_t size = 0;
    for_each_move(rules, self.state(), [&](Move move) { found[size++] = python_move(move); });
    nb::object list = nb::steal(PyList_New(size));
    if (!list.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < size; ++i) {
        Py_INCREF(found[i]);
        PyList_SET_ITEM(list.ptr(), i, found[i]);
    }
    return nb::borrow<nb::list>(list);
}

PyPosition play(const PyPosition& self, nb::handle object) {
    Move move;
    const bool is_legal = PyTuple_Check(object.ptr()) && PyTuple_GET_SIZE(object.ptr()) == 3 &&
                          read_part(PyTuple_GET_ITEM(object.ptr(), 0), move.from) &&
                          read_part(PyTuple_GET_ITEM(object.ptr(), 1), move.to) &&
                          read_part(PyTuple_GET_ITEM(object.ptr(), 2), move.take) &&
                          self.position.is_legal(self.rules(), move);
    if (!is_legal) {
        // As `illegal_move` in core/game.py. Python puts the text together: what was asked for can
        // be a text no C++ string can hold.
        if (PyUnicode_Check(object.ptr())) {
            PyErr_Format(bad_move,
                         "%.100R is a text, not a move; game.parse_move makes a move of it",
                         object.ptr());
        } else {
            PyErr_Format(bad_move, "%.100S is not a legal move in %S", object.ptr(),
                         nb::cast(self).ptr());
        }
        throw nb::python_error();
    }
    return {self.known, self.position.play(self.rules(), move)};
}

nb::object python_outcome(const PyPosition& self) {
    const Outcome end = self.position.outcome(self.rules());
    if (!end.is_over()) return nb::none();
    PyObject*& kept = outcomes[static_cast<std::size_t>(end.reason) * 3 + end.winner];
    if (kept == nullptr) {
        nb::object winner = end.winner == 2 ? nb::none() : nb::object(nb::int_(int{end.winner}));
        const char* reason = kReasonNames[static_cast<std::size_t>(end.reason)];
        nb::object made = nb::handle(outcome_type)(winner, reason);
        kept = made.release().ptr();
    }
    return nb::borrow(kept);
}

nb::object points(Bits men) {
    nb::list list;
    for_each_point(men, [&](int point) { list.append(point); });
    return nb::steal(PyFrozenSet_New(list.ptr()));
}

std::pair<int, int> hands(const PyPosition& self) {
    return {self.state().hand[0], self.state().hand[1]};
}

// The same number as Position.__hash__ in Python, as equal positions need; rules take no part.
std::size_t hash(const PyPosition& self) {
    const std::uint64_t h = self.state().key() ^ (std::uint64_t{self.position.occurrence} << 57) ^
                            (std::uint64_t{self.position.quiet} << 40);
    return static_cast<std::size_t>(ludus::Random(h).next());
}

bool equal(const PyPosition& a, const PyPosition& b) {
    return a.known == b.known && a.state() == b.state() &&
           a.position.occurrence == b.position.occurrence && a.position.quiet == b.position.quiet;
}

// Whether the men of a side are valid: on the board, and no more than the rules give.
bool is_side(const Rules& rules, Bits men, std::uint8_t hand) {
    return (men & ~kAll) == 0 && count(men) + hand <= rules.men;
}

void make(PyPosition* self, nb::object rules, std::pair<Bits, Bits> men,
          std::pair<std::uint8_t, std::uint8_t> hand, std::uint8_t mover, std::uint16_t occurrence,
          std::uint16_t quiet, const std::vector<std::uint64_t>& history) {
    if (move_type == nullptr) throw std::runtime_error("configure() comes before any position");
    const KnownRules* known = known_rules(rules);
    require(is_side(known->rules, men.first, hand.first) &&
                is_side(known->rules, men.second, hand.second),
            "a side has more men than the rules give, or men off the board");
    require((men.first & men.second) == 0, "two men stand on one point");
    require(mover <= 1, "the mover must be 0 or 1");
    require(occurrence >= 1, "a position occurs at least once");
    History road;
    for (const std::uint64_t key : history) road = road.with(key);
    new (self) PyPosition{known,
                          {State{{men.first, men.second}, {hand.first, hand.second}, mover},
                           occurrence, quiet, std::move(road)}};
}

nb::tuple make_arguments(const PyPosition& self) {
    return nb::make_tuple(nb::borrow(self.known->object),
                          std::pair{self.state().men[0], self.state().men[1]}, hands(self),
                          self.state().mover, self.position.occurrence, self.position.quiet,
                          self.position.history.keys());
}

PyPosition canonical_position(const PyPosition& self) {
    PyPosition result{self.known,
                      {self.state(), self.position.occurrence, self.position.quiet, {}}};
    const auto [first, second] = canonical(self.state().men[0], self.state().men[1]);
    result.position.state.men = {first, second};
    return result;
}

nb::dict python_playouts(const PyPosition& self, std::uint64_t games, std::uint64_t seed,
                         int threads, int max_plies) {
    require(threads >= 1, "threads must be at least 1");
    require(max_plies >= 0, "max_plies must not be negative");
    Tally tally;
    {
        nb::gil_scoped_release release;
        tally = playouts(self.rules(), self.position, games, seed, threads, max_plies,
                         let_interrupts_through);
    }
    return python_tally(tally);
}

nb::dict python_heuristic_games(const PyPosition& self, const std::string& first,
                                const std::string& second, std::uint64_t games, std::uint64_t seed,
                                int threads, int max_plies) {
    require(threads >= 1, "threads must be at least 1");
    require(max_plies >= 0, "max_plies must not be negative");
    const std::array<Heuristic, 2> sides{read_heuristic(first), read_heuristic(second)};
    Tally tally;
    {
        nb::gil_scoped_release release;
        tally = heuristic_games(self.rules(), self.position, sides, games, seed, threads, max_plies,
                                let_interrupts_through);
    }
    return python_tally(tally);
}

nb::list python_heuristic_moves(const PyPosition& self, const std::string& name) {
    const Heuristic heuristic = read_heuristic(name);
    nb::list found;
    if (self.position.outcome(self.rules()).is_over()) return found;
    const HeuristicMoves wanted(self.rules(), self.state(), heuristic);
    for (const Move move : wanted.all()) found.append(nb::borrow(python_move(move)));
    if (wanted.is_empty()) found.append(nb::borrow(python_move(Move{})));
    return found;
}

std::uint64_t python_perft(const PyPosition& self, int depth) {
    require(depth <= kMaxDepth, "depth must be at most 100");
    const Position start = self.position.unshared();
    const nb::gil_scoped_release release;
    return perft(self.rules(), start, depth, let_interrupts_through);
}

Bits checked(Bits bits) {
    require((bits & ~kAll) == 0, "a board has bits 0 to 23");
    return bits;
}

Bits python_transformed(Bits bits, int symmetry) {
    require(0 <= symmetry && symmetry < kSymmetries, "symmetries are numbered from 0 to 15");
    return transformed(checked(bits), symmetry);
}

Bits python_in_mills(Bits bits, bool diagonals) { return in_mills(checked(bits), diagonals); }

}  // namespace

NB_MODULE(morris, m) {
    m.doc() = "The Morris family in C++: the twin of ludus.games.nine_mens_morris.position.";
    m.def("configure", &configure, "move_class"_a, "outcome_class"_a, "bad_move"_a);
    nb::class_<PyPosition>(m, "Position", nb::is_final(), nb::pooled(256))
        .def("__init__", &make, "rules"_a, "men"_a, "hands"_a, "mover"_a, "occurrence"_a = 1,
             "quiet"_a = 0, "history"_a = std::vector<std::uint64_t>{})
        .def("legal_moves", &legal_moves)
        .def("play", &play, "move"_a.none())
        .def("outcome", &python_outcome)
        .def("canonical", &canonical_position)
        .def("perft", &python_perft, "depth"_a)
        .def("playouts", &python_playouts, "games"_a, "seed"_a = 0, "threads"_a = 1,
             "max_plies"_a = 10'000)
        .def("heuristic_games", &python_heuristic_games, "first"_a, "second"_a, "games"_a,
             "seed"_a = 0, "threads"_a = 1, "max_plies"_a = 10'000)
        .def("heuristic_moves", &python_heuristic_moves, "heuristic"_a)
        .def_prop_ro("rules", [](const PyPosition& self) { return nb::borrow(self.known->object); })
        .def_prop_ro("mover", [](const PyPosition& self) { return int{self.state().mover}; })
        .def_prop_ro("hands", &hands)
        .def_prop_ro("men",
                     [](const PyPosition& self) {
                         return std::pair{points(self.state().men[0]), points(self.state().men[1])};
                     })
        .def_prop_ro("bits",
                     [](const PyPosition& self) {
                         return std::pair{self.state().men[0], self.state().men[1]};
                     })
        .def_prop_ro("occurrence", [](const PyPosition& self) { return self.position.occurrence; })
        .def_prop_ro("history_keys",
                     [](const PyPosition& self) { return self.position.history.keys(); })
        .def_prop_ro("quiet", [](const PyPosition& self) { return self.position.quiet; })
        .def("__hash__", &hash)
        .def("__eq__", &equal, nb::is_operator())
        .def("__reduce__", [](nb::handle self) {
            return nb::make_tuple(self.type(), make_arguments(nb::cast<const PyPosition&>(self)));
        });
    m.def("transformed", &python_transformed, "bits"_a, "symmetry"_a);
    m.def("in_mills", &python_in_mills, "bits"_a, "diagonals"_a);
}
