// A move as the network sees it: the twin of ludus.learn.gammon.encoding, unit by unit.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

#include "backgammon/plays.hpp"
#include "gammon/tool.hpp"

namespace ludus::gammon {

using backgammon::Dice;

// How the change of a point is encoded, and which features are added to the raw board.
enum class Change : std::uint8_t { kFinal, kKinds, kExact };
enum class Extra : std::uint8_t { kRaw, kFeatured, kConventional };

struct Encoding {
    Change change = Change::kKinds;
    Extra extra = Extra::kFeatured;
};

inline constexpr int kLocations = 24;
inline constexpr int kStates = 10;
inline constexpr int kBars = 12;
inline constexpr int kDistinctRolls = 21;
inline constexpr int kFeatures = 66;

inline constexpr int units_per_location(Change change) {
    return change == Change::kFinal ? 16 : change == Change::kKinds ? 15 : 23;
}

inline constexpr int size_of(const Encoding& encoding) {
    const int extra = encoding.extra == Extra::kFeatured       ? kFeatures
                      : encoding.extra == Extra::kConventional ? static_cast<int>(kTerms)
                                                               : 0;
    return kLocations * units_per_location(encoding.change) + kBars + kDistinctRolls + extra;
}

inline constexpr int kMostUnits = kLocations * 23 + kBars + kDistinctRolls + kFeatures;

// Most units are off; those that are on are listed with their activity.
class Units {
public:
    void clear() {
        size_ = 0;
        next_ = 0;
    }
    // The next unit in order.
    void add(float activity) {
        if (activity != 0) {
            index_[size_] = static_cast<std::uint16_t>(next_);
            value_[size_] = activity;
            ++size_;
        }
        ++next_;
    }
    void add(bool is_on) { add(is_on ? 1.0f : 0.0f); }

    std::size_t size() const { return size_; }
    int next() const { return next_; }
    const std::uint16_t* index() const { return index_.data(); }
    const float* value() const { return value_.data(); }

private:
    std::size_t size_ = 0;
    int next_ = 0;
    std::array<std::uint16_t, kMostUnits> index_{};
    std::array<float, kMostUnits> value_{};
};

// Men before the move, x: the mover's count, or minus the other side's.
inline void add_state(Units& units, int x) {
    units.add(x <= -5);
    units.add(x == -4);
    units.add(x == -3);
    units.add(x <= -2);
    units.add(x == -1);
    units.add(x == 1);
    units.add(x >= 2);
    units.add(x == 3);
    units.add(x == 4);
    units.add(x >= 5);
}

// Fig. 1a: the men afterwards, y, where they are not those before.
inline void add_final(Units& units, int x, int y) {
    const bool has_changed = x != y;
    units.add(has_changed && y == 1);
    units.add(has_changed && y >= 2);
    units.add(has_changed && y == 3);
    units.add(has_changed && y == 4);
    units.add(has_changed && y >= 5);
    units.add(has_changed && y <= 0);
}

// Fig. 1b: clearing, slotting, breaking, making, stripping.
inline void add_kinds(Units& units, int x, int y) {
    units.add(x >= 1 && y == 0);
    units.add(x < 1 && y == 1);
    units.add(x >= 2 && y == 1);
    units.add(x < 2 && y >= 2);
    units.add(x >= 3 && y == 2);
}

// Fig. 3, columns K to V.
inline void add_exact(Units& units, int x, int y) {
    units.add(x < 1 && y == 1);
    units.add(x < 2 && y >= 2);
    units.add(x < 3 && y == 3);
    units.add(x < 4 && y == 4);
    units.add(x < y && y >= 5);
    units.add(x == 1 && y == 0);
    units.add(x >= 2 && y == 0);
    units.add(x >= 2 && y == 1);
    units.add(x >= 3 && y == 2);
    units.add(x >= 4 && y == 3);
    units.add(x >= 5 && y == 4);
    units.add(x > y && y >= 5);
}

inline void add_bar(Units& units, int men) {
    units.add(men == 1);
    units.add(men == 2);
    units.add(men >= 3);
}

template <std::size_t N>
void add_steps(Units& units, int value, const std::array<int, N>& least) {
    for (const int bound : least) {
        units.add(value >= bound);
    }
}

inline void add_features(Units& units, const View& end, const Facts& facts) {
    const auto share = [](int count, float whole) { return static_cast<float>(count) / whole; };
    add_steps(units, facts.home_points, std::array{1, 2, 3, 4, 5, 6});
    units.add(share(facts.exposure.any, kRolls));
    add_steps(units, facts.exposure.any, std::array{1, 5, 9, 12, 15, 19, 25});
    units.add(std::min(pips_at_risk(facts.exposure) / 25, 1.0f));
    add_steps(units, facts.own_blots, std::array{1, 2, 3, 4});
    int at_home = 0;
    for (std::size_t place = 1; place <= kHomeEnd; ++place) {
        at_home += facts.exposure.at[place];
    }
    units.add(std::min(share(at_home, kRolls), 1.0f));
    units.add(share(facts.chances.any, kRolls));
    add_steps(units, facts.chances.any, std::array{1, 11, 17});
    const bool is_waiting = end.their[kOff] > 0;
    units.add(is_waiting ? share(facts.home_points, 6) : 0);
    units.add(is_waiting ? share(facts.home_points * facts.home_points, 36) : 0);
    units.add(share(facts.own_pips, 167));
    units.add(share(facts.their_pips, 167));
    add_steps(units, facts.their_pips - facts.own_pips, std::array{-40, -20, -8, 0, 8, 20, 40});
    units.add(facts.has_contact);
    add_steps(units, facts.own_back, std::array{1, 2, 3, 4});
    add_steps(units, facts.anchors, std::array{1, 2});
    units.add(end.own[20] > 1 || end.own[21] > 1);
    add_steps(units, facts.their_back, std::array{1, 2, 3, 4});
    units.add(facts.their_anchors > 0);
    add_steps(units, facts.own_prime, std::array{3, 4, 5, 6});
    units.add(1 - share(facts.their_escapes, kRolls));
    add_steps(units, facts.their_prime, std::array{3, 4, 5, 6});
    units.add(share(facts.own_escapes, kRolls));
    units.add(share(builders(end), 8));
    units.add(share(stacked(end), 8));
    units.add(share(end.own[kOff], 15));
    units.add(share(end.their[kBar], 15));
    units.add(share(crossovers(end), 30));
    units.add(share(gaps(end), 6));
    units.add(share(end.own[1] + end.own[2], 15));
    units.add(share(facts.their_home_points, 6));
}

// The board before the move, the roll, and the board after it, all as the mover sees them.
inline void encode(Units& units, const View& before, Dice dice, const View& end,
                   const Encoding& encoding) {
    units.clear();
    const bool needs_facts = encoding.extra != Extra::kRaw || encoding.change == Change::kExact;
    const Facts found = needs_facts ? facts(end) : Facts{};
    // The paper counts points the way White walks: location 1 is the mover's point 24.
    for (std::size_t place = kLocations; place >= 1; --place) {
        const int x = before.own[place] - before.their[place];
        const int y = end.own[place] - end.their[place];
        add_state(units, x);
        if (encoding.change == Change::kFinal) {
            add_final(units, x, y);
        } else if (encoding.change == Change::kKinds) {
            add_kinds(units, x, y);
        } else {
            add_exact(units, x, y);
            units.add(static_cast<float>(found.exposure.at[place]) / static_cast<float>(kRolls));
        }
    }
    add_bar(units, before.own[kBar]);
    add_bar(units, before.their[kOff]);
    add_bar(units, end.own[kBar]);
    add_bar(units, end.their[kOff]);
    for (int high = 1; high <= 6; ++high) {
        for (int low = 1; low <= high; ++low) {
            units.add(dice.high == high && dice.low == low);
        }
    }
    if (encoding.extra == Extra::kFeatured) {
        add_features(units, end, found);
    } else if (encoding.extra == Extra::kConventional) {
        for (const float term : terms(end, found)) {
            units.add(term);
        }
    }
}

}  // namespace ludus::gammon
