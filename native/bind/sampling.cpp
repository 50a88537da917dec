// Python's view of sampling: columns of numpy, filled in place by the functions that a GPU runs
// too.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <vector>

#include "bind/rules.hpp"
#include "bind/state.hpp"
#include "sampling/children.hpp"
#include "sampling/directory.hpp"
#include "sampling/plies.hpp"
#include "sampling/random_positions.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::sampling;
using ludus::bind::require;

namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = Column<std::int32_t>;
using Bytes = Column<std::uint8_t>;
using Table = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Columns = std::tuple<Ints, Ints, Bytes, Bytes>;  // own, other, own hand, other hand

// Python keeps boards and moves in signed numbers, which torch knows better; none is negative.
std::uint32_t* unsigned_data(const Ints& column) {
    return reinterpret_cast<std::uint32_t*>(column.data());
}

template <class T>
T* data_of(const Column<T>& column, std::size_t size) {
    require(column.shape(0) == size, "a column has a wrong length");
    return column.data();
}

std::size_t length(const Columns& columns) { return std::get<0>(columns).shape(0); }

Positions positions(const Columns& columns, std::size_t size) {
    const auto& [own, other, own_hand, other_hand] = columns;
    data_of(own, size);
    data_of(other, size);
    return {unsigned_data(own), unsigned_data(other), data_of(own_hand, size),
            data_of(other_hand, size)};
}

// Positions from outside: whatever stands in them, no table may be left.
Positions checked(const Rules& rules, const Columns& columns) {
    const Positions given = positions(columns, length(columns));
    for (std::size_t i = 0; i < length(columns); ++i) {
        ludus::bind::checked(rules, {given.own[i], given.other[i]},
                             {given.own_hand[i], given.other_hand[i]}, 0);
    }
    return given;
}

Rules read_rules(nb::handle object) {
    const Rules rules = ludus::bind::read_rules(object);
    require(rules.men <= ludus::morris::kMaxMen, "rules may give each side at most 12 men");
    return rules;
}

Rows rows(std::size_t size, std::uint32_t max_moves, const Ints& count, const Columns& child,
          const Ints& move) {
    require(max_moves >= 1 && max_moves <= ludus::morris::kMaxMoves,
            "a row has at least one place");
    data_of(move, size * max_moves);
    return {max_moves, data_of(count, size), positions(child, size * max_moves),
            unsigned_data(move)};
}

void python_expand(nb::object python_rules, const Columns& columns, std::uint32_t max_moves,
                   std::uint64_t seed, const Ints& count, const Columns& child, const Ints& move) {
    const Rules rules = read_rules(python_rules);
    const Positions given = checked(rules, columns);
    const Rows into = rows(length(columns), max_moves, count, child, move);
    for (std::size_t i = 0; i < length(columns); ++i) expand(rules, given, into, seed, i);
}

void python_draw(nb::object python_rules, const Ints& men, const Column<std::uint32_t>& cumulative,
                 std::uint64_t seed, const Columns& into) {
    const Rules rules = read_rules(python_rules);
    const std::size_t size = cumulative.shape(0);
    require(size >= 1, "there is nothing to draw from");
    data_of(men, 4 * size);
    for (std::size_t kind = 0; kind < size; ++kind) {
        const std::int32_t* m = men.data() + 4 * kind;
        for (int part = 0; part < 4; ++part) require(m[part] >= 0, "a number of men is negative");
        require(m[0] <= rules.men - m[2] && m[1] <= rules.men - m[3], "a side has too many men");
    }
    const Kinds kinds{static_cast<std::uint32_t>(size), men.data(), cumulative.data()};
    const Positions drawn = positions(into, length(into));
    for (std::size_t i = 0; i < length(into); ++i) drawn.put(i, draw(rules, kinds, seed, i));
}

void python_advance(nb::object python_rules, const Ints& count, const Columns& child,
                    const Ints& move, const Bytes& values, const Bytes& child_values,
                    const std::optional<Ints>& chosen, const Ints& before, std::uint64_t noise,
                    std::int32_t max_plies, const Columns& restarts, std::uint64_t seed,
                    const Columns& next, const Ints& after) {
    const Rules rules = read_rules(python_rules);
    const std::size_t size = count.shape(0);
    require(length(restarts) >= 1, "games must begin somewhere");
    require(max_plies >= 1, "a game has at least one ply");
    const std::size_t max_moves = size == 0 ? 1 : move.shape(0) / size;
    const Plies plies{
        .rows = rows(size, static_cast<std::uint32_t>(max_moves), count, child, move),
        .values = data_of(values, size),
        .child_values = data_of(child_values, size * max_moves),
        .chosen = chosen ? data_of(*chosen, size) : nullptr,
        .before = data_of(before, size),
        .noise = noise,
        .max_plies = max_plies,
        .restarts = checked(rules, restarts),
        .num_restarts = static_cast<std::uint32_t>(length(restarts)),
        .next = positions(next, size),
        .after = data_of(after, size),
    };
    for (std::size_t i = 0; i < size; ++i) {
        require(count.data()[i] >= 0, "a number of moves is negative");
        advance(rules, plies, seed, i);
    }
}

// Tables in the layout of the GPU, to compare its lookup with that of the oracle.
class Tables {
public:
    explicit Tables(nb::object rules)
        : rules_(read_rules(rules)),
          orbits_(rules_.men),
          flat_(orbits_, rules_.men),
          halves_(kNumHalves, nullptr),
          num_cols_(kNumHalves, 0) {}

    // Values of the positions with these men of the mover and of the other side, then in hand.
    void add(std::tuple<int, int, int, int> half, const Table& values) {
        const auto [own, other, own_hand, other_hand] = half;
        for (const int part : {own, other, own_hand, other_hand}) {
            require(part >= 0 && part <= rules_.men, "no such positions under these rules");
        }
        const auto [id, own_is_x] = ludus::solver::oriented(own, other, own_hand, other_hand);
        const std::uint64_t cols = ludus::solver::choose(ludus::morris::kPoints - id.x, id.y);
        require(values.shape(0) == orbits_.representatives(id.x).size() * cols,
                "not as many values as slots");
        const auto number = static_cast<std::size_t>(half_number(own, other, own_hand, other_hand));
        halves_[number] = values.data();
        num_cols_[number] = static_cast<std::uint32_t>(cols);
        kept_.push_back(values);
    }

    void label(const Columns& columns, const Bytes& values) const {
        const Positions given = checked(rules_, columns);
        Value* into = data_of(values, length(columns));
        const Directory directory{rules_, flat_.tables(), halves_.data(), num_cols_.data()};
        for (std::size_t i = 0; i < length(columns); ++i) into[i] = directory.value(given.get(i));
    }

private:
    Rules rules_;
    ludus::solver::Orbits orbits_;
    ludus::solver::FlatVectors flat_;
    std::vector<const Value*> halves_;
    std::vector<std::uint32_t> num_cols_;
    std::vector<Table> kept_;
};

}  // namespace

NB_MODULE(sampling, m) {
    m.doc() = "Positions of the Morris family in columns: drawn, expanded, played.";
    m.attr("NO_VALUE") = kNoValue;
    m.attr("SIZES") = nb::make_tuple(sizeof(Positions), sizeof(Rows), sizeof(Kinds), sizeof(Plies));
    // A column that had to be converted would be filled in vain.
    const auto column = [](const char* name) { return nb::arg(name).noconvert(); };
    m.def("expand", &python_expand, "rules"_a, column("positions"), "max_moves"_a, "seed"_a,
          column("count"), column("child"), column("move"));
    m.def("draw", &python_draw, "rules"_a, column("men"), column("cumulative"), "seed"_a,
          column("into"));
    m.def("advance", &python_advance, "rules"_a, column("count"), column("child"), column("move"),
          column("values"), column("child_values"), column("chosen").none(), column("before"),
          "noise"_a, "max_plies"_a, column("restarts"), "seed"_a, column("next"), column("after"));
    nb::class_<Tables>(m, "Tables")
        .def(nb::init<nb::object>(), "rules"_a)
        .def("add", &Tables::add, "half"_a, column("values"))
        .def("label", &Tables::label, column("positions"), column("values"));
}
