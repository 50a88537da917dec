// Games played out from a position, with the luck of the dice taken away.
//
// Before every roll the best moves of all 21 rolls are looked up. How much better the roll is than
// the mean of all is luck, and is subtracted from the result of the game: its mean stays what it
// was, since luck is 0 on average, and its variance falls by as much as the estimates are right.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backgammon/men_plays.hpp"
#include "gammon/contest.hpp"
#include "gammon/cube.hpp"
#include "gammon/exact_races.hpp"
#include "gammon/lookahead.hpp"

namespace ludus::gammon {

// A position before a roll; sides are numbered from the one on roll.
struct RolloutStart {
    View view;
    Cube cube;
    bool may_double = false;  // before the first roll; later both sides may
};

struct RolloutSettings {
    std::uint64_t seed = 0;
    int depth = 0;  // to which moves are chosen
    MoveFilter filter;
    int horizon = 0;  // rolls after which games are estimated, or 0 for none
    bool is_luck_removed = true;
    bool is_exact = true;  // whether games end where they are exactly known
    bool is_cubeful = false;
};

// Of the side on roll at the start.
struct RolloutResult {
    std::array<double, kChances> chances{};
    double value = 0;  // points; in a match the chance to win it
};

// The dice of one game. Of each 36 games in a row each has another first roll, and another second
// one; of each 1296 each has another pair of them. Later rolls are independent. The dice depend on
// the number of the game alone, so that several positions are played with the same ones.
class RolloutDice {
public:
    RolloutDice(std::uint64_t seed, std::uint64_t game) : random_(random_of(seed, game)) {
        Random order(random_of(~seed, game / (kRolls36 * kRolls36)));
        const auto first = permutation(order);
        const auto second = permutation(order);
        const auto shift = permutation(order);
        const std::size_t in_row = game % kRolls36;
        const std::size_t row = game / kRolls36 % kRolls36;
        rolls_ = {first[in_row],
                  second[(in_row + static_cast<std::size_t>(shift[row])) % kRolls36]};
    }

    Dice roll(int turn) {
        // Every roll takes a number, so that the later ones do not depend on the first two.
        const auto drawn = static_cast<int>(random_.fairly_below(kRolls36));
        const int roll = turn < 2 ? rolls_[static_cast<std::size_t>(turn)] : drawn;
        const int one = 1 + roll / 6;
        const int other = 1 + roll % 6;
        return {std::max(one, other), std::min(one, other)};
    }

private:
    static constexpr std::uint32_t kRolls36 = 36;

    static std::array<int, kRolls36> permutation(Random& random) {
        std::array<int, kRolls36> order{};
        for (std::uint32_t i = 0; i < kRolls36; ++i) {
            order[i] = static_cast<int>(i);
        }
        for (std::uint32_t i = kRolls36 - 1; i > 0; --i) {
            std::swap(order[i], order[random.fairly_below(i + 1)]);
        }
        return order;
    }

    Random random_;
    std::array<int, 2> rolls_{};
};

// The place of a roll in kWeightedRolls.
inline std::size_t number_of(Dice dice) {
    return static_cast<std::size_t>(dice.high * (dice.high - 1) / 2 + dice.low - 1);
}

// Plays games from one position after the other. One per thread.
class RolloutPlayer {
public:
    RolloutPlayer(const ChancesNetwork& network, const Stakes& stakes,
                  const RolloutSettings& settings)
        : stakes_(stakes),
          settings_(settings),
          lookahead_(network, settings.is_exact ? &ExactRaces::shared() : nullptr),
          plays_(std::make_unique<Plays>()) {}

    RolloutResult play(const RolloutStart& start, std::uint64_t game) {
        RolloutDice dice(settings_.seed, game);
        luck_ = {};
        view_ = start.view;
        cube_ = start.cube;
        side_ = 0;
        for (int turn = 0;; ++turn, side_ = 1 - side_, view_ = next_.turned()) {
            if (view_.is_over()) return finish(ended());
            const bool may_double = settings_.is_cubeful && (turn > 0 || start.may_double) &&
                                    stakes_.can_double(cube_, side_);
            if (is_exactly_known(view_)) {
                const double value = exact_value(view_, side_, may_double);
                return finish({ExactRaces::shared().evaluate(view_), value});
            }
            const bool is_at_horizon = turn > 0 && turn == settings_.horizon;
            const std::size_t rolled = number_of(dice.roll(turn));
            const bool looks_at_all = settings_.is_luck_removed || may_double || is_at_horizon;
            look(looks_at_all ? kAllRolls : rolled);
            if (is_at_horizon) return finish(estimated(mean_of_best()));
            if (may_double && offer_double()) return finish(dropped_);
            move(rolled);
        }
    }

private:
    static constexpr std::size_t kRolls = backgammon::kWeightedRolls.size();
    static constexpr std::size_t kAllRolls = kRolls;

    struct Found {
        View end;
        Chances chances;
    };

    // What a game has come to, for the side on roll.
    struct Worth {
        Chances chances;
        double value = 0;
    };

    // At a match score the cube is an estimate to the end.
    bool is_exactly_known(const View& view) const {
        return settings_.is_exact && ExactRaces::contains(view) &&
               !(settings_.is_cubeful && (stakes_.is_match() || !stakes_.has_cube));
    }

    // The points of a side on roll.
    double exact_value(const View& view, int side, bool may_double) const {
        const backgammon::CubeEquities roll = ExactRaces::shared().equities(view);
        if (!settings_.is_cubeful) return static_cast<double>(roll.of[backgammon::kNoCube]);
        const backgammon::Cube cube = cube_.owner == kNobody ? backgammon::kCentredCube
                                      : cube_.owner == side  ? backgammon::kOwnCube
                                                             : backgammon::kTheirCube;
        const auto& found = may_double ? backgammon::decide_cube(roll) : roll;
        return cube_.value * static_cast<double>(found.of[cube]);
    }

    Worth ended() const {
        const Chances lost = won_chances(view_.turned()).flipped();
        if (!settings_.is_cubeful) return {lost, lost.equity()};
        return {lost, stakes_.ending(side_, cube_.value, view_.points_lost(), false)};
    }

    // The side on roll has these chances.
    Worth estimated(const Chances& chances) const {
        if (!settings_.is_cubeful) return {chances, chances.equity()};
        return {chances, CubeModel(chances, stakes_, side_).value(cube_)};
    }

    // The value of a board to the side that has just moved.
    double value_after(const Found& found) const {
        if (!settings_.is_cubeful) return found.chances.equity();
        if (has_won(found.end)) {
            return stakes_.ending(side_, cube_.value, found.end.turned().points_lost(), true);
        }
        const int other = 1 - side_;
        if (is_exactly_known(found.end)) {
            const bool may_double = stakes_.can_double(cube_, other);
            return -exact_value(found.end.turned(), other, may_double);
        }
        return stakes_.flipped(CubeModel(found.chances.flipped(), stakes_, other).value(cube_));
    }

    // Lists the moves of one roll, or of all, with the chances after them.
    void look(std::size_t roll) {
        lookahead_.restart();
        for (std::size_t number = 0; number < kRolls; ++number) {
            auto& found = found_[number];
            found.clear();
            if (roll != kAllRolls && roll != number) continue;
            plays_->find(view_, backgammon::kWeightedRolls[number].dice);
            for (int i = 0; i < plays_->size(); ++i) {
                const View& end = (*plays_)[i].end;
                found.push_back({end, lookahead_.evaluate_next(end, 0)});
            }
        }
    }

    // The chances before the roll, each roll played best without the cube.
    Chances mean_of_best() const {
        Chances mean;
        for (std::size_t number = 0; number < kRolls; ++number) {
            const Found* best = &found_[number].front();
            for (const Found& each : found_[number]) {
                if (each.chances.equity() > best->chances.equity()) best = &each;
            }
            mean.add(best->chances,
                     static_cast<float>(backgammon::kWeightedRolls[number].probability));
        }
        return mean;
    }

    // Doubles if that is right; returns whether the other side drops.
    bool offer_double() {
        const Chances mean = mean_of_best();
        const CubeDecision decision = CubeModel(mean, stakes_, side_).decide(cube_);
        if (!decision.is_double()) return false;
        if (!decision.is_take()) {
            dropped_ = {mean, decision.double_drop};
            return true;
        }
        cube_ = {2 * cube_.value, 1 - side_};
        return false;
    }

    // Among moves of one value, as where the other side drops a double after both, the one that
    // is better without the cube.
    std::pair<std::size_t, double> find_best(const std::vector<Found>& found) const {
        std::pair<std::size_t, double> best{0, value_after(found.front())};
        for (std::size_t i = 1; i < found.size(); ++i) {
            const double value = value_after(found[i]);
            if (value < best.second) continue;
            const float equity = found[i].chances.equity();
            if (value > best.second || equity > found[best.first].chances.equity()) {
                best = {i, value};
            }
        }
        return best;
    }

    // Plays the roll, and counts its luck.
    void move(std::size_t rolled) {
        if (settings_.is_luck_removed) {
            for (std::size_t number = 0; number < kRolls; ++number) {
                const auto [best, value] = find_best(found_[number]);
                const double probability = backgammon::kWeightedRolls[number].probability;
                const double weight = (number == rolled ? 1.0 : 0.0) - probability;
                add_luck({found_[number][best].chances, value}, weight);
                if (number == rolled) next_ = found_[number][best].end;
            }
        } else if (settings_.depth == 0) {
            next_ = found_[rolled][find_best(found_[rolled]).first].end;
        }
        if (settings_.depth > 0) next_ = look_deeper(rolled);
    }

    // The best move by a deeper look at those that pass the filter.
    View look_deeper(std::size_t rolled) {
        plays_->find(view_, backgammon::kWeightedRolls[rolled].dice);
        const auto ranked = lookahead_.rank(*plays_, settings_.depth, settings_.filter);
        std::vector<Found> deepest;
        for (const RankedPlay& play : ranked) {
            if (play.depth < ranked.front().depth) break;
            deepest.push_back({(*plays_)[play.index].end, play.chances});
        }
        return deepest[find_best(deepest).first].end;
    }

    // Adds to the luck of side 0 what the side that moves has.
    void add_luck(const Worth& worth, double weight) {
        const RolloutResult seen = from_start(worth);
        for (std::size_t i = 0; i < kChances; ++i) {
            luck_.chances[i] += weight * seen.chances[i];
        }
        luck_.value += weight * seen.value;
    }

    RolloutResult from_start(const Worth& worth) const {
        const Chances seen = side_ == 0 ? worth.chances : worth.chances.flipped();
        const double value = side_ == 0             ? worth.value
                             : settings_.is_cubeful ? stakes_.flipped(worth.value)
                                                    : -worth.value;
        return {{seen.win, seen.win_gammon, seen.win_backgammon, seen.lose_gammon,
                 seen.lose_backgammon},
                value};
    }

    RolloutResult finish(const Worth& worth) const {
        RolloutResult result = from_start(worth);
        for (std::size_t i = 0; i < kChances; ++i) {
            result.chances[i] -= luck_.chances[i];
        }
        result.value -= luck_.value;
        return result;
    }

    const Stakes& stakes_;
    const RolloutSettings& settings_;
    Lookahead lookahead_;
    std::unique_ptr<Plays> plays_;
    std::array<std::vector<Found>, kRolls> found_;

    // The game that is played.
    View view_;   // of the side on roll
    View next_;   // after its move
    Cube cube_;
    int side_ = 0;
    RolloutResult luck_;
    Worth dropped_;
};

}  // namespace ludus::gammon
