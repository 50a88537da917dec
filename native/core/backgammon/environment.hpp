// One game of backgammon, one man and die at a time: the twin of ludus.games.backgammon.coding,
// which documents actions and observations.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "backgammon/playouts.hpp"
#include "common/vector_environment.hpp"
#include "gammon/afterstate_inputs.hpp"

namespace ludus::backgammon {

// How a game begins, as Rules.opening in Python.
enum class Opening : std::uint8_t { roll_off, first, any };

// The dice of a play's steps. Only where a man is borne off with a larger die than needed do the
// steps alone not tell them.
inline std::array<int, 4> dice_of_steps(const View& view, Dice dice, const Play& play) {
    const auto [high, low] = dice;
    if (high == low) return {high, high, high, high};
    for (std::size_t i = 0; i < static_cast<std::size_t>(play.length); ++i) {
        const Step& step = play.steps[i];
        if (step.end == kOff) continue;
        const int die = step.start - step.end;
        const int other = high + low - die;
        return i == 0 ? std::array{die, other, 0, 0} : std::array{other, die, 0, 0};
    }
    // If both men are borne off, the larger die can be played first.
    if (play.length == 2) return {high, low, 0, 0};
    const int start = play.steps[0].start;
    const bool has_men_behind =
        std::any_of(view.own.begin() + start + 1, view.own.end(), [](auto men) { return men > 0; });
    return {has_men_behind && start == low ? low : high, 0, 0, 0};
}

class Environment {
public:
    struct Settings {
        View start;  // the same for both sides
        Opening opening;
    };

    static constexpr int kFaces = 6;
    static constexpr int kPass = kBar * kFaces;
    static constexpr int kNumActions = kPass + 1;
    static constexpr int kMenUnits = kBar * gammon::kUnitsPerPlace + gammon::kOffUnits;
    static constexpr int kObservationSize = 2 * kMenUnits + kFaces;

    void start(const Settings& settings, Random& random) {
        view_ = settings.start;
        mover_ = 0;
        is_over_ = false;
        const auto [first, second] = throw_dice(random, settings.opening != Opening::any);
        if (settings.opening == Opening::roll_off && second > first) mover_ = 1;
        begin_turn({std::max(first, second), std::min(first, second)});
    }

    Progress act(const Settings&, int action, Random& random) {
        const int shift = 8 * num_played_;
        const auto is_other = [&](std::uint32_t line) {
            return (line >> shift & 0xFF) != static_cast<std::uint32_t>(action);
        };
        if (std::all_of(lines_.begin(), lines_.end(), is_other)) return Progress::illegal;
        std::erase_if(lines_, is_other);
        if (action != kPass) move_man(action / kFaces + 1, action % kFaces + 1);
        ++num_played_;
        if (num_played_ < kMaxSteps && (lines_[0] >> (shift + 8) & 0xFF) != kEnd) {
            return Progress::begun;
        }
        view_ = view_.turned();
        mover_ = 1 - mover_;
        is_over_ = view_.is_over();
        if (is_over_) {
            left_.fill(0);
        } else {
            begin_turn(roll(random, false));
        }
        return Progress::moved;
    }

    int mover() const { return mover_; }
    bool is_over() const { return is_over_; }
    // The side to move has lost.
    int points() const { return mover_ == 0 ? -view_.points_lost() : view_.points_lost(); }

    void mask(const Settings&, std::int8_t* mask) const {
        for (const std::uint32_t line : lines_) mask[line >> 8 * num_played_ & 0xFF] = 1;
    }

    // Several moves can begin with one action, so the actions are made a set first.
    int sample(const Settings&, Random& random) const {
        std::array<std::uint64_t, (kNumActions + 63) / 64> words{};
        for (const std::uint32_t line : lines_) {
            const std::uint32_t action = line >> 8 * num_played_ & 0xFF;
            words[action / 64] |= std::uint64_t{1} << action % 64;
        }
        std::uint32_t num_actions = 0;
        for (const std::uint64_t word : words) {
            num_actions += static_cast<std::uint32_t>(std::popcount(word));
        }
        auto k = static_cast<int>(random.fairly_below(num_actions));
        std::size_t w = 0;
        for (int size = 0; k >= (size = std::popcount(words[w])); ++w) k -= size;
        for (; k > 0; --k) words[w] &= words[w] - 1;
        return static_cast<int>(64 * w) + std::countr_zero(words[w]);
    }

    void observe(const Settings&, float* columns) const {
        gammon::InputWriter<float> inputs(columns);
        gammon::add_men(
            inputs, [&](int place) -> int { return view_.own[static_cast<std::size_t>(place)]; });
        gammon::add_men(inputs, [&](int place) -> int {
            return view_.their[static_cast<std::size_t>(kBar - place)];
        });
        for (const int num : left_) inputs.add(static_cast<float>(num));
    }

private:
    static constexpr int kMaxSteps = 4;
    static constexpr std::uint32_t kEnd = 0xFF;

    void begin_turn(Dice dice) {
        left_.fill(0);
        left_[static_cast<std::size_t>(dice.high - 1)] += dice.high == dice.low ? 4 : 1;
        if (dice.high != dice.low) left_[static_cast<std::size_t>(dice.low - 1)] += 1;
        num_played_ = 0;
        // One list for each thread: it is too large for each game to have its own.
        thread_local const auto plays = std::make_unique<Plays>();
        plays->find(view_, dice);
        lines_.clear();
        for (int i = 0; i < plays->size(); ++i) lines_.push_back(actions_of((*plays)[i], dice));
    }

    // The actions of a play, the first in the lowest byte, and kEnd after the last.
    std::uint32_t actions_of(const Play& play, Dice dice) const {
        if (play.length == 0) return kPass | 0xFFFFFF00u;
        const std::array<int, 4> used = dice_of_steps(view_, dice, play);
        std::uint32_t line = 0xFFFFFFFFu;
        for (int i = play.length - 1; i >= 0; --i) {
            const auto index = static_cast<std::size_t>(i);
            const int action = kFaces * (play.steps[index].start - 1) + used[index] - 1;
            line = line << 8 | static_cast<std::uint32_t>(action);
        }
        return line;
    }

    void move_man(int start, int die) {
        const auto from = static_cast<std::size_t>(start);
        const auto to = static_cast<std::size_t>(std::max(start - die, kOff));
        --view_.own[from];
        ++view_.own[to];
        if (to != kOff && view_.their[to] > 0) {
            --view_.their[to];
            ++view_.their[kOff];
        }
        --left_[static_cast<std::size_t>(die - 1)];
    }

    View view_;  // as the mover counts, after the actions of the move that was begun
    std::array<int, kFaces> left_{};
    std::vector<std::uint32_t> lines_;  // the legal moves that begin with these actions
    int num_played_ = 0;
    int mover_ = 0;
    bool is_over_ = false;
};

}  // namespace ludus::backgammon
