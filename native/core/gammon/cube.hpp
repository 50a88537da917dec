// The doubling cube by Janowski's method: the twin of CubeModel in ludus.games.backgammon.cube.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "gammon/chances_network.hpp"

namespace ludus::gammon {

inline constexpr int kNobody = -1;
inline constexpr int kMaxCube = 4096;

// Sides are numbered from the one on roll where the games begin, 0, on.
struct Cube {
    int value = 1;
    int owner = kNobody;
};

// What is the same in a whole game: the score and the rules of the cube.
struct Stakes {
    bool has_cube = false;
    bool jacoby = false;
    double efficiency = 0;
    // Points that each side needs to win the match, or 0 for money.
    std::array<int, 2> away{};
    // In a match the chance of side 0 to win it when this game is over, by the points that side 0
    // needs then (rows) and those that side 1 needs.
    std::vector<double> winning_chances;

    bool is_match() const { return away[0] > 0; }

    // The chance to win the match, or points for money, of a side that has won or lost points.
    double value_of(int side, int points, bool is_won) const {
        if (!is_match()) return is_won ? points : -points;
        std::array<int, 2> left = away;
        int& gaining = left[static_cast<std::size_t>(is_won ? side : 1 - side)];
        gaining = std::max(gaining - points, 0);
        const double chance =
            winning_chances[static_cast<std::size_t>(left[0] * (away[1] + 1) + left[1])];
        return side == 0 ? chance : 1 - chance;
    }

    // The other side's value.
    double flipped(double value) const { return is_match() ? 1 - value : -value; }

    bool can_double(Cube cube, int side) const {
        if (is_match() && cube.value >= away[static_cast<std::size_t>(side)]) return false;
        const bool is_free = cube.value == 1 || cube.owner == kNobody || cube.owner == side;
        return has_cube && is_free && cube.value < kMaxCube;
    }

    // The value to a side of a win or a loss: level 1 is a single game, 3 a backgammon.
    double ending(int side, int cube_value, int level, bool is_won) const {
        return value_of(side, cube_value * (jacoby && cube_value == 1 ? 1 : level), is_won);
    }
};

struct CubeDecision {
    double no_double = 0;
    double double_take = 0;
    double double_drop = 0;

    bool is_double() const { return std::min(double_take, double_drop) > no_double; }
    bool is_take() const { return double_take <= double_drop; }
    double best() const { return std::max(no_double, std::min(double_take, double_drop)); }
};

// Values of one position, whose chances are those of `side`, before its roll.
class CubeModel {
public:
    CubeModel(const Chances& chances, const Stakes& stakes, int side)
        : stakes_(stakes), side_(side) {
        of_[0].chances = {chances.win, chances.win_gammon, chances.win_backgammon,
                          chances.lose_gammon, chances.lose_backgammon};
        const auto& [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] =
            of_[0].chances;
        of_[1].chances = {1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon};
    }

    double evaluate(Cube cube) {
        const double chance = of_[0].chances[0];
        const Results found = results(0, cube.value);
        const double dead = chance * found.win_mean + (1 - chance) * found.lose_mean;
        const bool is_own = cube.owner == kNobody || cube.owner == side_;
        const bool is_theirs = cube.owner == kNobody || cube.owner == 1 - side_;
        const bool is_alive = (is_own && stakes_.can_double(cube, side_)) ||
                              (is_theirs && stakes_.can_double(cube, 1 - side_));
        if (!is_alive) return dead;
        // Between its own and the other's cash points the live cube's value is linear in the
        // chance.
        std::array<std::pair<double, double>, 4> points{};
        std::size_t count = 0;
        points[count++] = {0, found.lose_mean};
        if (is_theirs) points[count++] = {1 - cash_point(1, cube.value), found.lose};
        if (is_own) points[count++] = {cash_point(0, cube.value), found.win};
        points[count++] = {1, found.win_mean};
        std::sort(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count));
        const double live = interpolate(points, count, chance);
        return (1 - stakes_.efficiency) * dead + stakes_.efficiency * live;
    }

    CubeDecision decide(Cube cube) {
        return {evaluate(cube), evaluate({2 * cube.value, 1 - side_}),
                stakes_.ending(side_, cube.value, 1, true)};
    }

    // The value before the roll, by the better of doubling and not doubling.
    double value(Cube cube) {
        return stakes_.can_double(cube, side_) ? decide(cube).best() : evaluate(cube);
    }

private:
    struct Results {
        double win = 0;
        double lose = 0;
        double win_mean = 0;
        double lose_mean = 0;
    };

    static constexpr std::size_t kCubes = 14;  // up to one doubling beyond the last one

    // What the side on roll (0) or the other one (1) has.
    struct Of {
        std::array<double, kChances> chances{};
        std::array<Results, kCubes> results{};
        std::array<bool, kCubes> has_results{};
        std::array<std::optional<double>, kCubes> cash_point{};
    };

    int side_of(std::size_t which) const { return which == 0 ? side_ : 1 - side_; }

    static std::size_t level(int value) {
        return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(value)));
    }

    // The winning chance from which the other side drops a double of a live cube; 1 if the side
    // cannot double.
    double cash_point(std::size_t which, int value) {
        std::optional<double>& known = of_[which].cash_point[level(value)];
        if (!known) known = find_cash_point(which, value);
        return *known;
    }

    double find_cash_point(std::size_t which, int value) {
        const int side = side_of(which);
        if (!stakes_.can_double({value, value > 1 ? side : kNobody}, side)) return 1;
        const Results doubled = results(which, 2 * value);
        const double drop = results(which, value).win;
        // After the take the other side wins with the cube at its own cash point.
        const double redouble = 1 - cash_point(1 - which, 2 * value);
        const double bottom = redouble > 0 ? doubled.lose : doubled.lose_mean;
        const double slope = doubled.win_mean - bottom;
        if (slope <= 0) return 1;
        const double point = redouble + (1 - redouble) * (drop - bottom) / slope;
        return std::min(std::max(point, redouble), 1.0);
    }

    Results results(std::size_t which, int value) {
        Of& of = of_[which];
        const std::size_t at = level(value);
        if (!of.has_results[at]) {
            of.results[at] = find_results(which, value);
            of.has_results[at] = true;
        }
        return of.results[at];
    }

    Results find_results(std::size_t which, int value) const {
        const auto& [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] =
            of_[which].chances;
        std::array<double, 3> wins{};
        std::array<double, 3> losses{};
        for (int points = 1; points <= 3; ++points) {
            const auto at = static_cast<std::size_t>(points - 1);
            wins[at] = stakes_.ending(side_of(which), value, points, true);
            losses[at] = stakes_.ending(side_of(which), value, points, false);
        }
        return {wins[0], losses[0], average(wins, win, win_gammon, win_backgammon),
                average(losses, 1 - win, lose_gammon, lose_backgammon)};
    }

    static double average(const std::array<double, 3>& values, double total, double gammons,
                          double backgammons) {
        if (total <= 0) return values[0];
        const double single = std::max(total - gammons, 0.0);
        const double twice = std::max(gammons - backgammons, 0.0);
        return (single * values[0] + twice * values[1] + backgammons * values[2]) / total;
    }

    static double interpolate(const std::array<std::pair<double, double>, 4>& points,
                              std::size_t count, double at) {
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const auto [left, low] = points[i];
            const auto [right, high] = points[i + 1];
            if (at <= right) {
                return right <= left ? low : low + (high - low) * (at - left) / (right - left);
            }
        }
        return points[count - 1].second;
    }

    const Stakes& stakes_;
    int side_;
    std::array<Of, 2> of_;
};

}  // namespace ludus::gammon
