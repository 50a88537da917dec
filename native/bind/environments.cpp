// Many games at once for Python: arrays of numpy, which the caller allocates, filled in place.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <mutex>
#include <string>
#include <vector>

#include "backgammon/environment.hpp"
#include "bind/rules.hpp"
#include "bind/state.hpp"
#include "common/vector_environment.hpp"
#include "morris/environment.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using ludus::Autoreset;
using ludus::EnvironmentArrays;
using ludus::VectorEnvironment;
using ludus::bind::require;

namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kMaxEnvs = std::size_t{1} << 24;
constexpr int kMaxThreads = 256;

Autoreset read_autoreset(const std::string& mode) {
    require(mode == "same_step" || mode == "next_step", "autoreset is same_step or next_step");
    return mode == "same_step" ? Autoreset::same_step : Autoreset::next_step;
}

template <class T>
T* data_of(const Column<T>& column, std::size_t size) {
    require(column.shape(0) == size, "an array has a wrong length");
    return column.data();
}

template <class T>
T* data_of(const Rows<T>& rows, std::size_t size, int width) {
    require(rows.shape(0) == size && rows.shape(1) == static_cast<std::size_t>(width),
            "an array has a wrong shape");
    return rows.data();
}

template <class Environment>
class PyVector {
public:
    PyVector(typename Environment::Settings settings, std::size_t num_envs, int threads,
             const std::string& autoreset, std::int64_t max_moves)
        : vector_(std::move(settings), num_envs, threads, read_autoreset(autoreset), max_moves) {}

    static void check(std::size_t num_envs, int threads) {
        require(1 <= num_envs && num_envs <= kMaxEnvs, "num_envs must be from 1 to 2^24");
        require(1 <= threads && threads <= kMaxThreads, "threads must be from 1 to 256");
    }

    void use_arrays(Rows<float> observations, Rows<std::int8_t> masks, Rows<float> rewards,
                    Column<bool> terminated, Column<bool> truncated, Column<std::int8_t> players,
                    Rows<float> final_observations) {
        const std::unique_lock turn = take_turn();
        const std::size_t size = vector_.size();
        arrays_ = {data_of(observations, size, Environment::kObservationSize),
                   data_of(masks, size, Environment::kNumActions),
                   data_of(rewards, size, 2),
                   reinterpret_cast<std::uint8_t*>(data_of(terminated, size)),
                   reinterpret_cast<std::uint8_t*>(data_of(truncated, size)),
                   data_of(players, size),
                   data_of(final_observations, size, Environment::kObservationSize)};
        kept_ = nb::make_tuple(observations, masks, rewards, terminated, truncated, players,
                               final_observations);
    }

    void reset(std::uint64_t seed) {
        const std::unique_lock turn = take_turn();
        check_arrays();
        const nb::gil_scoped_release release;
        vector_.reset(seed, arrays_);
        is_started_ = true;
    }

    void step(Column<const std::int64_t> actions) {
        const std::unique_lock turn = take_turn();
        check_started();
        const std::int64_t* given = data_of(actions, vector_.size());
        actions_.assign(given, given + vector_.size());  // others may write to the array meanwhile
        for (const std::int64_t action : actions_) {
            require(-1 <= action && action < Environment::kNumActions,
                    "an action is outside of the action space");
        }
        const nb::gil_scoped_release release;
        vector_.step(actions_.data(), arrays_);
    }

    void sample(Column<std::int64_t> actions) {
        const std::unique_lock turn = take_turn();
        check_started();
        std::int64_t* into = data_of(actions, vector_.size());
        const nb::gil_scoped_release release;
        vector_.sample(into);
    }

private:
    std::unique_lock<std::mutex> take_turn() {
        std::unique_lock turn(working_, std::try_to_lock);
        require(turn.owns_lock(), "these games are being played by another thread");
        return turn;
    }
    void check_arrays() const {
        require(arrays_.observations != nullptr, "use_arrays() comes before any game");
    }
    void check_started() const {
        check_arrays();
        require(is_started_, "reset() comes before any step");
    }

    VectorEnvironment<Environment> vector_;
    EnvironmentArrays arrays_{};
    nb::object kept_;  // the arrays, so that they live as long as they are written to
    bool is_started_ = false;
    std::vector<std::int64_t> actions_;
    std::mutex working_;
};

// An array that is written to: never one that was made from another kind of array.
auto written(const char* name) { return nb::arg(name).noconvert(); }

template <class Environment, class Make>
void define(nb::module_& m, const char* name, Make make) {
    using Vector = PyVector<Environment>;
    nb::class_<Vector>(m, name, nb::is_final())
        .def("__init__", make, "start"_a, "num_envs"_a, "threads"_a, "autoreset"_a, "max_moves"_a)
        .def("use_arrays", &Vector::use_arrays, written("observations"), written("action_masks"),
             written("rewards"), written("terminated"), written("truncated"), written("players"),
             written("final_observations"))
        .def("reset", &Vector::reset, "seed"_a)
        .def("step", &Vector::step, "actions"_a)
        .def("sample", &Vector::sample, written("actions"));
}

using MorrisVector = PyVector<ludus::morris::Environment>;
using BackgammonVector = PyVector<ludus::backgammon::Environment>;

// `start` is a position: its rules, men, hands and mover are read.
void make_morris(MorrisVector* self, nb::handle start, std::size_t num_envs, int threads,
                 const std::string& autoreset, std::int64_t max_moves) {
    using ludus::bind::field;
    MorrisVector::check(num_envs, threads);
    const ludus::morris::Rules rules = ludus::bind::read_rules(start.attr("rules"));
    const ludus::morris::State state = ludus::bind::checked(
        rules, field<ludus::bind::Boards>(start, "bits"), field<ludus::bind::Hands>(start, "hands"),
        field<std::uint8_t>(start, "mover"));
    new (self) MorrisVector({rules, {state, 1, 0, {}}}, num_envs, threads, autoreset, max_moves);
}

// `start` is the men of each side by its own places, and the opening of the rules.
void make_backgammon(BackgammonVector* self,
                     const std::pair<ludus::backgammon::Side, std::string>& start,
                     std::size_t num_envs, int threads, const std::string& autoreset,
                     std::int64_t max_moves) {
    using ludus::backgammon::Opening, ludus::backgammon::View;
    BackgammonVector::check(num_envs, threads);
    const auto& [men, opening] = start;
    View view;
    view.own = men;
    std::reverse_copy(men.begin(), men.end(), view.their.begin());
    require(ludus::backgammon::is_playable(view), "no game begins with these men");
    require(opening == "roll_off" || opening == "first" || opening == "any",
            "the opening is roll_off, first or any");
    const Opening kind = opening == "roll_off" ? Opening::roll_off
                         : opening == "first"  ? Opening::first
                                               : Opening::any;
    new (self) BackgammonVector({view, kind}, num_envs, threads, autoreset, max_moves);
}

}  // namespace

NB_MODULE(environments, m) {
    m.doc() = "Many games at once for reinforcement learning, as arrays.";
    define<ludus::morris::Environment>(m, "MorrisVector", &make_morris);
    define<ludus::backgammon::Environment>(m, "BackgammonVector", &make_backgammon);
}
