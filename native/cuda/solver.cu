// Plain C entry points to the solver on a GPU, loaded through ctypes. A function that fails
// returns -1 and keeps a message for ludus_cuda_error.
#include <cstring>
#include <memory>
#include <string>

#include "cuda/sampling.cuh"
#include "cuda/solver.cuh"

namespace {

thread_local std::string last_error;

template <class F>
long long guarded(F&& f) {
    try {
        return f();
    } catch (const std::exception& error) {
        last_error = error.what();
        return -1;
    }
}

ludus::cuda::Solver& solver(void* handle) { return *static_cast<ludus::cuda::Solver*>(handle); }

ludus::solver::SectorId id(const int* sector) {
    return {sector[0], sector[1], sector[2], sector[3]};
}

cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

extern "C" {

const char* ludus_cuda_error() { return last_error.c_str(); }

// The number of GPUs.
int ludus_cuda_devices() {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

// Rules in the order of the fields of morris::Rules; nullptr on failure.
void* ludus_cuda_open(const int* fields) {
    ludus::morris::Rules rules;
    rules.men = static_cast<std::uint8_t>(fields[0]);
    rules.diagonals = fields[1] != 0;
    rules.flying = fields[2] != 0;
    rules.blocked = static_cast<ludus::morris::Blocked>(fields[3]);
    rules.lose_below = static_cast<std::uint8_t>(fields[4]);
    rules.take_from_mills = static_cast<ludus::morris::TakeFromMills>(fields[5]);
    rules.repetition = static_cast<std::uint16_t>(fields[6]);
    rules.quiet_plies = static_cast<std::uint16_t>(fields[7]);
    rules.place_or_move = fields[8] != 0;
    rules.full_board_draws = fields[9] != 0;
    void* handle = nullptr;
    guarded([&] {
        if (const char* why = ludus::solver::why_unsolvable(rules)) throw std::runtime_error(why);
        handle = new ludus::cuda::Solver(rules);
        return 0;
    });
    return handle;
}

void ludus_cuda_close(void* handle) { delete static_cast<ludus::cuda::Solver*>(handle); }

long long ludus_cuda_solve(void* handle, const int* sector) {
    return guarded([&] {
        solver(handle).solve(id(sector));
        return 0LL;
    });
}

// The number of wrong values.
long long ludus_cuda_verify(void* handle, const int* sector) {
    return guarded([&] { return static_cast<long long>(solver(handle).verify_all(id(sector))); });
}

// Writes win, loss, draw, longest win and longest loss.
long long ludus_cuda_tally(void* handle, const int* sector, int x_to_move, long long* counts) {
    return guarded([&] {
        const ludus::cuda::Counts found = solver(handle).count(id(sector), x_to_move != 0);
        counts[0] = static_cast<long long>(found.win);
        counts[1] = static_cast<long long>(found.loss);
        counts[2] = static_cast<long long>(found.draw);
        counts[3] = found.max_win;
        counts[4] = found.max_loss;
        return 0LL;
    });
}

long long ludus_cuda_slots(void* handle, const int* sector) {
    return guarded([&] { return static_cast<long long>(solver(handle).slots(id(sector))); });
}

long long ludus_cuda_rows(void* handle, const int* sector) {
    return guarded([&] { return static_cast<long long>(solver(handle).rows(id(sector))); });
}

long long ludus_cuda_has(void* handle, const int* sector, int x_to_move) {
    return guarded([&] { return solver(handle).has(id(sector), x_to_move != 0) ? 1LL : 0LL; });
}

long long ludus_cuda_read(void* handle, const int* sector, int x_to_move, unsigned char* values) {
    return guarded([&] {
        solver(handle).copy_out(id(sector), x_to_move != 0, values);
        return 0LL;
    });
}

long long ludus_cuda_load(void* handle, const int* sector, int x_to_move,
                          const unsigned char* values) {
    return guarded([&] {
        solver(handle).copy_in(id(sector), x_to_move != 0, values);
        return 0LL;
    });
}

void ludus_cuda_drop(void* handle, const int* sector) { solver(handle).drop(id(sector)); }

// Gives back the memory that only solving needs.
long long ludus_cuda_release_work(void* handle) {
    return guarded([&] {
        solver(handle).release_work();
        return 0LL;
    });
}

// Examples; every array lies in device memory, and the work is done on the given stream. Positions
// are structs of four pointers, see core/sampling.

long long ludus_cuda_label(void* handle, void* stream, unsigned long long size,
                           const ludus::cuda::Positions* positions, unsigned char* values) {
    return guarded([&] {
        ludus::cuda::label(solver(handle), on(stream), size, *positions, values);
        return 0LL;
    });
}

long long ludus_cuda_children(void* handle, void* stream, unsigned long long size,
                              const ludus::cuda::Positions* positions, unsigned long long seed,
                              const ludus::cuda::Rows* rows, unsigned char* values) {
    return guarded([&] {
        ludus::cuda::children(solver(handle), on(stream), size, *positions, *rows, seed, values);
        return 0LL;
    });
}

long long ludus_cuda_draw(void* handle, void* stream, unsigned long long size,
                          const ludus::cuda::Kinds* kinds, unsigned long long seed,
                          const ludus::cuda::Positions* positions) {
    return guarded([&] {
        ludus::cuda::draw(solver(handle), on(stream), size, *kinds, seed, *positions);
        return 0LL;
    });
}

long long ludus_cuda_advance(void* handle, void* stream, unsigned long long size,
                             const ludus::cuda::Plies* plies, unsigned long long seed) {
    return guarded([&] {
        ludus::cuda::advance(solver(handle), on(stream), size, *plies, seed);
        return 0LL;
    });
}

}  // extern "C"
