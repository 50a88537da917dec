// Every board a roll can lead to: the compiled twin of reference.py, in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backgammon/view.hpp"
#include "common/random.hpp"

namespace ludus::backgammon {

struct Dice {
    int high;
    int low;
};

// One man moved by one die, on places as the mover counts.
struct Step {
    std::int8_t start = 0;
    std::int8_t end = 0;
    bool hit = false;

    bool operator==(const Step&) const = default;
};

using Steps = std::array<Step, 4>;

struct Play {
    View end;
    Steps steps{};
    int length = 0;
};

// A number per man and place; a board's key is the sum over its men, so that a step changes it in
// a few additions.
struct Keys {
    std::array<std::uint64_t, 26> own{};
    std::array<std::uint64_t, 26> their{};

    constexpr Keys() {
        Random random(26);
        for (auto& key : own) {
            key = random.next();
        }
        for (auto& key : their) {
            key = random.next();
        }
    }
};

inline constexpr Keys kKeys{};

// The legal plays of one roll. Large, and meant to be used again and again: finding plays takes
// no memory beyond it.
class Plays {
public:
    void find(const View& view, Dice dice) {
        view_ = view;
        key_ = 0;
        size_ = 0;
        longest_ = 0;
        if (dice.high == dice.low) {
            order_ = {dice.high, dice.high, dice.high, dice.high};
            search(4, 1);
        } else {
            order_ = {dice.high, dice.low};
            search(2, 1);
            // With the larger die playable, the smaller one alone is not enough.
            order_ = {dice.low, dice.high};
            search(2, longest_ == 1 ? 2 : 1);
        }
        if (size_ == 0) {
            add(0);
        }
    }

    int size() const { return static_cast<int>(size_); }
    const Play& operator[](int index) const { return plays_[static_cast<std::size_t>(index)]; }

private:
    // Each of 15 men makes some of four steps, and men are alike: 18 choose 4.
    static constexpr std::size_t kMost = 3060;

    // Open addressing; an entry counts only if it carries the stamp of the present search.
    static constexpr std::size_t kSlots = 8192;
    struct Slot {
        std::uint32_t stamp = 0;
        std::uint32_t index = 0;
    };

    void search(int num_dice, int enough) {
        num_dice_ = num_dice;
        enough_ = enough;
        extend(0, kBar);
    }

    // Plays the remaining dice in every way, each step from no further back than the one before:
    // the man furthest back can always go first.
    void extend(int length, int rearmost) {
        bool is_stuck = true;
        if (length < num_dice_) {
            const int die = order_[static_cast<std::size_t>(length)];
            const int last = view_.own[kBar] > 0 ? kBar : 1;
            for (int start = rearmost; start >= last; --start) {
                if (can_step(start, die)) {
                    is_stuck = false;
                    const Step step = do_step(start, die);
                    steps_[static_cast<std::size_t>(length)] = step;
                    extend(length + 1, start);
                    undo_step(step);
                }
            }
        }
        if (is_stuck && length > 0) {
            record(length);
        }
    }

    bool can_step(int start, int die) const {
        if (own(start) == 0) {
            return false;
        }
        const int end = start - die;
        return end > kOff ? their(end) <= 1 : may_bear_off(start, die);
    }

    bool may_bear_off(int start, int die) const {
        for (int place = start == die ? kHome + 1 : start + 1; place <= kBar; ++place) {
            if (own(place) > 0) {
                return false;
            }
        }
        return true;
    }

    Step do_step(int start, int die) {
        const int end = std::max(start - die, kOff);
        const bool hit = end != kOff && their(end) == 1;
        shift(view_.own, kKeys.own, start, end);
        if (hit) {
            shift(view_.their, kKeys.their, end, kOff);
        }
        return {static_cast<std::int8_t>(start), static_cast<std::int8_t>(end), hit};
    }

    void undo_step(const Step& step) {
        if (step.hit) {
            shift(view_.their, kKeys.their, kOff, step.end);
        }
        shift(view_.own, kKeys.own, step.end, step.start);
    }

    void shift(Side& men, const std::array<std::uint64_t, 26>& keys, int from, int to) {
        const auto start = static_cast<std::size_t>(from);
        const auto end = static_cast<std::size_t>(to);
        --men[start];
        ++men[end];
        key_ += keys[end] - keys[start];
    }

    void record(int length) {
        if (length < longest_ || length < enough_) {
            return;
        }
        if (length > longest_) {
            longest_ = length;
            size_ = 0;
            forget();
        }
        std::size_t slot = key_ % kSlots;
        for (; slots_[slot].stamp == stamp_; slot = (slot + 1) % kSlots) {
            if (plays_[slots_[slot].index].end == view_) {
                return;
            }
        }
        slots_[slot] = {stamp_, static_cast<std::uint32_t>(size_)};
        add(length);
    }

    void add(int length) { plays_[size_++] = {view_, steps_, length}; }

    void forget() {
        if (++stamp_ == 0) {
            slots_.fill({});
            stamp_ = 1;
        }
    }

    int own(int place) const { return view_.own[static_cast<std::size_t>(place)]; }
    int their(int place) const { return view_.their[static_cast<std::size_t>(place)]; }

    View view_;
    std::uint64_t key_ = 0;
    std::array<int, 4> order_{};
    int num_dice_ = 0;
    int enough_ = 1;
    int longest_ = 0;
    Steps steps_{};
    std::size_t size_ = 0;
    std::uint32_t stamp_ = 0;
    std::array<Slot, kSlots> slots_{};
    std::array<Play, kMost> plays_{};
};

}  // namespace ludus::backgammon
