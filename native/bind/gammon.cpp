// The backgammon network for Python: boards come as rows of 52 counts, the mover's men on places 0
// to 25 and then the other side's, as ludus.games.backgammon.batch writes them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include "gammon/contest.hpp"
#include "gammon/training.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus;
using namespace ludus::gammon;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Boards = nb::ndarray<const std::int8_t, nb::shape<-1, 52>, nb::c_contig, nb::device::cpu>;
using Rolls = nb::ndarray<const std::int8_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

constexpr std::uint64_t kMostGames = 100'000'000;
constexpr unsigned kMostThreads = 256;
constexpr std::size_t kMostWeights = 100'000'000;

View view_of(const std::int8_t* men) {
    View view;
    std::copy(men, men + 26, view.own.begin());
    std::copy(men + 26, men + 52, view.their.begin());
    if (!backgammon::is_playable(view)) {
        throw std::invalid_argument("no game can have led to these men");
    }
    return view;
}

View view_of(const Boards& boards, std::size_t row) { return view_of(boards.data() + row * 52); }

Dice dice_of(int high, int low) {
    if (high < low || low < 1 || high > 6) {
        throw std::invalid_argument("dice must be two of 1 to 6, the larger one first");
    }
    return {high, low};
}

Encoding encoding_of(int change, int extra) {
    if (change < 0 || change > 2 || extra < 0 || extra > 2) {
        throw std::invalid_argument("there is no such encoding");
    }
    return {static_cast<Change>(change), static_cast<Extra>(extra)};
}

// A new array that owns what a vector held.
template <typename T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T>&& values, std::vector<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept,
                            [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}

void append(std::vector<std::int8_t>& rows, const View& view) {
    rows.insert(rows.end(), view.own.begin(), view.own.end());
    rows.insert(rows.end(), view.their.begin(), view.their.end());
}

nb::object plays(const Boards& board, int high, int low) {
    if (board.shape(0) != 1) {
        throw std::invalid_argument("one board at a time");
    }
    thread_local const auto found = std::make_unique<Plays>();
    found->find(view_of(board, 0), dice_of(high, low));
    std::vector<std::int8_t> rows;
    for (int i = 0; i < found->size(); ++i) {
        append(rows, (*found)[i].end);
    }
    return nb::cast(array_of(std::move(rows), {static_cast<std::size_t>(found->size()), 52}));
}

nb::object tool_terms(const Boards& ends) {
    std::vector<float> rows;
    for (std::size_t i = 0; i < ends.shape(0); ++i) {
        const View end = view_of(ends, i);
        const Terms values = terms(end, facts(end));
        rows.insert(rows.end(), values.begin(), values.end());
    }
    return nb::cast(array_of(std::move(rows), {ends.shape(0), kTerms}));
}

nb::object tool_scores(const Boards& ends) {
    std::vector<float> scores;
    for (std::size_t i = 0; i < ends.shape(0); ++i) {
        scores.push_back(tool_score(view_of(ends, i)));
    }
    return nb::cast(array_of(std::move(scores), {ends.shape(0)}));
}

// For every board and roll all moves, and for every move the units that are on.
struct Encoded {
    std::vector<std::int64_t> moves{0};
    std::vector<std::int8_t> ends;
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint16_t> index;
    std::vector<float> value;

    void add(const View& before, Dice dice, const View& end, const Encoding& encoding,
             Units& units) {
        encode(units, before, dice, end, encoding);
        append(ends, end);
        index.insert(index.end(), units.index(), units.index() + units.size());
        value.insert(value.end(), units.value(), units.value() + units.size());
        starts.push_back(static_cast<std::int64_t>(index.size()));
    }
};

nb::tuple inputs(const Boards& boards, const Rolls& rolls, int change, int extra) {
    if (boards.shape(0) != rolls.shape(0)) {
        throw std::invalid_argument("every board needs a roll");
    }
    const Encoding encoding = encoding_of(change, extra);
    Encoded encoded;
    const auto found = std::make_unique<Plays>();
    Units units;
    for (std::size_t i = 0; i < boards.shape(0); ++i) {
        const View before = view_of(boards, i);
        const Dice dice = dice_of(rolls(i, 0), rolls(i, 1));
        found->find(before, dice);
        for (int move = 0; move < found->size(); ++move) {
            encoded.add(before, dice, (*found)[move].end, encoding, units);
        }
        encoded.moves.push_back(static_cast<std::int64_t>(encoded.starts.size()) - 1);
    }
    const std::size_t num_moves = encoded.starts.size() - 1;
    const std::size_t num_on = encoded.index.size();
    return nb::make_tuple(array_of(std::move(encoded.moves), {boards.shape(0) + 1}),
                          array_of(std::move(encoded.ends), {num_moves, 52}),
                          array_of(std::move(encoded.starts), {num_moves + 1}),
                          array_of(std::move(encoded.index), {num_on}),
                          array_of(std::move(encoded.value), {num_on}));
}

// Called while the interpreter is left free: lets Ctrl-C through.
void let_interrupts_through() {
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
    }
}

Layer layer_of(const Matrix<float>& weights, const Vector<float>& biases) {
    if (weights.size() > kMostWeights || weights.shape(1) != biases.shape(0) ||
        biases.shape(0) == 0) {
        throw std::invalid_argument("weights and biases of a layer do not fit together");
    }
    return {weights.shape(0),
            weights.shape(1),
            {weights.data(), weights.data() + weights.size()},
            {biases.data(), biases.data() + biases.size()}};
}

// A network in the hands of Python: several threads read it at once, or one teaches it.
struct SharedNetwork : Network {
    explicit SharedNetwork(Network made) : Network(std::move(made)) {}

    mutable std::atomic<int> readers{0};  // -1 while it learns
};

using Turn = std::shared_ptr<const SharedNetwork>;  // ends with its last copy

Turn read_turn(const SharedNetwork& network) {
    int readers = network.readers;
    while (readers >= 0 && !network.readers.compare_exchange_weak(readers, readers + 1)) {
    }
    if (readers < 0) throw std::invalid_argument("this network is learning in another thread");
    return {&network, [](const SharedNetwork* used) { --used->readers; }};
}

Turn learning_turn(SharedNetwork& network) {
    int readers = 0;
    if (!network.readers.compare_exchange_strong(readers, -1)) {
        throw std::invalid_argument("this network is used by another thread");
    }
    return {&network, [](const SharedNetwork* used) { used->readers = 0; }};
}

Network network_of(int change, int extra,
                   const std::vector<std::pair<Matrix<float>, Vector<float>>>& layers) {
    const Encoding encoding = encoding_of(change, extra);
    std::vector<Layer> made;
    auto below = static_cast<std::size_t>(size_of(encoding));
    for (const auto& [weights, biases] : layers) {
        made.push_back(layer_of(weights, biases));
        if (made.back().below != below) {
            throw std::invalid_argument("a layer does not fit the one below it");
        }
        below = made.back().above;
    }
    if (made.empty() || below != 1) {
        throw std::invalid_argument("a network must end in one unit");
    }
    return {encoding, std::move(made)};
}

Patterns patterns_of(const Vector<std::int64_t>& starts, const Vector<std::uint16_t>& index,
                     const Vector<float>& value, int units) {
    const std::span<const std::int64_t> bounds(starts.data(), starts.size());
    const bool is_sorted = std::is_sorted(bounds.begin(), bounds.end());
    if (bounds.empty() || index.size() != value.size() || !is_sorted || bounds.front() != 0 ||
        static_cast<std::size_t>(bounds.back()) != index.size()) {
        throw std::invalid_argument("these are not patterns");
    }
    const std::span<const std::uint16_t> on(index.data(), index.size());
    if (std::any_of(on.begin(), on.end(), [&](auto unit) { return unit >= units; })) {
        throw std::invalid_argument("a pattern has a unit that the network has not");
    }
    return {bounds, on, {value.data(), value.size()}};
}

nb::object scores(const SharedNetwork& network, const Vector<std::int64_t>& starts,
                  const Vector<std::uint16_t>& index, const Vector<float>& value) {
    const Patterns patterns = patterns_of(starts, index, value, size_of(network.encoding()));
    std::vector<float> outputs(patterns.size());
    const auto turn = read_turn(network);
    {
        nb::gil_scoped_release free;
        Activities activities = network.scratch();
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            outputs[i] = network.score(patterns[i], activities);
        }
    }
    const std::size_t size = outputs.size();
    return nb::cast(array_of(std::move(outputs), {size}));
}

std::span<const std::int64_t> rows_of(const Vector<std::int64_t>& rows, const Patterns& patterns) {
    const std::span<const std::int64_t> found(rows.data(), rows.size());
    const auto limit = static_cast<std::int64_t>(patterns.size());
    if (std::any_of(found.begin(), found.end(),
                    [&](auto row) { return row < 0 || row >= limit; })) {
        throw std::invalid_argument("there is no such pattern");
    }
    return found;
}

double learn(SharedNetwork& network, const Vector<std::int64_t>& starts,
             const Vector<std::uint16_t>& index, const Vector<float>& value,
             const Vector<std::int64_t>& rows, const Vector<float>& targets, float rate) {
    const Patterns patterns = patterns_of(starts, index, value, size_of(network.encoding()));
    const auto shown = rows_of(rows, patterns);
    if (rows.size() != targets.size()) {
        throw std::invalid_argument("every pattern shown needs a target");
    }
    const auto turn = learning_turn(network);
    nb::gil_scoped_release free;
    Trainer trainer(network);
    double error = 0;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (i % 4096 == 0) {
            let_interrupts_through();
        }
        error += static_cast<double>(
            trainer.learn(patterns[static_cast<std::size_t>(shown[i])], targets.data()[i], rate));
    }
    return error;
}

double compare(SharedNetwork& network, const Vector<std::int64_t>& starts,
               const Vector<std::uint16_t>& index, const Vector<float>& value,
               const Vector<std::int64_t>& rows, const Vector<float>& targets,
               const Vector<std::int64_t>& groups, float sharpness, float rate) {
    const Patterns patterns = patterns_of(starts, index, value, size_of(network.encoding()));
    const auto shown = rows_of(rows, patterns);
    const std::span<const std::int64_t> bounds(groups.data(), groups.size());
    if (rows.size() != targets.size() || bounds.empty() || bounds.front() != 0 ||
        static_cast<std::size_t>(bounds.back()) != rows.size() ||
        std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) != bounds.end()) {
        throw std::invalid_argument("groups must divide the patterns shown");
    }
    const auto turn = learning_turn(network);
    nb::gil_scoped_release free;
    Trainer trainer(network);
    const std::span<const float> wanted(targets.data(), targets.size());
    double error = 0;
    for (std::size_t group = 0; group + 1 < bounds.size(); ++group) {
        if (group % 1024 == 0) {
            let_interrupts_through();
        }
        const auto begin = static_cast<std::size_t>(bounds[group]);
        const auto size = static_cast<std::size_t>(bounds[group + 1]) - begin;
        error += static_cast<double>(trainer.compare(patterns, shown.subspan(begin, size),
                                                     wanted.subspan(begin, size), sharpness, rate));
    }
    return error;
}

nb::list layers_of(const SharedNetwork& network) {
    const auto turn = read_turn(network);
    nb::list layers;
    for (const Layer& layer : network.layers()) {
        std::vector<float> weights = layer.weights;
        std::vector<float> biases = layer.biases;
        layers.append(nb::make_tuple(array_of(std::move(weights), {layer.below, layer.above}),
                                     array_of(std::move(biases), {layer.above})));
    }
    return layers;
}

// A player of whole games: a network, or the name of one of the others.
MakeMover mover_of(nb::handle who) {
    if (nb::isinstance<SharedNetwork>(who)) {
        const Turn network = read_turn(*nb::cast<SharedNetwork*>(who));
        return [network] { return std::make_unique<NetworkMover>(*network); };
    }
    // Compared as objects, since some texts have no UTF-8.
    const auto is = [&](const char* name) {
        return nb::isinstance<nb::str>(who) && who.equal(nb::str(name));
    };
    if (is("tool")) {
        return [] { return std::make_unique<ToolMover>(); };
    }
    if (is("random")) {
        return [] { return std::make_unique<UniformMover>(); };
    }
    throw std::invalid_argument("a mover is a Network, 'tool' or 'random'");
}

nb::tuple contest_of(nb::handle first, nb::handle second, const Boards& start, std::uint64_t games,
                     std::uint64_t seed, unsigned threads) {
    if (games > kMostGames || threads < 1 || threads > kMostThreads || start.shape(0) != 1) {
        throw std::invalid_argument("too many games or threads, or not one start");
    }
    const MakeMover one = mover_of(first);
    const MakeMover other = mover_of(second);
    const View view = view_of(start, 0);
    const Tally tally = [&] {
        nb::gil_scoped_release free;
        return contest(view, one, other, games, seed, threads, let_interrupts_through);
    }();
    const auto counts = [&](std::size_t side) {
        return nb::make_tuple(tally[side][0], tally[side][1], tally[side][2]);
    };
    return nb::make_tuple(counts(0), counts(1));
}

nb::tuple met_in_games(nb::handle first, nb::handle second, const Boards& starts, bool is_opening,
                       std::uint32_t games, double stray, std::uint64_t seed) {
    if (games > kMostGames || starts.shape(0) == 0 || !(stray >= 0 && stray <= 1)) {
        throw std::invalid_argument("too many games, no start, or no chance between 0 and 1");
    }
    std::vector<View> views;
    for (std::size_t i = 0; i < starts.shape(0); ++i) {
        views.push_back(view_of(starts, i));
    }
    const auto one = mover_of(first)();
    const auto other = mover_of(second)();
    const std::vector<Met> met = [&] {
        nb::gil_scoped_release free;
        return positions_met(views, is_opening, *one, *other, games, stray, seed);
    }();
    std::vector<std::int8_t> boards;
    std::vector<std::int8_t> rolls;
    std::vector<std::int32_t> facts;
    for (const Met& position : met) {
        append(boards, position.before);
        rolls.push_back(static_cast<std::int8_t>(position.dice.high));
        rolls.push_back(static_cast<std::int8_t>(position.dice.low));
        for (const auto fact :
             {position.game, std::uint32_t{position.ply}, std::uint32_t{position.moves}}) {
            facts.push_back(static_cast<std::int32_t>(fact));
        }
    }
    return nb::make_tuple(array_of(std::move(boards), {met.size(), 52}),
                          array_of(std::move(rolls), {met.size(), 2}),
                          array_of(std::move(facts), {met.size(), 3}));
}

}  // namespace

NB_MODULE(gammon, m) {
    m.doc() = "The backgammon network and the conventional program, compiled.";
    m.def("plays", &plays);
    m.def("tool_terms", &tool_terms);
    m.def("tool_scores", &tool_scores);
    m.def("inputs", &inputs);
    m.def("contest", &contest_of);
    m.def("met_in_games", &met_in_games);
    nb::class_<SharedNetwork>(m, "Network")
        .def("__init__",
             [](SharedNetwork* made, int change, int extra,
                const std::vector<std::pair<Matrix<float>, Vector<float>>>& layers) {
                 new (made) SharedNetwork(network_of(change, extra, layers));
             })
        .def("scores", &scores)
        .def("learn", &learn)
        .def("compare", &compare)
        .def("layers", &layers_of);
}
