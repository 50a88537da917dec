// Solved endings for a search: tables of the solver, owned by the caller.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "search/score.hpp"
#include "solver/sector.hpp"

namespace ludus::search {

class Endgames {
public:
    // The maximum number of men of each side.
    explicit Endgames(int max_men) : orbits_(max_men) {}

    // The values of a sector without men in hand, for X to move or for Y; as many as its slots.
    void add(int x, int y, bool x_to_move, const solver::Value* values) {
        Half& half = at(x, y, x_to_move);
        half.shape.emplace(solver::SectorId{x, y, 0, 0}, orbits_);
        half.values = values;
    }

    std::uint64_t slots(int x, int y) const {
        return solver::Table(solver::SectorId{x, y, 0, 0}, orbits_).slots();
    }

    // What the mover can force from here, at a given distance from the root, if it is known.
    std::optional<Score> probe(const morris::State& s, int ply) const {
        if ((s.hand[0] | s.hand[1]) != 0) return std::nullopt;
        const morris::Bits own = s.own(), other = s.other();
        const auto [id, mover_is_x] =
            solver::oriented(morris::count(own), morris::count(other), 0, 0);
        if (id.x > kMost) return std::nullopt;
        const Half& half = at(id.x, id.y, mover_is_x);
        if (half.values == nullptr) return std::nullopt;
        const solver::Value value =
            half.values[mover_is_x ? solver::slot(orbits_, *half.shape, own, other)
                                   : solver::slot(orbits_, *half.shape, other, own)];
        if (value == solver::kDraw) return 0;
        return solver::is_win(value) ? won_in(ply + value) : lost_in(ply + value);
    }

    static constexpr int kMost = morris::kMaxMen;

private:
    struct Half {
        std::optional<solver::Table> shape;  // without values; tells where positions are
        const solver::Value* values = nullptr;
    };

    const Half& at(int x, int y, bool x_to_move) const {
        return halves_[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)][x_to_move ? 1 : 0];
    }
    Half& at(int x, int y, bool x_to_move) {
        return halves_[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)][x_to_move ? 1 : 0];
    }

    solver::Orbits orbits_;
    std::array<std::array<std::array<Half, 2>, kMost + 1>, kMost + 1> halves_;
};

}  // namespace ludus::search
