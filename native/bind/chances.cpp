// Networks of chances for Python. Boards come as rows of 52 counts, see
// ludus.games.backgammon.batch: positions as the side to move sees them, boards after moves as the
// side that has just moved does.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "bind/tally.hpp"
#include "gammon/expansion.hpp"
#include "gammon/lookahead.hpp"
#include "gammon/rollout.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus;
using namespace ludus::gammon;

namespace {

using Boards = nb::ndarray<const std::int8_t, nb::shape<-1, 52>, nb::c_contig, nb::device::cpu>;
using Rolls = nb::ndarray<const std::int8_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Biases = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Doubles = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr int kMostDepth = 2;
constexpr int kMostPoints = 1000;

template <typename T>
nb::object make_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

int checked_threads(int threads) { return std::clamp(threads, 1, 256); }

// Boards and positions; those of finished games are among them.
std::vector<View> views_of(const Boards& boards) {
    std::vector<View> views;
    for (std::size_t i = 0; i < boards.shape(0); ++i) {
        views.push_back(read_row(boards.data() + i * kRowSize));
        if (!backgammon::is_playable(views.back())) {
            throw nb::value_error("no game can have led to these men");
        }
    }
    return views;
}

void check_rolls(const Rolls& rolls, const Boards& boards) {
    if (rolls.shape(0) != boards.shape(0)) throw nb::value_error("every board needs a roll");
    for (std::size_t i = 0; i < rolls.shape(0); ++i) {
        const int high = rolls.data()[2 * i];
        const int low = rolls.data()[2 * i + 1];
        if (high < low || low < 1 || high > 6) {
            throw nb::value_error("dice must be two of 1 to 6, the larger one first");
        }
    }
}

nb::tuple expand(const Boards& positions, const std::optional<Rolls>& rolls, int threads) {
    views_of(positions);
    if (rolls) check_rolls(*rolls, positions);
    std::vector<std::int8_t> rows;
    std::vector<std::int64_t> offsets;
    {
        const nb::gil_scoped_release release;
        Expansion found(positions.data(), rolls ? rolls->data() : nullptr, positions.shape(0),
                        checked_threads(threads));
        offsets = found.offsets();
        rows.resize(static_cast<std::size_t>(offsets.back()) * kRowSize);
        found.copy_rows(rows.data());
    }
    const std::size_t count = rows.size() / kRowSize;
    const std::size_t lists = offsets.size();
    return nb::make_tuple(make_array(std::move(rows), {count, kRowSize}),
                          make_array(std::move(offsets), {lists}));
}

nb::object encode_boards(const Boards& boards, int threads) {
    views_of(boards);
    const std::size_t count = boards.shape(0);
    std::vector<float> inputs(count * kAfterstateInputs);
    {
        const nb::gil_scoped_release release;
        static const EscapeTable table;
        solver::Workers workers(checked_threads(threads));
        workers.share(count, 256, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t i = first; i < last; ++i) {
                write_inputs(boards.data() + i * kRowSize, inputs.data() + i * kAfterstateInputs,
                             table.data());
            }
        });
    }
    return make_array(std::move(inputs), {count, kAfterstateInputs});
}

ChancesNetwork network_of(const std::vector<std::pair<Weights, Biases>>& layers) {
    std::vector<Layer> made;
    for (const auto& [weights, biases] : layers) {
        Layer layer;
        layer.below = weights.shape(0);
        layer.above = weights.shape(1);
        if (biases.shape(0) != layer.above) throw nb::value_error("the layers do not fit");
        layer.weights.assign(weights.data(), weights.data() + weights.size());
        layer.biases.assign(biases.data(), biases.data() + biases.size());
        made.push_back(std::move(layer));
    }
    return ChancesNetwork(std::move(made));
}

void append(std::vector<float>& values, const Chances& chances) {
    values.insert(values.end(), {chances.win, chances.win_gammon, chances.win_backgammon,
                                 chances.lose_gammon, chances.lose_backgammon});
}

int checked_depth(int depth) {
    if (depth < 0 || depth > kMostDepth) throw nb::value_error("the depth is 0, 1 or 2");
    return depth;
}

nb::object evaluate(const ChancesNetwork& network, const Boards& boards, int depth, int threads) {
    const std::vector<View> views = views_of(boards);
    checked_depth(depth);
    std::vector<Chances> found(views.size());
    {
        const nb::gil_scoped_release release;
        solver::Workers workers(checked_threads(threads));
        workers.share(views.size(), depth == 0 ? 64 : 1,
                      [&](std::uint64_t first, std::uint64_t last) {
                          Lookahead lookahead(network);
                          for (std::uint64_t i = first; i < last; ++i) {
                              found[i] = lookahead.evaluate(views[i], depth);
                          }
                      });
    }
    std::vector<float> values;
    for (const Chances& chances : found) append(values, chances);
    return make_array(std::move(values), {found.size(), kChances});
}

struct Ranking {
    std::vector<View> ends;
    std::vector<RankedPlay> ranked;
};

std::vector<Ranking> rank_all(const ChancesNetwork& network, const Boards& positions,
                              const Rolls& rolls, int depth, MoveFilter filter, int threads) {
    const std::vector<View> views = views_of(positions);
    check_rolls(rolls, positions);
    checked_depth(depth);
    if (filter.most < 1) throw nb::value_error("at least one move passes the filter");
    std::vector<Ranking> rankings(views.size());
    const nb::gil_scoped_release release;
    solver::Workers workers(checked_threads(threads));
    workers.share(views.size(), depth == 0 ? 16 : 1, [&](std::uint64_t first, std::uint64_t last) {
        Lookahead lookahead(network);
        const auto plays = std::make_unique<Plays>();
        for (std::uint64_t i = first; i < last; ++i) {
            plays->find(views[i], {rolls.data()[2 * i], rolls.data()[2 * i + 1]});
            for (int play = 0; play < plays->size(); ++play) {
                rankings[i].ends.push_back((*plays)[play].end);
            }
            rankings[i].ranked = lookahead.rank(*plays, depth, filter);
        }
    });
    return rankings;
}

nb::tuple rank(const ChancesNetwork& network, const Boards& positions, const Rolls& rolls,
               int depth, int most, float margin, int threads) {
    const auto rankings = rank_all(network, positions, rolls, depth, {most, margin}, threads);
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> indices;
    std::vector<std::int8_t> depths;
    std::vector<float> chances;
    for (const Ranking& ranking : rankings) {
        for (const RankedPlay& play : ranking.ranked) {
            indices.push_back(play.index);
            depths.push_back(static_cast<std::int8_t>(play.depth));
            append(chances, play.chances);
        }
        offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
    const std::size_t count = indices.size();
    const std::size_t lists = offsets.size();
    return nb::make_tuple(
        make_array(std::move(offsets), {lists}), make_array(std::move(indices), {count}),
        make_array(std::move(chances), {count, kChances}), make_array(std::move(depths), {count}));
}

nb::object choose(const ChancesNetwork& network, const Boards& positions, const Rolls& rolls,
                  int depth, int most, float margin, int threads) {
    const auto rankings = rank_all(network, positions, rolls, depth, {most, margin}, threads);
    std::vector<std::int8_t> rows;
    for (const Ranking& ranking : rankings) {
        const View& end = ranking.ends[static_cast<std::size_t>(ranking.ranked.front().index)];
        rows.insert(rows.end(), end.own.begin(), end.own.end());
        rows.insert(rows.end(), end.their.begin(), end.their.end());
    }
    return make_array(std::move(rows), {rankings.size(), kRowSize});
}

// What is played for: the points that each side needs, and its chances to win the match.
Stakes make_stakes(bool has_cube, bool jacoby, double efficiency,
                   const std::optional<Doubles>& winning_chances) {
    Stakes stakes{has_cube, jacoby, efficiency, {}, {}};
    if (winning_chances) {
        if (winning_chances->shape(0) < 2 || winning_chances->shape(1) < 2 ||
            winning_chances->shape(0) > kMostPoints || winning_chances->shape(1) > kMostPoints) {
            throw nb::value_error("each side needs a point at least");
        }
        stakes.away = {static_cast<int>(winning_chances->shape(0)) - 1,
                       static_cast<int>(winning_chances->shape(1)) - 1};
        stakes.winning_chances.assign(winning_chances->data(),
                                      winning_chances->data() + winning_chances->size());
    }
    return stakes;
}

// The value of the cube, its owner (0 the side on roll, 1 the other, -1 none), and whether the side
// on roll may double at once.
using CubeOfStart = std::tuple<int, int, bool>;

Cube checked_cube(int value, int owner) {
    if (value < 1 || value > kMaxCube || (value & (value - 1)) != 0 || owner < kNobody ||
        owner > 1 || (value > 1 && owner == kNobody)) {
        throw nb::value_error("there is no such cube");
    }
    return {value, owner};
}

std::vector<RolloutStart> starts_of(const Boards& positions,
                                    const std::vector<CubeOfStart>& cubes) {
    if (cubes.size() != positions.shape(0)) throw nb::value_error("every position needs a cube");
    std::vector<RolloutStart> starts;
    for (const View& view : views_of(positions)) {
        const auto& [value, owner, may_double] = cubes[starts.size()];
        starts.push_back({view, checked_cube(value, owner), may_double});
    }
    return starts;
}

nb::object roll_out(const ChancesNetwork& network, const Boards& positions,
                    const std::vector<CubeOfStart>& cubes, const std::optional<Stakes>& stakes,
                    std::uint64_t first, std::uint64_t count, RolloutSettings settings,
                    int threads) {
    const std::vector<RolloutStart> starts = starts_of(positions, cubes);
    checked_depth(settings.depth);
    settings.is_cubeful = stakes.has_value();
    const Stakes played_for = stakes.value_or(Stakes{});
    constexpr std::size_t kColumns = kChances + 1;
    std::vector<double> results(starts.size() * count * kColumns);
    {
        const nb::gil_scoped_release release;
        const auto caller = std::this_thread::get_id();
        solver::Workers workers(checked_threads(threads));
        workers.share(starts.size() * count, 1, [&](std::uint64_t begin, std::uint64_t end) {
            if (std::this_thread::get_id() == caller) bind::let_interrupts_through();
            RolloutPlayer player(network, played_for, settings);
            for (std::uint64_t i = begin; i < end; ++i) {
                const RolloutResult found = player.play(starts[i / count], first + i % count);
                double* row = results.data() + i * kColumns;
                std::copy(found.chances.begin(), found.chances.end(), row);
                row[kChances] = found.value;
            }
        });
    }
    return make_array(std::move(results), {starts.size(), count, kColumns});
}

RolloutSettings settings_of(std::uint64_t seed, int depth, int most, float margin, int horizon,
                            bool is_luck_removed, bool is_exact) {
    if (most < 1) throw nb::value_error("at least one move passes the filter");
    if (horizon < 0) throw nb::value_error("a horizon is a number of rolls, or 0");
    return {seed, checked_depth(depth), {most, margin}, horizon, is_luck_removed, is_exact, false};
}

nb::tuple decide_cube(const Stakes& stakes, const std::vector<float>& chances, int value, int owner,
                      int side) {
    if (chances.size() != kChances) throw nb::value_error("there are five chances");
    if (side < 0 || side > 1) throw nb::value_error("sides are 0 and 1");
    CubeModel model({chances[0], chances[1], chances[2], chances[3], chances[4]}, stakes, side);
    const CubeDecision found = model.decide(checked_cube(value, owner));
    return nb::make_tuple(found.no_double, found.double_take, found.double_drop);
}

}  // namespace

NB_MODULE(chances, m) {
    m.doc() = "Networks that estimate chances of backgammon positions, and lookahead with them.";
    m.attr("NUM_INPUTS") = kAfterstateInputs;
    m.def("expand", &expand, "positions"_a, "rolls"_a.none(), "threads"_a = 1);
    m.def("encode", &encode_boards, "boards"_a, "threads"_a = 1);
    nb::class_<Stakes>(m, "Stakes")
        .def(
            "__init__",
            [](Stakes* made, bool has_cube, bool jacoby, double efficiency,
               const std::optional<Doubles>& winning_chances) {
                new (made) Stakes(make_stakes(has_cube, jacoby, efficiency, winning_chances));
            },
            "has_cube"_a, "jacoby"_a, "efficiency"_a, "winning_chances"_a.none() = nb::none())
        .def("decide", &decide_cube, "chances"_a, "value"_a, "owner"_a, "side"_a);
    nb::class_<RolloutSettings>(m, "RolloutSettings")
        .def(
            "__init__",
            [](RolloutSettings* made, std::uint64_t seed, int depth, int most, float margin,
               int horizon, bool is_luck_removed, bool is_exact) {
                new (made) RolloutSettings(
                    settings_of(seed, depth, most, margin, horizon, is_luck_removed, is_exact));
            },
            "seed"_a, "depth"_a = 0, "most"_a = 8, "margin"_a = 0.16f, "horizon"_a = 0,
            "is_luck_removed"_a = true, "is_exact"_a = true);
    nb::class_<ChancesNetwork>(m, "ChancesNetwork")
        .def("__init__",
             [](ChancesNetwork* made, const std::vector<std::pair<Weights, Biases>>& layers) {
                 new (made) ChancesNetwork(network_of(layers));
             })
        .def("evaluate", &evaluate, "boards"_a, "depth"_a = 0, "threads"_a = 1)
        .def("rank", &rank, "positions"_a, "rolls"_a, "depth"_a = 0, "most"_a = 8,
             "margin"_a = 0.16f, "threads"_a = 1)
        .def("choose", &choose, "positions"_a, "rolls"_a, "depth"_a = 0, "most"_a = 8,
             "margin"_a = 0.16f, "threads"_a = 1)
        .def("roll_out", &roll_out, "positions"_a, "cubes"_a, "stakes"_a.none(), "first"_a,
             "count"_a, "settings"_a, "threads"_a = 1);
}
