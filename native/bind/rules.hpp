// Python's Rules of the Morris family as the C++ value.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "morris/moves.hpp"

namespace ludus::bind {

namespace nb = nanobind;

template <class T>
T field(nb::handle object, const char* name) {
    const nb::object found = object.attr(name);  // throws by itself if there is none
    T value{};
    if (!nb::try_cast(found, value)) {
        throw nb::type_error((std::string("these rules have no usable field ") + name).c_str());
    }
    return value;
}

inline morris::Rules read_rules(nb::handle object) {
    using morris::Blocked, morris::TakeFromMills;
    const auto blocked = field<std::string>(object, "blocked");
    const auto from_mills = field<std::string>(object, "take_from_mills");
    const auto men = field<std::uint8_t>(object, "men");
    if (men < 1 || men > morris::kMaxMen) throw nb::value_error("there are 1 to 12 men a side");
    return {
        .men = men,
        .diagonals = field<bool>(object, "diagonals"),
        .flying = field<bool>(object, "flying"),
        .blocked = blocked == "passes" ? Blocked::passes : Blocked::loses,
        .lose_below = field<std::uint8_t>(object, "lose_below"),
        .take_from_mills = from_mills == "always"  ? TakeFromMills::always
                           : from_mills == "never" ? TakeFromMills::never
                                                   : TakeFromMills::when_all,
        .repetition = field<std::uint16_t>(object, "repetition"),
        .quiet_plies = field<std::uint16_t>(object, "quiet_plies"),
        .place_or_move = field<bool>(object, "place_or_move"),
        .full_board_draws = field<std::string>(object, "full_board") == "draws",
    };
}

}  // namespace ludus::bind
