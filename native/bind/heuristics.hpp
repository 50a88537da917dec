// Heuristics by name, with the options of ludus.players.morris_heuristics:
// basic:opening=any,among=men
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "morris/heuristics.hpp"

namespace ludus::bind {

template <class Value, std::size_t kSize>
Value read_choice(std::string_view text, const std::array<std::string_view, kSize>& names) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
        throw std::invalid_argument("an option of a heuristic has no such value");
    return static_cast<Value>(found - names.begin());
}

inline void read_option(std::string_view option, morris::Heuristic& heuristic) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string_view key = option.substr(0, equals);
    const std::string_view value = option.substr(std::min(equals + 1, option.size()));
    if (key == "opening" && heuristic.opens) {
        heuristic.opening = read_choice<morris::Opening, 2>(value, {"safe", "any"});
    } else if (key == "taking") {
        heuristic.taking = read_choice<morris::Taking, 3>(value, {"any", "first", "threat"});
    } else if (key == "among") {
        heuristic.among = read_choice<morris::Among, 3>(value, {"moves", "men", "first"});
    } else {
        throw std::invalid_argument("the options of heuristics are taking, among and opening");
    }
}

inline morris::Heuristic read_heuristic(std::string_view spec) {
    const std::size_t colon = std::min(spec.find(':'), spec.size());
    const auto found = std::find_if(morris::kHeuristics.begin(), morris::kHeuristics.end(),
                                    [&](const auto& h) { return h.name == spec.substr(0, colon); });
    if (found == morris::kHeuristics.end()) {
        throw std::invalid_argument("the heuristics are newbie, basic and focused");
    }
    morris::Heuristic heuristic = *found;
    for (std::size_t begin = colon + 1; begin < spec.size();) {
        const std::size_t end = std::min(spec.find(',', begin), spec.size());
        read_option(spec.substr(begin, end - begin), heuristic);
        begin = end + 1;
    }
    return heuristic;
}

}  // namespace ludus::bind
