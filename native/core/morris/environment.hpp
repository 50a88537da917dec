// One game of the Morris family, action by action: the twin of
// ludus.games.nine_mens_morris.coding, which documents actions and observations.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "common/vector_environment.hpp"
#include "morris/playout.hpp"

namespace ludus::morris {

class Environment {
public:
    struct Settings {
        Rules rules;
        Position start;
    };

    static constexpr int kBase = kPoints + 1;
    static constexpr int kNumActions = kBase * kBase;
    static constexpr int kObservationSize = 2 * kPoints + 5;

    void start(const Settings& settings, Random&) {
        game_.start(settings.rules, settings.start);
        is_taking_ = false;
        update(settings.rules);
    }

    Progress act(const Settings& settings, int action, Random&) {
        const Rules& rules = settings.rules;
        const auto from = static_cast<std::uint8_t>(action / kBase);
        const auto to = static_cast<std::uint8_t>(action % kBase);
        if (is_taking_) {
            if (to != kNone || from == kNone || (booty_ & bit(from)) == 0) return Progress::illegal;
            move_.take = from;
            return complete(rules);
        }
        move_ = {from, to, kNone};
        if (move_.is_pass()) {
            if (from != kNone || can_move_) return Progress::illegal;
            return complete(rules);
        }
        if (is_move(rules, game_.state, move_)) return complete(rules);
        if (booty_ == 0) return Progress::illegal;
        const Move taking{from, to, static_cast<std::uint8_t>(lowest(booty_))};
        if (!is_move(rules, game_.state, taking)) return Progress::illegal;
        is_taking_ = true;
        return Progress::begun;
    }

    int mover() const { return game_.state.mover; }
    bool is_over() const { return outcome_.is_over(); }
    int points() const { return outcome_.winner == 2 ? 0 : outcome_.winner == 0 ? 1 : -1; }

    void mask(const Settings& settings, std::int8_t* mask) const {
        if (is_taking_) {
            for_each_point(booty_, [&](int point) { mask[kBase * point + kNone] = 1; });
        } else if (!can_move_) {
            mask[kBase * kNone + kNone] = 1;
        } else {
            for_each_origin(settings.rules, game_.state, booty_,
                            [&](std::uint8_t from, Bits targets, Bits) {
                                spread(targets, mask + kBase * from);
                            });
        }
    }

    int sample(const Settings& settings, Random& random) const {
        if (is_taking_) {
            const auto k = random.fairly_below(static_cast<std::uint32_t>(count(booty_)));
            return kBase * nth_point(booty_, k) + kNone;
        }
        if (!can_move_) return kBase * kNone + kNone;
        std::array<std::uint8_t, kMaxMen + 1> from;  // the men, and the hand
        std::array<Bits, kMaxMen + 1> targets;
        std::size_t num_origins = 0;
        std::uint32_t num_actions = 0;
        for_each_origin(settings.rules, game_.state, Bits{0},
                        [&](std::uint8_t origin, Bits reached, Bits) {
                            from[num_origins] = origin;
                            targets[num_origins++] = reached;
                            num_actions += static_cast<std::uint32_t>(count(reached));
                        });
        std::uint32_t k = random.fairly_below(num_actions);
        std::size_t i = 0;
        for (std::uint32_t size = 0; k >= (size = static_cast<std::uint32_t>(count(targets[i])));
             ++i) {
            k -= size;
        }
        return kBase * from[i] + nth_point(targets[i], k);
    }

    void observe(const Settings& settings, float* columns) const {
        const Rules& rules = settings.rules;
        State s = game_.state;
        const auto mover = s.mover;
        if (is_taking_) {
            apply(s, move_);
            s.mover = mover;
        }
        const auto men = static_cast<float>(rules.men);
        for (int point = 0; point < kPoints; ++point) {
            columns[point] = static_cast<float>(s.own() >> point & 1);
            columns[kPoints + point] = static_cast<float>(s.other() >> point & 1);
        }
        columns += 2 * kPoints;
        columns[0] = static_cast<float>(s.hand[mover]) / men;
        columns[1] = static_cast<float>(s.hand[mover ^ 1]) / men;
        columns[2] = is_taking_ ? 1.0f : 0.0f;
        columns[3] = static_cast<float>(game_.occurrence() - 1) /
                     static_cast<float>(std::max(rules.repetition - 1, 1));
        const int quiet = rules.quiet_plies > 0 ? game_.quiet() : 0;
        columns[4] =
            static_cast<float>(quiet) / static_cast<float>(std::max<int>(rules.quiet_plies, 1));
    }

private:
    // A byte for each of 24 points: 1 for those of the set.
    static void spread(Bits set, std::int8_t* bytes) {
        static_assert(std::endian::native == std::endian::little);
        for (int ring = 0; ring < 3; ++ring) {
            const std::uint64_t copies = (set >> 8 * ring & 0xFF) * 0x0101010101010101u;
            const std::uint64_t picked = copies & 0x8040201008040201u;  // bit i in byte i
            const std::uint64_t ones = ((picked + 0x7F7F7F7F7F7F7F7Fu) >> 7) & 0x0101010101010101u;
            std::memcpy(bytes + 8 * ring, &ones, 8);
        }
    }

    Progress complete(const Rules& rules) {
        game_.play(rules, move_);
        is_taking_ = false;
        update(rules);
        return Progress::moved;
    }

    void update(const Rules& rules) {
        booty_ = takeable(rules, game_.state.other());
        can_move_ = can_move(rules, game_.state, game_.state.mover);
        outcome_ = game_.outcome(rules, can_move_);
    }

    GameInProgress game_;
    Move move_;  // the one that was begun, while a man is to be taken
    Outcome outcome_;
    Bits booty_ = 0;
    bool can_move_ = false;
    bool is_taking_ = false;
};

}  // namespace ludus::morris
