// How a game ended.
#pragma once

#include "morris/moves.hpp"

namespace ludus::morris {

enum class Reason : std::uint8_t { none, men, full, repetition, blocked, quiet };
constexpr int kReasons = 6;

struct Outcome {
    Reason reason = Reason::none;
    std::uint8_t winner = 2;  // 0, 1, or 2 for nobody

    LUDUS_HD bool is_over() const { return reason != Reason::none; }
};

// The outcome of a state, given its number of occurrences and of quiet plies, for callers that
// know already whether the mover can move.
LUDUS_HD inline Outcome outcome(const Rules& rules, const State& s, int occurrence, int quiet,
                                bool mover_can_move) {
    const auto mover = static_cast<std::uint8_t>(s.mover);
    const auto other = static_cast<std::uint8_t>(mover ^ 1);
    if (s.total(mover) < rules.lose_below) return {Reason::men, other};
    if (s.total(other) < rules.lose_below) return {Reason::men, mover};
    if (rules.full_board_draws && s.free() == 0) return {Reason::full};
    if (rules.repetition > 0 && occurrence >= rules.repetition) return {Reason::repetition};
    if (!mover_can_move) {
        if (rules.blocked == Blocked::loses) return {Reason::blocked, other};
        if (!can_move(rules, s, other)) return {Reason::blocked};
    }
    if (rules.quiet_plies > 0 && quiet >= rules.quiet_plies) return {Reason::quiet};
    return {};
}

LUDUS_HD inline Outcome outcome(const Rules& rules, const State& s, int occurrence, int quiet) {
    return outcome(rules, s, occurrence, quiet, can_move(rules, s, s.mover));
}

}  // namespace ludus::morris
