// The results of many games as Python sees them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "morris/playout.hpp"

namespace ludus::bind {

inline constexpr std::array<const char*, morris::kReasons> kReasonNames{
    "none", "men", "full", "repetition", "blocked", "quiet"};

// Called while the interpreter is left free: lets Ctrl-C through.
inline void let_interrupts_through() {
    const nanobind::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

inline nanobind::dict python_tally(const morris::Tally& tally) {
    nanobind::dict reasons;
    for (std::size_t r = 0; r < morris::kReasons; ++r) {
        if (tally.reasons[r] > 0) reasons[r == 0 ? "length" : kReasonNames[r]] = tally.reasons[r];
    }
    nanobind::dict result;
    result["games"] = tally.games;
    result["plies"] = tally.plies;
    result["wins"] = std::pair{tally.winners[0], tally.winners[1]};
    result["draws"] = tally.winners[2];
    result["reasons"] = reasons;
    return result;
}

}  // namespace ludus::bind
