// Hypergammon on a GPU, with plain C entry points loaded through ctypes. A function that fails
// returns a negative number and keeps a message for ludus_hypergammon_error.
//
// Without nvcc the same file compiles as C++, with loops in place of kernels (device_array.cuh): so
// it is tested where there is no GPU.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "backgammon/hypergammon.hpp"
#include "cuda/device_array.cuh"
#include "cuda/hypergammon_kernels.cuh"

namespace ludus::backgammon::device {

using ludus::device::DeviceArray;
using ludus::device::for_each;

// All values in the memory of the GPU.
class DeviceSolver {
public:
    DeviceSolver(int men, solver::Workers& workers)
        : tables_(men, workers),
          occupied_(tables_.occupied()),
          opponents_(tables_.opponents()),
          starts_(tables_.starts()),
          plays_(tables_.plays()),
          probabilities_(tables_.probabilities()),
          largest_(2),
          equity_(num_pairs()) {
        std::uint64_t largest_level = 0;
        for (std::size_t level = 0; level + 1 < tables_.levels().size(); ++level) {
            const std::uint64_t low = tables_.levels()[level], high = tables_.levels()[level + 1];
            largest_level = std::max(largest_level, (high - low) * (size() - low));
        }
        num_buffered_ = largest_level;
        std::vector<double> equity(num_pairs());
        for (std::uint64_t own = 1; own < size(); ++own) {
            const int lost = points_lost(tables_.placement(static_cast<std::uint32_t>(own)));
            equity[own * size()] = -lost;
            equity[own] = lost;
        }
        equity_.write(equity.data(), equity.size());
    }

    std::uint64_t size() const { return tables_.size(); }
    std::uint64_t num_pairs() const { return size() * size(); }

    double sweep() {
        return sweep_levels(equity_, equity_before_, equity_buffer_, equity_pace_,
                            DeriveEquity{rules(), equity_.data()});
    }

    void choose() {
        equity_before_.resize(0);
        equity_buffer_.resize(0);
        rounded_.resize(num_pairs());
        for_each(num_pairs(), Round{equity_.data(), rounded_.data()});
        choices_.resize(num_pairs() * kRolls);
        for_each(num_pairs(), Choose{rules(), rounded_.data(), choices_.data()});
        std::vector<Chances> chances(num_pairs());
        for (std::uint64_t own = 1; own < size(); ++own) {
            const int lost = points_lost(tables_.placement(static_cast<std::uint32_t>(own)));
            chances[own * size()] = chances_at_end(lost, false);
            chances[own] = chances_at_end(lost, true);
        }
        chances_.resize(num_pairs());
        chances_.write(chances.data(), chances.size());
        chances_pace_ = {};
    }

    double sweep_chances() {
        return sweep_levels(chances_, chances_before_, chances_buffer_, chances_pace_,
                            DeriveChances{rules(), chances_.data(), choices_.data()});
    }

    void find_errors(double* errors) {
        errors[0] = errors[1] = 0;
        largest_.write(errors, 2);
        const Chances* chances = chances_.size() == 0 ? nullptr : chances_.data();
        for_each(num_pairs(), FindErrors{rules(), rounded_.data(), chances, largest_.data()});
        largest_.read(errors, 2);
    }

    void read_equities(float* into) const {
        std::vector<double> values(num_pairs());
        equity_.read(values.data(), values.size());
        remap([&](std::uint64_t slot, std::uint64_t inner) {
            into[slot] = static_cast<float>(values[inner]);
        });
    }

    void read_chances(float* into) const {
        std::vector<double> equities(num_pairs());
        equity_.read(equities.data(), equities.size());
        std::vector<Chances> values(chances_.size());
        chances_.read(values.data(), values.size());
        remap([&](std::uint64_t slot, std::uint64_t inner) {
            for (int i = 0; i < kStoredChances; ++i) {
                into[static_cast<std::uint64_t>(i) * num_pairs() + slot] =
                    stored_chance(equities[inner], values[inner], i);
            }
        });
    }

    void load(const float* equities, const float* chances) {
        std::vector<float> rounded(num_pairs());
        std::vector<double> equity(num_pairs());
        std::vector<Chances> loaded(chances == nullptr ? 0 : num_pairs());
        remap([&](std::uint64_t slot, std::uint64_t inner) {
            rounded[inner] = equities[slot];
            equity[inner] = static_cast<double>(equities[slot]);
            for (std::uint64_t i = 0; chances != nullptr && i < kChances; ++i) {
                loaded[inner].of[i] = chances[(i + 1) * num_pairs() + slot];
            }
        });
        rounded_.resize(num_pairs());
        rounded_.write(rounded.data(), rounded.size());
        equity_.write(equity.data(), equity.size());
        chances_.resize(loaded.size());
        if (!loaded.empty()) chances_.write(loaded.data(), loaded.size());
    }

private:
    HyperRules rules() const {
        return {static_cast<std::uint32_t>(size()),
                occupied_.data(),
                opponents_.data(),
                starts_.data(),
                plays_.data(),
                probabilities_.data()};
    }

    template <typename Work>
    void remap(Work work) const {
        const auto& ranks = tables_.ranks();
        for (std::uint64_t own = 0; own < size(); ++own) {
            for (std::uint64_t other = 0; other < size(); ++other) {
                work(ranks[own] * size() + ranks[other], own * size() + other);
            }
        }
    }

    template <typename Value, typename Derive>
    double sweep_levels(DeviceArray<Value>& table, DeviceArray<Value>& before,
                        DeviceArray<Value>& buffer, Pace& pace, Derive derive) {
        if (before.size() == 0) before.resize(num_pairs());
        if (buffer.size() == 0) buffer.resize(num_buffered_);
        before.copy_from(table);
        double change = 0;
        largest_.write(&change, 1);
        const auto& levels = tables_.levels();
        for (std::size_t level = 1; level + 1 < levels.size(); ++level) {
            const std::uint32_t low = levels[level], high = levels[level + 1];
            for_each((high - low) * (size() - high),
                     LowerMover<Value, Derive>{rules(), table.data(), largest_.data(), derive, low,
                                               high});
            const std::uint64_t pairs = (high - low) * (size() - low);
            for_each(pairs, HigherMover<Value, Derive>{rules(), buffer.data(), derive, low, high});
            for_each(pairs, StoreHigherMover<Value>{rules(), table.data(), largest_.data(),
                                                    buffer.data(), low, high});
        }
        largest_.read(&change, 1);
        if (const double factor = pace.next_factor(change); factor > 0) {
            for_each(num_pairs(), ExtrapolateAll<Value>{table.data(), before.data(), factor});
        }
        return change;
    }

    HyperTables tables_;
    DeviceArray<PointSet> occupied_;
    DeviceArray<Opponent> opponents_;
    DeviceArray<std::uint32_t> starts_;
    DeviceArray<ListedPlay> plays_;
    DeviceArray<double> probabilities_;
    DeviceArray<double> largest_;
    DeviceArray<double> equity_, equity_before_, equity_buffer_;
    DeviceArray<float> rounded_;
    DeviceArray<std::uint8_t> choices_;
    DeviceArray<Chances> chances_, chances_before_, chances_buffer_;
    Pace equity_pace_, chances_pace_;
    std::uint64_t num_buffered_ = 0;
};

inline thread_local std::string last_error;

template <class F>
double guarded(F&& f) {
    try {
        return f();
    } catch (const std::exception& error) {
        last_error = error.what();
        return -1;
    }
}

inline DeviceSolver& solver_of(void* handle) { return *static_cast<DeviceSolver*>(handle); }

}  // namespace ludus::backgammon::device

using namespace ludus::backgammon;
using namespace ludus::backgammon::device;

extern "C" {

const char* ludus_hypergammon_error() { return last_error.c_str(); }

// The number of GPUs; 1 where loops replace kernels.
int ludus_hypergammon_devices() {
#ifdef __CUDACC__
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
#else
    return 1;
#endif
}

// A solver for this number of men a side; nullptr on failure.
void* ludus_hypergammon_open(int men) {
    void* handle = nullptr;
    guarded([&] {
        if (men < 1 || men > kMostBlots) throw std::invalid_argument("there are 1 to 4 men a side");
        const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
        ludus::solver::Workers workers(static_cast<int>(cores));
        handle = new DeviceSolver(men, workers);
        return 0.0;
    });
    return handle;
}

void ludus_hypergammon_close(void* handle) { delete static_cast<DeviceSolver*>(handle); }

double ludus_hypergammon_size(void* handle) {
    return static_cast<double>(solver_of(handle).size());
}

double ludus_hypergammon_sweep(void* handle) {
    return guarded([&] { return solver_of(handle).sweep(); });
}

double ludus_hypergammon_choose(void* handle) {
    return guarded([&] {
        solver_of(handle).choose();
        return 0.0;
    });
}

double ludus_hypergammon_sweep_chances(void* handle) {
    return guarded([&] { return solver_of(handle).sweep_chances(); });
}

double ludus_hypergammon_find_errors(void* handle, double* errors) {
    return guarded([&] {
        solver_of(handle).find_errors(errors);
        return 0.0;
    });
}

double ludus_hypergammon_read_equities(void* handle, float* into) {
    return guarded([&] {
        solver_of(handle).read_equities(into);
        return 0.0;
    });
}

double ludus_hypergammon_read_chances(void* handle, float* into) {
    return guarded([&] {
        solver_of(handle).read_chances(into);
        return 0.0;
    });
}

// Chances may be nullptr.
double ludus_hypergammon_load(void* handle, const float* equities, const float* chances) {
    return guarded([&] {
        solver_of(handle).load(equities, chances);
        return 0.0;
    });
}

}  // extern "C"
