// How far a solve has come, read by another thread, and a way to stop it.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace ludus::solver {

struct Progress {
    std::atomic<std::uint64_t> rows{0};  // rows whose irreversible moves are known
    std::atomic<int> depth{0};           // plies from the end of the game, where men can slide
    std::atomic<bool> is_stopped{false};
};

struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};

struct MissingSector : std::runtime_error {
    MissingSector() : std::runtime_error("a sector that moves lead to is not solved") {}
};

struct TooDeep : std::runtime_error {
    TooDeep() : std::runtime_error("a win takes more plies than a value can tell") {}
};

}  // namespace ludus::solver
