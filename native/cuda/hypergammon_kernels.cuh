// Functions of one index for solving hypergammon; each is the work of one kernel.
#pragma once

#include <cstdint>

#include "backgammon/hypergammon.hpp"

// Types that kernels are instantiated with must not be in an unnamed namespace.
namespace ludus::backgammon::device {

// Keeps the largest of many numbers that are not negative; as bits they have the same order.
LUDUS_HD inline void keep_largest(double* largest, double value) {
#ifdef __CUDA_ARCH__
    if (value > *largest) {
        atomicMax(reinterpret_cast<unsigned long long*>(largest),
                  static_cast<unsigned long long>(__double_as_longlong(value)));
    }
#else
    *largest = value > *largest ? value : *largest;
#endif
}

LUDUS_HD inline double difference(double a, double b) { return a < b ? b - a : a - b; }
LUDUS_HD inline double difference(const Chances& a, const Chances& b) {
    double largest = 0;
    for (int i = 0; i < kChances; ++i) {
        const double here = a.of[i] < b.of[i] ? b.of[i] - a.of[i] : a.of[i] - b.of[i];
        largest = here > largest ? here : largest;
    }
    return largest;
}

LUDUS_HD inline void extrapolate(double& value, double before, double factor) {
    value += factor * (value - before);
}
LUDUS_HD inline void extrapolate(Chances& value, const Chances& before, double factor) {
    for (int i = 0; i < kChances; ++i) {
        value.of[i] += static_cast<float>(factor) * (value.of[i] - before.of[i]);
    }
}

struct DeriveEquity {
    HyperRules rules;
    const double* table;
    LUDUS_HD double operator()(std::uint32_t own, std::uint32_t other) const {
        return derive_equity(rules, table, own, other);
    }
};

struct DeriveChances {
    HyperRules rules;
    const Chances* table;
    const std::uint8_t* choices;
    LUDUS_HD Chances operator()(std::uint32_t own, std::uint32_t other) const {
        const std::uint64_t slot = std::uint64_t{other} * rules.size + own;
        return derive_chances(rules, table, own, other, choices + slot * kRolls);
    }
};

// The three steps of a pip count, see hypergammon_solver.hpp.
template <typename Value, typename Derive>
struct LowerMover {
    HyperRules rules;
    Value* table;
    double* largest;
    Derive derive;
    std::uint32_t low, high;
    LUDUS_HD void operator()(std::uint64_t index) const {
        const std::uint32_t width = high - low;
        const auto own = static_cast<std::uint32_t>(low + index % width);
        const auto other = static_cast<std::uint32_t>(high + index / width);
        if (!rules.is_possible(own, other)) return;
        Value& value = table[std::uint64_t{own} * rules.size + other];
        const Value after = derive(own, other);
        keep_largest(largest, difference(value, after));
        value = after;
    }
};

template <typename Value, typename Derive>
struct HigherMover {
    HyperRules rules;
    Value* buffer;
    Derive derive;
    std::uint32_t low, high;
    LUDUS_HD void operator()(std::uint64_t index) const {
        const std::uint32_t width = rules.size - low;
        const auto own = static_cast<std::uint32_t>(low + index % width);
        const auto other = static_cast<std::uint32_t>(low + index / width);
        if (rules.is_possible(own, other)) buffer[index] = derive(own, other);
    }
};

template <typename Value>
struct StoreHigherMover {
    HyperRules rules;
    Value* table;
    double* largest;
    const Value* buffer;
    std::uint32_t low, high;
    LUDUS_HD void operator()(std::uint64_t index) const {
        const std::uint32_t width = rules.size - low;
        const std::uint32_t level = high - low;
        const auto own = static_cast<std::uint32_t>(low + index / level);
        const auto other = static_cast<std::uint32_t>(low + index % level);
        if (!rules.is_possible(own, other)) return;
        Value& value = table[std::uint64_t{own} * rules.size + other];
        const Value after = buffer[std::uint64_t{other - low} * width + (own - low)];
        keep_largest(largest, difference(value, after));
        value = after;
    }
};

template <typename Value>
struct ExtrapolateAll {
    Value* table;
    const Value* before;
    double factor;
    LUDUS_HD void operator()(std::uint64_t index) const {
        extrapolate(table[index], before[index], factor);
    }
};

struct Round {
    const double* from;
    float* to;
    LUDUS_HD void operator()(std::uint64_t index) const {
        to[index] = static_cast<float>(from[index]);
    }
};

struct Choose {
    HyperRules rules;
    const float* table;
    std::uint8_t* choices;
    LUDUS_HD void operator()(std::uint64_t index) const {
        const auto own = static_cast<std::uint32_t>(index % rules.size);
        const auto other = static_cast<std::uint32_t>(index / rules.size);
        if (rules.is_possible(own, other)) {
            choose_plays(rules, table, own, other, choices + index * kRolls);
        }
    }
};

struct FindErrors {
    HyperRules rules;
    const float* equities;
    const Chances* chances;
    double* largest;
    LUDUS_HD void operator()(std::uint64_t index) const {
        const auto own = static_cast<std::uint32_t>(index % rules.size);
        const auto other = static_cast<std::uint32_t>(index / rules.size);
        if (!rules.is_possible(own, other)) return;
        const std::uint64_t slot = std::uint64_t{own} * rules.size + other;
        const double again = derive_equity(rules, equities, own, other);
        keep_largest(largest, difference(again, static_cast<double>(equities[slot])));
        if (chances == nullptr) return;
        std::uint8_t plays[kRolls];
        choose_plays(rules, equities, own, other, plays);
        const Chances derived = derive_chances(rules, chances, own, other, plays);
        keep_largest(largest + 1, difference(chances[slot], derived));
    }
};

}  // namespace ludus::backgammon::device
