// A network that estimates the chances of boards after moves: the twin of
// ludus.learn.gammon.chances_network.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gammon/afterstate_inputs.hpp"
#include "gammon/network.hpp"

namespace ludus::gammon {

// Of the side that has just moved; a gammon includes backgammons.
struct Chances {
    float win = 0;
    float win_gammon = 0;
    float win_backgammon = 0;
    float lose_gammon = 0;
    float lose_backgammon = 0;

    // Mean points of a game, cubeless.
    float equity() const {
        return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon;
    }

    // Those of the other side.
    Chances flipped() const {
        return {1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon};
    }

    void add(const Chances& other, float weight) {
        win += weight * other.win;
        win_gammon += weight * other.win_gammon;
        win_backgammon += weight * other.win_backgammon;
        lose_gammon += weight * other.lose_gammon;
        lose_backgammon += weight * other.lose_backgammon;
    }
};

inline constexpr std::size_t kChances = 5;

// Whether the side that has just moved has borne off all its men.
inline bool has_won(const View& end) {
    return std::all_of(end.own.begin() + 1, end.own.end(), [](auto men) { return men == 0; });
}

// What the rules say of a board after the last move of a game.
inline Chances won_chances(const View& end) {
    const int points = end.turned().points_lost();
    return {1, points >= 2 ? 1.0f : 0.0f, points == 3 ? 1.0f : 0.0f, 0, 0};
}

class ChancesNetwork {
public:
    // Layers as Network has them: weights row by row of the layer below.
    explicit ChancesNetwork(std::vector<Layer> layers) : layers_(std::move(layers)) {
        std::size_t below = kAfterstateInputs;
        for (const Layer& layer : layers_) {
            if (layer.below != below || layer.weights.size() != layer.below * layer.above ||
                layer.biases.size() != layer.above) {
                throw std::invalid_argument("the layers do not fit");
            }
            below = layer.above;
        }
        if (layers_.empty() || below != kChances) {
            throw std::invalid_argument("a network of chances ends in five units");
        }
    }

    const std::vector<Layer>& layers() const { return layers_; }

    // Memory of one thread: what the network has computed of the last board.
    struct Scratch {
        std::array<float, kAfterstateInputs> inputs{};
        std::array<float, kAfterstateInputs> before{};
        std::vector<std::vector<float>> units;
        std::vector<float> sums;  // of the first layer, from the inputs of `before`
        std::vector<std::uint32_t> changed;
    };

    Scratch scratch() const {
        Scratch made;
        std::size_t most = kAfterstateInputs;
        for (const Layer& layer : layers_) {
            made.units.emplace_back(layer.above);
            most = std::max(most, layer.above);
        }
        made.sums = layers_.front().biases;
        made.changed.resize(most);
        return made;
    }

    // Forgets the last board, so that the next one does not depend on it.
    void restart(Scratch& scratch) const {
        scratch.before.fill(0);
        scratch.sums = layers_.front().biases;
    }

    // The chances of a board after a move, corrected by what the rules say.
    Chances evaluate(const View& end, Scratch& scratch) const {
        restart(scratch);
        return evaluate_next(end, scratch);
    }

    // The same, but of the first layer only what has changed since the last board is computed: of
    // the boards after the moves of one position that is a quarter. The last digits depend on the
    // boards since the restart.
    Chances evaluate_next(const View& end, Scratch& scratch) const {
        if (has_won(end)) return won_chances(end);
        static const EscapeTable escape_table;
        std::array<std::int8_t, 52> row;
        std::copy(end.own.begin(), end.own.end(), row.begin());
        std::copy(end.their.begin(), end.their.end(), row.begin() + 26);
        write_inputs(row.data(), scratch.inputs.data(), escape_table.data());
        for (std::size_t i = 0; i < scratch.inputs.size(); ++i) {
            const float change = scratch.inputs[i] - scratch.before[i];
            scratch.before[i] = scratch.inputs[i];
            scratch.inputs[i] = change;
        }
        add_rows(layers_.front(), scratch.inputs.data(), scratch.sums, scratch.changed);
        scratch.units.front() = scratch.sums;
        for (std::size_t number = 1; number < layers_.size(); ++number) {
            std::vector<float>& below = scratch.units[number - 1];
            for (float& unit : below) unit = std::max(unit, 0.0f);
            scratch.units[number] = layers_[number].biases;
            add_rows(layers_[number], below.data(), scratch.units[number], scratch.changed);
        }
        return corrected(end, scratch.units.back());
    }

private:
    // Changes and rectified units are 0 more often than not, and are passed over. Four rows at a
    // time, so that the sums are loaded and stored less often.
    static void add_rows(const Layer& layer, const float* below, std::vector<float>& units,
                         std::vector<std::uint32_t>& active) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < layer.below; ++i) {
            active[count] = static_cast<std::uint32_t>(i);
            count += below[i] != 0 ? 1 : 0;
        }
        float* sums = units.data();
        const std::size_t above = layer.above;
        const auto row = [&](std::size_t k) { return layer.weights.data() + active[k] * above; };
        std::size_t k = 0;
        for (; k + 4 <= count; k += 4) {
            const float *first = row(k), *second = row(k + 1), *third = row(k + 2),
                        *fourth = row(k + 3);
            const float a = below[active[k]], b = below[active[k + 1]], c = below[active[k + 2]],
                        d = below[active[k + 3]];
            for (std::size_t j = 0; j < above; ++j) {
                sums[j] += (a * first[j] + b * second[j]) + (c * third[j] + d * fourth[j]);
            }
        }
        for (; k < count; ++k) {
            const float* weights = row(k);
            const float activity = below[active[k]];
            for (std::size_t j = 0; j < above; ++j) sums[j] += activity * weights[j];
        }
    }

    static Chances corrected(const View& end, const std::vector<float>& outputs) {
        Chances found{logistic(outputs[0]), logistic(outputs[1]), logistic(outputs[2]),
                      logistic(outputs[3]), logistic(outputs[4])};
        const bool has_own_off = end.own[kOff] > 0;
        const bool has_their_off = end.their[kBar] > 0;
        found.win_gammon = has_their_off ? 0 : std::min(found.win_gammon, found.win);
        found.lose_gammon = has_own_off ? 0 : std::min(found.lose_gammon, 1 - found.win);
        found.win_backgammon = std::min(found.win_backgammon, found.win_gammon);
        found.lose_backgammon = std::min(found.lose_backgammon, found.lose_gammon);
        return found;
    }

    std::vector<Layer> layers_;
};

}  // namespace ludus::gammon
