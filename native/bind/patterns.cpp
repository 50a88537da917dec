// Python's view of the Fuzzy player: a network's knowledge, weights of moves, and whole games.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bind/heuristics.hpp"
#include "bind/rules.hpp"
#include "bind/state.hpp"
#include "bind/tally.hpp"
#include "patterns/games.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::bind;
using namespace ludus::patterns;

namespace {

Rules checked_rules(nb::handle object) {
    const Rules rules = ludus::bind::read_rules(object);
    require(rules.men <= ludus::morris::kMaxMen, "rules may give each side at most 12 men");
    return rules;
}

Take read_take(const std::string& name) {
    if (name == "random") return Take::random;
    if (name == "share") return Take::share;
    require(name == "best", "a man is taken by random, share or best");
    return Take::best;
}

using Edges = std::vector<std::pair<Pattern, Pattern>>;

std::bitset<kPatterns * kPatterns> read_edges(const Edges& edges) {
    std::bitset<kPatterns * kPatterns> found;
    for (const auto& [before, after] : edges) {
        require(before < kPatterns && after < kPatterns, "patterns are numbered from 0 to 511");
        found.set(Knowledge::edge(before, after));
    }
    return found;
}

class Fuzzy {
public:
    Fuzzy(nb::object rules, const std::vector<double>& scores, const Edges& edges,
          const std::optional<Edges>& threat_edges, double rate_threshold, double move_threshold,
          bool corners, bool leaves, bool defends, const std::string& take)
        : rules_(checked_rules(rules)), knowledge_(std::make_unique<Knowledge>()) {
        require(scores.size() == kPatterns, "there are 512 patterns");
        require(std::all_of(scores.begin(), scores.end(),
                            [](double score) { return score >= 0 && score < 1e300; }),
                "scores are numbers from 0 to 1e300");
        for (const double threshold : {rate_threshold, move_threshold}) {
            require(threshold >= 0 && threshold <= 1e6, "thresholds are numbers from 0 to 1e6");
        }
        std::copy(scores.begin(), scores.end(), knowledge_->scores.begin());
        knowledge_->edges = read_edges(edges);
        if (threat_edges) {
            knowledge_->threats = read_edges(*threat_edges);
        } else {
            knowledge_->threats.set();
        }
        knowledge_->rate_threshold = rate_threshold;
        knowledge_->move_threshold = move_threshold;
        knowledge_->corners = corners;
        knowledge_->leaves = leaves;
        knowledge_->defends = defends;
        knowledge_->take = read_take(take);
    }

    // The weight of each move, in the order of legal_moves; empty where the mover can only pass.
    std::vector<double> weights(Boards men, Hands hands, std::uint8_t mover) const {
        return FuzzyMoves(rules_, checked(rules_, men, hands, mover), *knowledge_).weights();
    }

    const Knowledge* knowledge() const { return knowledge_.get(); }

private:
    Rules rules_;
    std::unique_ptr<Knowledge> knowledge_;
};

using Named = std::variant<std::string, const Fuzzy*>;

Side read_side(const Named& named) {
    if (const auto* fuzzy = std::get_if<const Fuzzy*>(&named)) {
        require(*fuzzy != nullptr, "there is no player");
        return (*fuzzy)->knowledge();
    }
    return ludus::bind::read_heuristic(std::get<std::string>(named));
}

nb::dict python_games(nb::object rules_object, Boards men, Hands hands, std::uint8_t mover,
                      const Named& first, const Named& second, std::uint64_t number,
                      std::uint64_t seed, int threads, int max_plies) {
    require(threads >= 1, "threads must be at least 1");
    require(max_plies >= 0, "max_plies must not be negative");
    const Rules rules = checked_rules(rules_object);
    const ludus::morris::Position start{checked(rules, men, hands, mover), 1, 0, {}};
    const std::array<Side, 2> sides{read_side(first), read_side(second)};
    ludus::morris::Tally tally;
    {
        nb::gil_scoped_release release;
        tally =
            games(rules, start, sides, number, seed, threads, max_plies, let_interrupts_through);
    }
    return ludus::bind::python_tally(tally);
}

Pattern python_pattern(Bits men, int quadrant) {
    require((men & ~ludus::morris::kAll) == 0, "a board has bits 0 to 23");
    require(0 <= quadrant && quadrant < kQuadrants, "quadrants are numbered from 0 to 3");
    return pattern(men, quadrant);
}

}  // namespace

NB_MODULE(patterns, m) {
    m.doc() = "The Fuzzy player in C++: the twin of ludus.learn.patterns.inference.";
    nb::class_<Fuzzy>(m, "Fuzzy", nb::is_final())
        .def(nb::init<nb::object, const std::vector<double>&, const Edges&,
                      const std::optional<Edges>&, double, double, bool, bool, bool,
                      const std::string&>(),
             "rules"_a, "scores"_a, "edges"_a, "threat_edges"_a.none(), "rate_threshold"_a = 2.0,
             "move_threshold"_a = 0.0, "corners"_a = true, "leaves"_a = false, "defends"_a = true,
             "take"_a = "random")
        .def("weights", &Fuzzy::weights, "men"_a, "hands"_a, "mover"_a);
    m.def("games", &python_games, "rules"_a, "men"_a, "hands"_a, "mover"_a, "first"_a, "second"_a,
          "games"_a, "seed"_a = 0, "threads"_a = 1, "max_plies"_a = 10'000);
    m.def("pattern", &python_pattern, "men"_a, "quadrant"_a);
}
