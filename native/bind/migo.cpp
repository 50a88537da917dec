// Python's view of the prover of learned programs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "migo/hexapawn_prover.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::migo;

namespace {

Condition read_condition(const std::string& name) {
    if (name == "won") return Condition::won;
    if (name == "drawn") return Condition::drawn;
    if (name == "negation") return Condition::negation;
    if (name == "forcing") return Condition::forcing;
    throw std::invalid_argument("a condition is won, drawn, negation or forcing");
}

// Reads a board of the letters W, B and . as side `mover` sees it.
Board read_board(const HexapawnProver& prover, const std::string& cells, int mover) {
    const auto squares = static_cast<std::size_t>(prover.size() * prover.size());
    if (cells.size() != squares || mover < 0 || mover > 1) {
        throw std::invalid_argument("the board does not fit the prover");
    }
    Board board;
    const auto size = static_cast<std::size_t>(prover.size());
    for (std::size_t square = 0; square < squares; ++square) {
        if (cells[square] == '.') continue;
        const std::size_t row = square / size;
        const std::size_t seen = mover == 0 ? square : (size - 1 - row) * size + square % size;
        ((cells[square] == "WB"[mover]) ? board.own : board.other) |= Squares{1} << seen;
    }
    return board;
}

void check_concept(const HexapawnProver& prover, int number) {
    if (number < 0 || number >= prover.num_concepts()) {
        throw std::invalid_argument("there is no such concept");
    }
}

}  // namespace

NB_MODULE(migo, module) {
    module.attr("MAX_CONCEPTS") = HexapawnProver::kMaxConcepts;
    nb::class_<HexapawnProver>(module, "HexapawnProver")
        .def(nb::init<int, bool>(), "size"_a, "no_pawns_loses"_a)
        .def(
            "define",
            [](HexapawnProver& self, const std::vector<std::tuple<int, std::string, int>>& rules) {
                std::vector<Rule> read;
                for (const auto& [first, condition, second] : rules) {
                    read.push_back({first, read_condition(condition), second});
                }
                return self.define(std::move(read));
            },
            "rules"_a)
        .def(
            "holds",
            [](HexapawnProver& self, int number, const std::string& cells, int mover) {
                check_concept(self, number);
                return self.holds(number, read_board(self, cells, mover));
            },
            "number"_a, "cells"_a, "mover"_a)
        .def(
            "has_solution",
            [](HexapawnProver& self, int number, const std::string& cells, int mover) {
                check_concept(self, number);
                return self.has_solution(number, read_board(self, cells, mover));
            },
            "number"_a, "cells"_a, "mover"_a)
        .def_prop_ro("num_boards", &HexapawnProver::num_boards);
}
