// Two sides that bear off, on a GPU, with plain C entry points loaded through ctypes. A function
// that fails returns a negative number and keeps a message for ludus_bearoff_error.
//
// Without nvcc the same file compiles as C++, with loops in place of kernels (device_array.cuh): so
// it is tested where there is no GPU.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "backgammon/one_sided_bearoff.hpp"
#include "backgammon/two_sided_bearoff.hpp"
#include "cuda/device_array.cuh"

namespace ludus::backgammon::device {

using ludus::device::DeviceArray;
using ludus::device::for_each;

inline float roll_probability(std::uint32_t roll) {
    return static_cast<float>(kWeightedRolls[roll].probability);
}

// Derives the positions of placements with some pips against placements with some pips. Neighbours
// have the same side to move and so the same moves, and their successors lie side by side.
struct DeriveGroup {
    const std::uint32_t* starts;
    const std::uint32_t* ends;
    const float* probabilities;
    CubeEquities* table;  // a row for each side that has moved
    std::uint64_t size;
    std::uint32_t own, other, others;

    LUDUS_HD void operator()(std::uint64_t index) const {
        const std::uint64_t mover = own + index / others, waiting = other + index % others;
        const std::uint32_t* start = starts + mover * kRolls;
        CubeEquities mean{};
        for (int roll = 0; roll < kRolls; ++roll) {
            CubeEquities least = left(start[roll], waiting);
            for (std::uint32_t next = start[roll] + 1; next < start[roll + 1]; ++next) {
                const CubeEquities found = left(next, waiting);
                for (std::size_t cube = 0; cube < kCubes; ++cube) {
                    least.of[cube] =
                        found.of[cube] < least.of[cube] ? found.of[cube] : least.of[cube];
                }
            }
            for (std::size_t cube = 0; cube < kCubes; ++cube) {
                mean.of[cube] += probabilities[roll] * least.of[cube];
            }
        }
        table[waiting * size + mover] = flip_means(mean);
    }

    LUDUS_HD CubeEquities left(std::uint32_t move, std::uint64_t waiting) const {
        return decide_cube(table[ends[move] * size + waiting]);
    }
};

struct Gather {
    const CubeEquities* table;
    const std::uint64_t* slots;
    CubeEquities* into;

    LUDUS_HD void operator()(std::uint64_t index) const { into[index] = table[slots[index]]; }
};

// All equities in the memory of the GPU, those of not doubling: 16 bytes a position.
class DeviceBearoff {
public:
    DeviceBearoff(int men, int points, bool are_all)
        : moves_(men, points, are_all),
          starts_(moves_.starts()),
          ends_(moves_.ends()),
          probabilities_(kRolls),
          table_(std::uint64_t{size()} * size()) {
        std::vector<float> probabilities;
        for (std::uint32_t roll = 0; roll < kRolls; ++roll) {
            probabilities.push_back(roll_probability(roll));
        }
        probabilities_.write(probabilities.data(), kRolls);
        std::vector<CubeEquities> ended(size());
        for (std::uint32_t number = 1; number < size(); ++number) {
            ended[number] = lost_game(moves_.points_lost(number));
        }
        table_.write(ended.data(), size());
    }

    std::uint32_t size() const { return moves_.size(); }
    std::size_t num_moves() const { return moves_.ends().size(); }

    void solve() {
        const int most = moves_.most_pips();
        for (int sum = 2; sum <= 2 * most; ++sum) {
            for (int pips = std::max(1, sum - most); pips <= std::min(most, sum - 1); ++pips) {
                const std::uint32_t own = moves_.first(pips), other = moves_.first(sum - pips);
                const std::uint32_t others = moves_.first(sum - pips + 1) - other;
                for_each(std::uint64_t{moves_.first(pips + 1) - own} * others,
                         DeriveGroup{starts_.data(), ends_.data(), probabilities_.data(),
                                     table_.data(), size(), own, other, others});
            }
        }
        CubeEquities last;
        table_.read(&last, 1);  // waits for the kernels
    }

    // Equities of positions with men on both sides, by ranks.
    void read(std::uint64_t count, const std::uint32_t* own, const std::uint32_t* other,
              float* into) const {
        std::vector<std::uint64_t> slots(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            slots[i] =
                std::uint64_t{moves_.numbers().at(other[i])} * size() + moves_.numbers().at(own[i]);
        }
        const DeviceArray<std::uint64_t> wanted(slots);
        DeviceArray<CubeEquities> found(count);
        for_each(count, Gather{table_.data(), wanted.data(), found.data()});
        found.read(reinterpret_cast<CubeEquities*>(into), count);
    }

private:
    BearoffMoves moves_;
    DeviceArray<std::uint32_t> starts_, ends_;
    DeviceArray<float> probabilities_;
    DeviceArray<CubeEquities> table_;
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

inline DeviceBearoff& solver_of(void* handle) { return *static_cast<DeviceBearoff*>(handle); }

}  // namespace ludus::backgammon::device

using namespace ludus::backgammon;
using namespace ludus::backgammon::device;

extern "C" {

const char* ludus_bearoff_error() { return last_error.c_str(); }

// A solver of this number of men and points, with the table in the memory of the GPU; nullptr on
// failure. Gammons are lost if the men are all that a side has.
void* ludus_bearoff_open(int men, int points, int are_all) {
    void* handle = nullptr;
    guarded([&] {
        if (men < 1 || men > kMaxMen || points < 1 || points > kHome) {
            throw std::invalid_argument("there are 1 to 15 men on 1 to 6 points");
        }
        handle = new DeviceBearoff(men, points, are_all != 0);
        return 0.0;
    });
    return handle;
}

void ludus_bearoff_close(void* handle) { delete static_cast<DeviceBearoff*>(handle); }

double ludus_bearoff_size(void* handle) { return static_cast<double>(solver_of(handle).size()); }

double ludus_bearoff_num_moves(void* handle) {
    return static_cast<double>(solver_of(handle).num_moves());
}

double ludus_bearoff_solve(void* handle) {
    return guarded([&] {
        solver_of(handle).solve();
        return 0.0;
    });
}

// Four equities for each of `count` positions.
double ludus_bearoff_read(void* handle, std::uint64_t count, const std::uint32_t* own,
                          const std::uint32_t* other, float* into) {
    return guarded([&] {
        solver_of(handle).read(count, own, other, into);
        return 0.0;
    });
}

// Distributions of one side's rolls until all men are off and until the first one is, computed on
// the CPU; each has a row of `width` probabilities for every rank.
double ludus_bearoff_rolls(int men, int points, int width, double* all, double* first) {
    return guarded([&] {
        OneSidedBearoff solver(men, points, width);
        solver.solve(1);
        solver.all().spread(static_cast<std::size_t>(width), all);
        solver.first().spread(static_cast<std::size_t>(width), first);
        return 0.0;
    });
}

}  // extern "C"
