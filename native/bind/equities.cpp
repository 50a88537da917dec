// Exact values of backgammon for Python: bearing off, and games with few men a side.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "backgammon/hypergammon_solver.hpp"
#include "backgammon/one_sided_bearoff.hpp"
#include "backgammon/two_sided_bearoff.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::backgammon;

namespace {

template <typename T>
using Input = nb::ndarray<const T, nb::c_contig>;

// Hands a vector over to numpy without a copy.
template <typename T>
nb::object make_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

int checked_threads(int threads) { return std::clamp(threads, 1, 1024); }

MenIndex checked_index(int men, int points, std::size_t most) {
    if (men < 1 || men > kMaxMen || points < 1 || points > kBar) {
        throw nb::value_error("there are 1 to 15 men on 1 to 25 points");
    }
    const MenIndex index(men, points);
    if (index.size() > most) throw nb::value_error("there are too many positions");
    return index;
}

nb::object rank(const Input<std::int8_t>& sides, int men, int points) {
    const MenIndex index = checked_index(men, points, std::size_t{1} << 32);
    if (sides.ndim() != 2 || sides.shape(1) != kBar + 1) {
        throw nb::value_error("men are rows of 26 counts");
    }
    std::vector<std::uint32_t> ranks(sides.shape(0));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        Side side{};
        std::copy_n(sides.data() + i * side.size(), side.size(), side.begin());
        int total = 0;
        for (int place = 1; place <= kBar; ++place) {
            const int here = side[static_cast<std::size_t>(place)];
            if (here < 0 || (here > 0 && place > points)) throw nb::value_error("no such place");
            total += here;
        }
        if (total > men) throw nb::value_error("there are too many men");
        ranks[i] = index.rank(side);
    }
    const std::size_t count = ranks.size();
    return make_array(std::move(ranks), {count});
}

nb::object unrank(const Input<std::uint32_t>& ranks, int men, int points) {
    const MenIndex index = checked_index(men, points, std::size_t{1} << 32);
    std::vector<std::int8_t> sides;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks.data()[i] >= index.size()) throw nb::value_error("there is no such number");
        const Side side = index.unrank(ranks.data()[i]);
        sides.insert(sides.end(), side.begin(), side.end());
    }
    return make_array(std::move(sides), {ranks.size(), kBar + 1});
}

nb::object one_sided(int men, int points, int width, int threads) {
    checked_index(men, points, 10'000'000);
    if (width < 2 || width > 256) throw nb::value_error("there are 2 to 256 columns");
    OneSidedBearoff solver(men, points, width);
    {
        const nb::gil_scoped_release release;
        solver.solve(checked_threads(threads));
    }
    const std::size_t rows = solver.size(), columns = static_cast<std::size_t>(width);
    const auto spread = [&](const RollTable& table) {
        std::vector<float> values(rows * columns);
        table.spread(columns, values.data());
        return make_array(std::move(values), {rows, columns});
    };
    return nb::make_tuple(spread(solver.all()), spread(solver.first()));
}

nb::object two_sided(int men, int points, bool are_all, int threads) {
    checked_index(men, points, 100'000);
    std::vector<float> equities;
    std::size_t size = 0;
    {
        const nb::gil_scoped_release release;
        TwoSidedBearoff solver(men, points, are_all);
        solver.solve(checked_threads(threads));
        equities = std::move(solver.equities());
        size = solver.size();
    }
    return make_array(std::move(equities), {kCubes, size, size});
}

std::uint64_t verify_two_sided(const Input<float>& equities, int men, int points, bool are_all,
                               int threads) {
    const std::size_t size = checked_index(men, points, 100'000).size();
    if (equities.size() != size * size && equities.size() != kCubes * size * size) {
        throw nb::value_error("not as many equities as positions");
    }
    const std::span<const float> values(equities.data(), equities.size());
    const nb::gil_scoped_release release;
    TwoSidedBearoff solver(men, points, are_all);
    return solver.verify(values, checked_threads(threads));
}

// One thread works at a time, and while the others wait Python goes on.
struct Turn {
    explicit Turn(std::mutex& mutex) : lock(mutex) {}

    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> lock;
};

class Hypergammon {
public:
    Hypergammon(int men, int threads) : solver_(checked_men(men), checked_threads(threads)) {}

    std::size_t size() const { return solver_.tables().size(); }

    double sweep() {
        const Turn turn(working_);
        return solver_.sweep();
    }

    void choose() {
        const Turn turn(working_);
        solver_.choose();
        has_stored_ = has_chances_ = true;
    }

    double sweep_chances() {
        const Turn turn(working_);
        if (!has_chances_) throw nb::value_error("choose() comes before chances");
        return solver_.sweep_chances();
    }

    std::pair<double, double> find_errors() {
        const Turn turn(working_);
        if (!has_stored_) throw nb::value_error("choose() or load() comes before errors");
        return solver_.find_errors();
    }

    nb::object equities() {
        std::vector<float> values(size() * size());
        {
            const Turn turn(working_);
            solver_.read_equities(values);
        }
        return make_array(std::move(values), {size(), size()});
    }

    nb::object chances() {
        std::vector<float> values(kStoredChances * size() * size());
        {
            const Turn turn(working_);
            if (!has_chances_) throw nb::value_error("choose() comes before chances");
            solver_.read_chances(values);
        }
        return make_array(std::move(values), {kStoredChances, size(), size()});
    }

    void load(const Input<float>& equities, const Input<float>& chances) {
        const std::size_t plane = size() * size();
        if (equities.size() != plane ||
            (chances.size() != 0 && chances.size() != kStoredChances * plane))
            throw nb::value_error("not as many values as positions");
        const Turn turn(working_);
        solver_.load({equities.data(), equities.size()}, {chances.data(), chances.size()});
        has_stored_ = true;
        has_chances_ = false;
    }

private:
    static int checked_men(int men) {
        if (men < 1 || men > 3) throw nb::value_error("1 to 3 men a side can be solved here");
        return men;
    }

    HyperSolver solver_;
    std::mutex working_;
    std::atomic<bool> has_stored_ = false;   // equities as they are stored, loaded or chosen by
    std::atomic<bool> has_chances_ = false;  // chances that follow from chosen plays
};

}  // namespace

NB_MODULE(equities, m) {
    m.doc() = "Exact values of backgammon: bearing off, and games with few men a side.";
    m.def("rank", &rank, "sides"_a, "men"_a, "points"_a);
    m.def("unrank", &unrank, "ranks"_a, "men"_a, "points"_a);
    m.def("one_sided", &one_sided, "men"_a, "points"_a, "width"_a, "threads"_a = 1);
    m.def("two_sided", &two_sided, "men"_a, "points"_a, "are_all"_a = false, "threads"_a = 1);
    m.def("verify_two_sided", &verify_two_sided, "equities"_a, "men"_a, "points"_a,
          "are_all"_a = false, "threads"_a = 1);
    nb::class_<Hypergammon>(m, "Hypergammon")
        .def(nb::init<int, int>(), "men"_a, "threads"_a = 1)
        .def_prop_ro("size", &Hypergammon::size)
        .def("sweep", &Hypergammon::sweep)
        .def("choose", &Hypergammon::choose)
        .def("sweep_chances", &Hypergammon::sweep_chances)
        .def("find_errors", &Hypergammon::find_errors)
        .def("equities", &Hypergammon::equities)
        .def("chances", &Hypergammon::chances)
        .def("load", &Hypergammon::load, "equities"_a, "chances"_a);
}
