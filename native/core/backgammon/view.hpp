// The board as the side to move sees it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace ludus::backgammon {

inline constexpr int kBar = 25;
inline constexpr int kOff = 0;
inline constexpr int kHome = 6;
inline constexpr int kMaxMen = 15;

using Side = std::array<std::int8_t, 26>;

// Both sides' men on the viewer's places, from the bar (25) down to off (0). The other side walks
// the other way: its bar is the viewer's place 0, its tray place 25.
struct View {
    Side own{};
    Side their{};

    bool operator==(const View&) const = default;

    View turned() const {
        View view;
        std::reverse_copy(their.begin(), their.end(), view.own.begin());
        std::reverse_copy(own.begin(), own.end(), view.their.begin());
        return view;
    }

    // Whether the other side, who moved last, has borne off all its men.
    bool is_over() const {
        return std::all_of(their.begin(), their.begin() + kBar, [](auto men) { return men == 0; });
    }

    // What the game that is over costs the viewer: 1, 2 for a gammon, 3 for a backgammon.
    int points_lost() const {
        if (own[kOff] > 0) {
            return 1;
        }
        const bool is_far =
            std::any_of(own.end() - kHome - 1, own.end(), [](auto men) { return men > 0; });
        return is_far ? 3 : 2;
    }
};

inline bool is_shut_out(const View& view) {
    return view.own[kBar] > 0 &&
           std::all_of(view.their.begin() + kBar - kHome, view.their.begin() + kBar,
                       [](auto men) { return men > 1; });
}

// Whether moves may be made from here: no more men than there are, none of them negative, no point
// shared, and not both sides on the bar against closed boards, where a game would never end.
inline bool is_playable(const View& view) {
    int own = 0;
    int their = 0;
    for (std::size_t place = 0; place < view.own.size(); ++place) {
        if (view.own[place] < 0 || view.their[place] < 0) {
            return false;
        }
        const bool is_point = place != kOff && place != kBar;
        if (is_point && view.own[place] > 0 && view.their[place] > 0) {
            return false;
        }
        own += view.own[place];
        their += view.their[place];
    }
    return own <= kMaxMen && their <= kMaxMen && !(is_shut_out(view) && is_shut_out(view.turned()));
}

}  // namespace ludus::backgammon
