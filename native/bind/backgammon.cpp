// Backgammon for Python: positions come as the fields of ludus.games.backgammon.Position.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <vector>

#include "backgammon/perft.hpp"
#include "backgammon/playouts.hpp"
#include "backgammon/plays.hpp"

namespace nb = nanobind;
using namespace ludus::backgammon;

namespace {

using Points = std::array<std::int8_t, 24>;
using Pair = std::array<std::int8_t, 2>;
using DicePair = std::pair<int, int>;
using StepTuple = std::tuple<int, int, bool>;

View view_of(const Points& points, const Pair& bar, const Pair& off, int turn) {
    if (turn != 0 && turn != 1) {
        throw std::invalid_argument("turn must be 0 or 1");
    }
    View view;
    for (std::size_t i = 0; i < points.size(); ++i) {
        view.own[i + 1] = std::max<std::int8_t>(points[i], 0);
        // -(-128) does not fit; it is too many men in any case.
        view.their[i + 1] = points[i] < 0
                                ? static_cast<std::int8_t>(-std::max<int>(points[i], -127))
                                : std::int8_t{0};
    }
    view.own[kBar] = bar[0];
    view.own[kOff] = off[0];
    view.their[kOff] = bar[1];
    view.their[kBar] = off[1];
    if (!is_playable(view)) {
        throw std::invalid_argument("no game can have led to these men");
    }
    return turn == 0 ? view : view.turned();
}

Dice dice_of(const DicePair& dice) {
    const auto [high, low] = dice;
    if (high < low || low < 1 || high > 6) {
        throw std::invalid_argument("dice must be two of 1 to 6, the larger one first");
    }
    return {high, low};
}

std::optional<Dice> dice_of(const std::optional<DicePair>& dice) {
    return dice ? std::optional(dice_of(*dice)) : std::nullopt;
}

// Plays are found in one list per thread: it is too large for the stack and too large to make anew.
Plays& found_plays(const View& view, Dice dice) {
    thread_local const auto plays = std::make_unique<Plays>();
    plays->find(view, dice);
    return *plays;
}

PyObject* checked(PyObject* made) {
    if (made == nullptr) {
        throw nb::python_error();
    }
    return made;
}

// The Python types of moves, handed over once. Steps are few, so each is made once.
class MoveTypes {
public:
    // A move is filled as a tuple is, so its type must be one.
    void use(nb::handle move_type, nb::handle step_type) {
        const bool is_tuple = PyType_Check(move_type.ptr()) &&
                              PyType_FastSubclass(reinterpret_cast<PyTypeObject*>(move_type.ptr()),
                                                  Py_TPFLAGS_TUPLE_SUBCLASS);
        if (!is_tuple) {
            throw nb::type_error("moves must be of a type made from tuple");
        }
        AllSteps steps;
        for (int start = 1; start <= kBar; ++start) {
            for (int end = kOff; end < start; ++end) {
                for (const bool hit : {false, true}) {
                    const Step step{static_cast<std::int8_t>(start), static_cast<std::int8_t>(end),
                                    hit};
                    steps[index_of(step)] = step_type(start, end, hit);
                }
            }
        }
        steps_ = std::move(steps);
        move_type_ = nb::borrow(move_type);
    }

    void check_usable() const {
        if (!move_type_.is_valid()) {
            throw std::runtime_error("use_types() comes before any move");
        }
    }

    // A new Move.
    PyObject* move(const Play& play, int side) const {
        auto* type = reinterpret_cast<PyTypeObject*>(move_type_.ptr());
        PyObject* made = checked(type->tp_alloc(type, 2));
        PyTuple_SET_ITEM(made, 0, PyLong_FromLong(side));
        PyTuple_SET_ITEM(made, 1, steps(play));
        return made;
    }

private:
    using AllSteps = std::array<nb::object, (kBar + 1) * (kBar + 1) * 2>;

    static std::size_t index_of(const Step& step) {
        return static_cast<std::size_t>((step.start * (kBar + 1) + step.end) * 2 +
                                        (step.hit ? 1 : 0));
    }

    PyObject* steps(const Play& play) const {
        PyObject* tuple = checked(PyTuple_New(play.length));
        for (int i = 0; i < play.length; ++i) {
            const nb::object& step = steps_[index_of(play.steps[static_cast<std::size_t>(i)])];
            PyTuple_SET_ITEM(tuple, i, step.inc_ref().ptr());
        }
        return tuple;
    }

    nb::object move_type_;
    AllSteps steps_;
};

// Lives as long as the process: Python may already be gone when destructors of globals run.
MoveTypes& move_types() {
    static auto* types = new MoveTypes;
    return *types;
}

void use_types(nb::handle move_type, nb::handle step_type) {
    move_types().use(move_type, step_type);
}

// Keeps Python from collecting garbage: a finalizer that lists moves would overwrite the plays
// which the list in the making is read from.
class NoCollecting {
public:
    NoCollecting() = default;
    NoCollecting(const NoCollecting&) = delete;
    NoCollecting& operator=(const NoCollecting&) = delete;
    ~NoCollecting() {
        if (was_collecting_ != 0) {
            PyGC_Enable();
        }
    }

private:
    int was_collecting_ = PyGC_Disable();
};

nb::list legal_moves(const Points& points, const Pair& bar, const Pair& off, int turn,
                     const DicePair& dice) {
    const MoveTypes& types = move_types();
    types.check_usable();
    const Plays& plays = found_plays(view_of(points, bar, off, turn), dice_of(dice));
    const NoCollecting while_reading;
    PyObject* moves = checked(PyList_New(plays.size()));
    for (int i = 0; i < plays.size(); ++i) {
        PyList_SET_ITEM(moves, i, types.move(plays[i], turn));
    }
    return nb::steal<nb::list>(moves);
}

bool is_same(const Play& play, const std::vector<StepTuple>& steps) {
    if (static_cast<std::size_t>(play.length) != steps.size()) {
        return false;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& [start, end, hit] = steps[i];
        const Step& step = play.steps[i];
        if (step.start != start || step.end != end || step.hit != hit) {
            return false;
        }
    }
    return true;
}

nb::tuple board_of(const View& mover_view, int turn) {
    const View view = turn == 0 ? mover_view : mover_view.turned();
    PyObject* points = checked(PyTuple_New(24));
    for (int i = 0; i < 24; ++i) {
        const auto place = static_cast<std::size_t>(i + 1);
        PyTuple_SET_ITEM(points, i, PyLong_FromLong(view.own[place] - view.their[place]));
    }
    return nb::make_tuple(nb::steal(points), nb::make_tuple(view.own[kBar], view.their[kOff]),
                          nb::make_tuple(view.own[kOff], view.their[kBar]));
}

nb::object after(const Points& points, const Pair& bar, const Pair& off, int turn,
                 const DicePair& dice, const std::vector<StepTuple>& steps) {
    const Plays& plays = found_plays(view_of(points, bar, off, turn), dice_of(dice));
    for (int i = 0; i < plays.size(); ++i) {
        if (is_same(plays[i], steps)) {
            return board_of(plays[i].end, turn);
        }
    }
    return nb::none();
}

// Called while the interpreter is left free: lets Ctrl-C through.
void let_interrupts_through() {
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
    }
}

std::uint64_t perft(const Points& points, const Pair& bar, const Pair& off, int turn,
                    const std::optional<DicePair>& dice, bool opening, int depth) {
    if (depth < 0 || depth > kMaxDepth) {
        throw std::invalid_argument("depth must be from 0 to 100");
    }
    const View view = view_of(points, bar, off, turn);
    const auto rolled = dice_of(dice);
    nb::gil_scoped_release free;
    return Perft(depth, let_interrupts_through).count(view, rolled, opening, depth);
}

nb::tuple playouts(const Points& points, const Pair& bar, const Pair& off, int turn,
                   const std::optional<DicePair>& dice, bool opening, std::uint64_t games,
                   std::uint64_t seed) {
    const View view = view_of(points, bar, off, turn);
    const auto rolled = dice_of(dice);
    const Tally tally = [&] {
        nb::gil_scoped_release free;
        return play_out_games(view, rolled, opening, games, seed, let_interrupts_through);
    }();
    const auto counts = [&](int side) {
        const auto& won = tally[static_cast<std::size_t>(side == turn ? 0 : 1)];
        return nb::make_tuple(won[0], won[1], won[2]);
    };
    return nb::make_tuple(counts(0), counts(1));
}

}  // namespace

NB_MODULE(backgammon, m) {
    m.doc() = "Backgammon, compiled: the twin of ludus.games.backgammon.reference.";
    m.def("use_types", &use_types);
    m.def("legal_moves", &legal_moves);
    m.def("after", &after);
    m.def("perft", &perft, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
          nb::arg());
    m.def("playouts", &playouts, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
          nb::arg(), nb::arg(), nb::arg());
}
