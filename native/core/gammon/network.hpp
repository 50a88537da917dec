// A feed-forward network of logistic units, run and trained on lists of the inputs that are on.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "gammon/encoding.hpp"

namespace ludus::gammon {

// Weights from one layer to the next, row by row of the layer below; then the biases.
struct Layer {
    std::size_t below = 0;
    std::size_t above = 0;
    std::vector<float> weights;
    std::vector<float> biases;
};

inline float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// Inputs of one move: which units are on and how much.
struct Pattern {
    const std::uint16_t* index;
    const float* value;
    std::size_t size;
};

// What every layer of units does on one pattern. One per thread, used again and again.
using Activities = std::vector<std::vector<float>>;

class Network {
public:
    Network(Encoding encoding, std::vector<Layer> layers)
        : encoding_(encoding), layers_(std::move(layers)) {}

    const Encoding& encoding() const { return encoding_; }
    const std::vector<Layer>& layers() const { return layers_; }
    std::vector<Layer>& layers() { return layers_; }

    Activities scratch() const {
        Activities made;
        for (const Layer& layer : layers_) {
            made.emplace_back(layer.above);
        }
        return made;
    }

    // The output, from 0 (worst) to 1 (best).
    float score(const Pattern& pattern, Activities& activities) const {
        for (std::size_t number = 0; number < layers_.size(); ++number) {
            const Layer& layer = layers_[number];
            std::vector<float>& above = activities[number];
            std::copy(layer.biases.begin(), layer.biases.end(), above.begin());
            if (number == 0) {
                for (std::size_t i = 0; i < pattern.size; ++i) {
                    add_row(layer, pattern.index[i], pattern.value[i], above);
                }
            } else {
                for (std::size_t i = 0; i < layer.below; ++i) {
                    add_row(layer, i, activities[number - 1][i], above);
                }
            }
            for (float& unit : above) {
                unit = logistic(unit);
            }
        }
        return activities.back().front();
    }

private:
    static void add_row(const Layer& layer, std::size_t row, float activity,
                        std::vector<float>& above) {
        const float* weights = layer.weights.data() + row * layer.above;
        float* sums = above.data();
        for (std::size_t j = 0; j < layer.above; ++j) {
            sums[j] += activity * weights[j];
        }
    }

    Encoding encoding_;
    std::vector<Layer> layers_;
};

}  // namespace ludus::gammon
