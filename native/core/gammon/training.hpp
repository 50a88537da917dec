// Back-propagation, one pattern (or one position's patterns) after the other.
#pragma once

#include <span>

#include "gammon/network.hpp"

namespace ludus::gammon {

// Patterns one behind the other: pattern i has the entries from starts[i] to starts[i + 1].
struct Patterns {
    std::span<const std::int64_t> starts;
    std::span<const std::uint16_t> index;
    std::span<const float> value;

    std::size_t size() const { return starts.size() - 1; }
    Pattern operator[](std::size_t i) const {
        const auto begin = static_cast<std::size_t>(starts[i]);
        return {index.data() + begin, value.data() + begin,
                static_cast<std::size_t>(starts[i + 1]) - begin};
    }
};

class Trainer {
public:
    explicit Trainer(Network& network)
        : network_(network), activities_(network.scratch()), errors_(network.scratch()) {}

    // One step towards the target; returns the squared error before it.
    float learn(const Pattern& pattern, float target, float rate) {
        const float output = network_.score(pattern, activities_);
        descend(pattern, (target - output) * output * (1 - output), rate);
        return (target - output) * (target - output);
    }

    // One step for the alternatives of one position. The error of each is the difference of its
    // softmax over all of them by the network and by the teacher's scores: a common offset does not
    // count, and the order does.
    float compare(const Patterns& patterns, std::span<const std::int64_t> rows,
                  std::span<const float> targets, float sharpness, float rate) {
        outputs_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            outputs_[i] = network_.score(patterns[static_cast<std::size_t>(rows[i])], activities_);
        }
        shares_ = outputs_;
        wanted_.assign(targets.begin(), targets.end());
        share_out(shares_, sharpness);
        share_out(wanted_, sharpness);
        float error = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Pattern pattern = patterns[static_cast<std::size_t>(rows[i])];
            const float difference = wanted_[i] - shares_[i];
            error += difference * difference;
            const float output = network_.score(pattern, activities_);
            descend(pattern, difference * output * (1 - output), rate);
        }
        return error;
    }

private:
    static void share_out(std::vector<float>& values, float sharpness) {
        const float highest = *std::max_element(values.begin(), values.end());
        float sum = 0;
        for (float& value : values) {
            value = std::exp(sharpness * (value - highest));
            sum += value;
        }
        for (float& value : values) {
            value /= sum;
        }
    }

    // The activities must be those of this pattern; `error` is that of the output unit's sum.
    void descend(const Pattern& pattern, float error, float rate) {
        auto& layers = network_.layers();
        errors_.back().front() = error;
        for (std::size_t number = layers.size() - 1; number > 0; --number) {
            Layer& layer = layers[number];
            const std::vector<float>& below = activities_[number - 1];
            for (std::size_t i = 0; i < layer.below; ++i) {
                float* weights = layer.weights.data() + i * layer.above;
                float sum = 0;
                for (std::size_t j = 0; j < layer.above; ++j) {
                    sum += weights[j] * errors_[number][j];
                    weights[j] += rate * below[i] * errors_[number][j];
                }
                errors_[number - 1][i] = sum * below[i] * (1 - below[i]);
            }
            add_to_biases(layer, errors_[number], rate);
        }
        Layer& first = layers.front();
        for (std::size_t k = 0; k < pattern.size; ++k) {
            float* weights = first.weights.data() + pattern.index[k] * first.above;
            const float step = rate * pattern.value[k];
            for (std::size_t j = 0; j < first.above; ++j) {
                weights[j] += step * errors_[0][j];
            }
        }
        add_to_biases(first, errors_[0], rate);
    }

    static void add_to_biases(Layer& layer, const std::vector<float>& errors, float rate) {
        for (std::size_t j = 0; j < layer.above; ++j) {
            layer.biases[j] += rate * errors[j];
        }
    }

    Network& network_;
    Activities activities_;
    Activities errors_;
    std::vector<float> outputs_;
    std::vector<float> shares_;
    std::vector<float> wanted_;
};

}  // namespace ludus::gammon
