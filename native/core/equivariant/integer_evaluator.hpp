// Equivariant networks of whole numbers: the twin of ludus.learn.equivariant.integers, which
// defines every step. Units are rows of channels, padded with channels that are always 0.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "equivariant/products.hpp"

// Before a loop whose turns are independent of each other, which compilers cannot see.
#if defined(__GNUC__) && !defined(__clang__)
#define LUDUS_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LUDUS_INDEPENDENT
#endif

namespace ludus::equivariant {

inline constexpr std::size_t kGroupOrder = 16;
inline constexpr std::size_t kNum1dIrreps = 8;
inline constexpr std::size_t kNum2dIrreps = 2;
inline constexpr std::int32_t kMaxCoefficient = 255;
inline constexpr std::int32_t kMaxTerm = (1 << 18) - 1;
inline constexpr std::int32_t kMaxSum = (1 << 15) - 1;
inline constexpr int kMeanShift = 4;
inline constexpr int kTrivialShift = 7;  // of coefficients, see COEFFICIENT_SHIFTS
inline constexpr int kCoefficientShift = 5;

// Features are whole numbers of quarters.
inline constexpr int kFeatureShift = 2;

// Features, of at most 1, whose sums fit 16 bits.
inline constexpr std::size_t kMaxFeatures = 64;

// Positions evaluated together: their units stay in the cache.
inline constexpr std::size_t kPositions = 12;

// The nearest whole number, the even one of two; values are below 2^22.
inline std::int32_t round_half_even(float value) {
    constexpr float whole = 12582912.0f;  // 1.5 * 2^23: floats beside it are whole numbers
    return std::bit_cast<std::int32_t>(value + whole) - std::bit_cast<std::int32_t>(whole);
}

// As std::clamp, but compilers make vectors of it.
template <typename T>
T clip(T value, T least, T most) {
    const T at_least = value < least ? least : value;
    return at_least > most ? most : at_least;
}

inline std::int32_t scale(std::int32_t sum, float power, std::int32_t limit) {
    const auto bound = static_cast<float>(limit);
    return round_half_even(clip(static_cast<float>(sum) * power, -bound, bound));
}

template <int places>
std::int32_t shift_half_even(std::int32_t value) {
    return (value + (1 << (places - 1)) - 1 + (value >> places & 1)) >> places;
}

// Sums of the irreps times values, as to_fourier and to_group of native/cuda/group_fourier.cu.
inline void to_fourier(const std::int32_t* values, std::int32_t* coefficients) {
    for (int odd = 0; odd < 2; ++odd) {
        std::int32_t x[8];
        for (int g = 0; g < 8; ++g) {
            x[g] = odd ? values[g] - values[8 + g] : values[g] + values[8 + g];
        }
        const std::int32_t even = x[0] + x[2], quarter = x[1] + x[3];
        const std::int32_t flipped = x[4] + x[6], flipped_quarter = x[5] + x[7];
        const std::int32_t p = x[0] - x[2], q = x[1] - x[3], r = x[4] - x[6], s = x[5] - x[7];
        std::int32_t* signs = coefficients + 4 * odd;
        signs[0] = (even + quarter) + (flipped + flipped_quarter);
        signs[1] = (even + quarter) - (flipped + flipped_quarter);
        signs[2] = (even - quarter) + (flipped - flipped_quarter);
        signs[3] = (even - quarter) - (flipped - flipped_quarter);
        std::int32_t* planes = coefficients + kNum1dIrreps + 4 * odd;
        planes[0] = p - r;
        planes[1] = q + s;
        planes[2] = s - q;
        planes[3] = p + r;
    }
}

inline void to_group(const std::int32_t* coefficients, std::int32_t* values) {
    std::int32_t x[2][8];
    for (int odd = 0; odd < 2; ++odd) {
        const std::int32_t* signs = coefficients + 4 * odd;
        const std::int32_t* planes = coefficients + kNum1dIrreps + 4 * odd;
        const std::int32_t all = signs[0] + signs[1], alternating = signs[2] + signs[3];
        const std::int32_t flipped_all = signs[0] - signs[1];
        const std::int32_t flipped_alternating = signs[2] - signs[3];
        const std::int32_t p = planes[3] + planes[0], q = planes[1] - planes[2];
        const std::int32_t r = planes[3] - planes[0], s = planes[1] + planes[2];
        x[odd][0] = (all + alternating) + p;
        x[odd][1] = (all - alternating) + q;
        x[odd][2] = (all + alternating) - p;
        x[odd][3] = (all - alternating) - q;
        x[odd][4] = (flipped_all + flipped_alternating) + r;
        x[odd][5] = (flipped_all - flipped_alternating) + s;
        x[odd][6] = (flipped_all + flipped_alternating) - r;
        x[odd][7] = (flipped_all - flipped_alternating) - s;
    }
    for (int g = 0; g < 8; ++g) {
        values[g] = x[0][g] + x[1][g];
        values[8 + g] = x[0][g] - x[1][g];
    }
}

// Where the coefficients of one of several positions lie: signs are (8, positions, channels),
// planes (2, 2, positions, 2, channels), each a column of a matrix of twice the rows.
template <typename T>
class Coefficients {
public:
    Coefficients(T* all, std::size_t position, std::size_t positions, std::size_t width)
        : signs_(all + position * width),
          planes_(all + (kNum1dIrreps * positions + 2 * position) * width),
          step_(positions * width),
          width_(width) {}

    void read(std::int32_t* values, std::size_t channel) const {
        for (std::size_t i = 0; i < kNum1dIrreps; ++i) values[i] = signs_[i * step_ + channel];
        for (std::size_t i = 0; i < kNum1dIrreps; ++i) {
            values[kNum1dIrreps + i] = planes_[i / 2 * 2 * step_ + i % 2 * width_ + channel];
        }
    }

    void write(const std::int32_t* values, std::size_t channel) const {
        for (std::size_t i = 0; i < kNum1dIrreps; ++i) {
            signs_[i * step_ + channel] = static_cast<T>(values[i]);
            planes_[i / 2 * 2 * step_ + i % 2 * width_ + channel] =
                static_cast<T>(values[kNum1dIrreps + i]);
        }
    }

private:
    T* __restrict signs_;
    T* __restrict planes_;
    std::size_t step_, width_;
};

// A group convolution: a matrix for each irrep.
class GroupConvolution {
public:
    // Weights (16, channels, channels) and the shifts of rows (12, channels), as files have them.
    GroupConvolution(const std::int8_t* weights, const std::int8_t* shifts, std::size_t channels,
                     std::size_t width)
        : width_(width) {
        const auto read = [&](std::size_t matrix, std::size_t row, std::size_t column) {
            return weights[(matrix * channels + row) * channels + column];
        };
        for (std::size_t sign = 0; sign < kNum1dIrreps; ++sign) {
            pack(width, [&](std::size_t row, std::size_t column) -> int {
                return row < channels && column < channels ? read(sign, row, column) : 0;
            });
            append_powers(shifts + sign * channels, channels);
        }
        for (std::size_t plane = 0; plane < kNum2dIrreps; ++plane) {
            // A matrix of twice the rows and columns: row by row as the file has it.
            const std::int8_t* matrix = weights + (kNum1dIrreps + 4 * plane) * channels * channels;
            pack(2 * width, [&](std::size_t row, std::size_t column) -> int {
                const std::size_t part = row / width, from = column / width;
                row %= width;
                column %= width;
                if (row >= channels || column >= channels) return 0;
                return matrix[(part * channels + row) * 2 * channels + from * channels + column];
            });
            for (std::size_t part = 0; part < 2; ++part) {
                append_powers(shifts + (kNum1dIrreps + 2 * plane + part) * channels, channels);
            }
        }
    }

    // Both are laid out as Coefficients has them.
    void apply(const std::int16_t* coefficients, std::size_t positions, std::int32_t* found) const {
        const std::int8_t* weights = weights_.data();
        const float* powers = powers_.data();
        for (std::size_t irrep = 0; irrep < kNum1dIrreps + kNum2dIrreps; ++irrep) {
            const bool is_plane = irrep >= kNum1dIrreps;
            const std::size_t size = is_plane ? 2 * width_ : width_;
            const std::size_t columns = is_plane ? 2 * positions : positions;
            multiply(weights, powers, size, coefficients, columns, found);
            weights += size * size;
            powers += size;
            coefficients += size * columns;
            found += size * columns;
        }
    }

private:
    template <typename Read>
    void pack(std::size_t size, Read read) {
        for (std::size_t first = 0; first < size; first += kRows) {
            for (std::size_t column = 0; column < size; column += 2) {
                for (std::size_t row = first; row < first + kRows; ++row) {
                    weights_.push_back(static_cast<std::int8_t>(read(row, column)));
                    weights_.push_back(static_cast<std::int8_t>(read(row, column + 1)));
                }
            }
        }
    }

    void append_powers(const std::int8_t* shifts, std::size_t channels) {
        for (std::size_t i = 0; i < width_; ++i) {
            powers_.push_back(i < channels ? std::ldexp(1.0f, -shifts[i]) : 0.0f);
        }
    }

    static void multiply(const std::int8_t* weights, const float* powers, std::size_t size,
                         const std::int16_t* coefficients, std::size_t columns,
                         std::int32_t* found) {
        for (std::size_t row = 0; row < size; row += kRows, weights += kRows * size) {
            std::size_t column = 0;
            for (; column + kColumns <= columns; column += kColumns) {
                multiply_some<kColumns>(weights, powers + row, size, coefficients + column * size,
                                        found + column * size + row);
            }
            for (; column < columns; ++column) {
                multiply_some<1>(weights, powers + row, size, coefficients + column * size,
                                 found + column * size + row);
            }
        }
    }

    template <std::size_t columns>
    static void multiply_some(const std::int8_t* weights, const float* powers, std::size_t size,
                              const std::int16_t* coefficients, std::int32_t* found) {
        std::int32_t sums[columns][kRows];
        multiply_rows<columns>(weights, size / 2, coefficients, size, sums);
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < kRows; ++i) {
                found[j * size + i] = scale(sums[j][i], powers[i], kMaxTerm);
            }
        }
    }

    std::size_t width_;
    std::vector<std::int8_t> weights_;
    std::vector<float> powers_;
};

// Tensors of a network, named and shaped as `list_tensor_shapes` has them.
struct IntegerTensors {
    std::size_t features, channels, outputs;
    const std::int8_t *first, *first_shift;
    const std::int32_t* first_bias;
    struct Block {
        const std::int8_t *first, *first_shift, *second, *second_shift;
        const std::int32_t *first_bias, *second_bias;
    };
    std::vector<Block> blocks;
    const std::int8_t* last;
    const std::int32_t* last_bias;
    // (16, features): the feature whose weight each feature takes at each element of the group.
    const std::int64_t* places;
};

class IntegerEvaluator {
public:
    explicit IntegerEvaluator(const IntegerTensors& given)
        : features_(given.features),
          width_((given.channels + kRows - 1) / kRows * kRows),
          outputs_(given.outputs),
          places_(given.places, given.places + kGroupOrder * given.features),
          filters_(features_ * width_),
          powers_(width_),
          last_(given.outputs * width_),
          last_bias_(given.last_bias, given.last_bias + given.outputs) {
        if (std::any_of(places_.begin(), places_.end(), [&](std::int64_t place) {
                return place < 0 || place >= static_cast<std::int64_t>(features_);
            })) {
            throw std::invalid_argument("a place is that of no feature");
        }
        for (std::size_t channel = 0; channel < given.channels; ++channel) {
            for (std::size_t i = 0; i < features_; ++i) {
                filters_[i * width_ + channel] = given.first[channel * features_ + i];
            }
            powers_[channel] = std::ldexp(1.0f, -given.first_shift[channel] - kFeatureShift);
            for (std::size_t i = 0; i < outputs_; ++i) {
                last_[i * width_ + channel] = given.last[i * given.channels + channel];
            }
        }
        std::vector<std::int32_t> total = padded(given.first_bias, given.channels);
        biases_.push_back(total);
        for (const IntegerTensors::Block& block : given.blocks) {
            convolutions_.emplace_back(block.first, block.first_shift, given.channels, width_);
            convolutions_.emplace_back(block.second, block.second_shift, given.channels, width_);
            biases_.push_back(padded(block.first_bias, given.channels));
            const auto more = padded(block.second_bias, given.channels);
            for (std::size_t i = 0; i < width_; ++i) total[i] += more[i];
            biases_.push_back(total);
        }
    }

    std::size_t features() const { return features_; }
    std::size_t outputs() const { return outputs_; }

    // Memory of one thread.
    struct Scratch {
        std::vector<std::int16_t> sums, coefficients;
        std::vector<std::int32_t> terms;
    };

    Scratch scratch() const {
        const std::size_t units = kPositions * kGroupOrder * width_;
        return {std::vector<std::int16_t>(units), std::vector<std::int16_t>(units),
                std::vector<std::int32_t>(units)};
    }

    // Features (positions, features) to outputs (positions, outputs).
    void evaluate(const float* features, std::size_t positions, double* outputs,
                  Scratch& scratch) const {
        while (positions > 0) {
            const std::size_t some = std::min(positions, kPositions);
            evaluate_some(features, some, outputs, scratch);
            positions -= some;
            features += some * features_;
            outputs += some * outputs_;
        }
    }

private:
    std::vector<std::int32_t> padded(const std::int32_t* bias, std::size_t channels) const {
        std::vector<std::int32_t> values(bias, bias + channels);
        values.resize(width_);
        return values;
    }

    void evaluate_some(const float* features, std::size_t positions, double* outputs,
                       Scratch& scratch) const {
        std::int16_t* sums = scratch.sums.data();
        std::int16_t* coefficients = scratch.coefficients.data();
        std::int32_t* terms = scratch.terms.data();
        const std::size_t units = kGroupOrder * width_;
        const auto coefficients_of = [&](std::size_t i) {
            return Coefficients<std::int16_t>(coefficients, i, positions, width_);
        };
        for (std::size_t i = 0; i < positions; ++i) {
            lift(features + i * features_, sums + i * units);
            start(sums + i * units, biases_[0].data(), coefficients_of(i));
        }
        for (std::size_t layer = 0; layer < convolutions_.size(); ++layer) {
            convolutions_[layer].apply(coefficients, positions, terms);
            const std::int32_t* bias = biases_[layer + 1].data();
            for (std::size_t i = 0; i < positions; ++i) {
                const Coefficients<const std::int32_t> found(terms, i, positions, width_);
                if (layer % 2 == 0) {
                    pass(found, bias, coefficients_of(i));
                    continue;
                }
                add(found, sums + i * units);
                if (layer + 1 < convolutions_.size()) {
                    start(sums + i * units, bias, coefficients_of(i));
                }
            }
        }
        for (std::size_t i = 0; i < positions; ++i) {
            project(sums + i * units, outputs + i * outputs_);
        }
    }

    // Filters times features that are not 0, at every element of the group.
    void lift(const float* features, std::int16_t* sums) const {
        std::vector<std::pair<std::size_t, std::int16_t>> active;
        for (std::size_t i = 0; i < features_; ++i) {
            const auto quarters = static_cast<std::int16_t>(features[i] * (1 << kFeatureShift));
            if (quarters != 0) active.emplace_back(i, quarters);
        }
        std::vector<std::int16_t> some(width_);
        std::vector<std::int32_t> found(width_);
        for (std::size_t g = 0; g < kGroupOrder; ++g) {
            std::fill(found.begin(), found.end(), 0);
            for (std::size_t first = 0; first < active.size(); first += kMaxFeatures) {
                std::fill(some.begin(), some.end(), std::int16_t{0});
                const std::size_t end = std::min(active.size(), first + kMaxFeatures);
                for (std::size_t i = first; i < end; ++i) {
                    const auto [feature, quarters] = active[i];
                    const auto place = static_cast<std::size_t>(places_[g * features_ + feature]);
                    add_row(some.data(), quarters, filters_.data() + place * width_);
                }
                for (std::size_t c = 0; c < width_; ++c) found[c] += some[c];
            }
            std::int16_t* row = sums + g * width_;
            for (std::size_t c = 0; c < width_; ++c) {
                row[c] = static_cast<std::int16_t>(scale(found[c], powers_[c], kMaxSum));
            }
        }
    }

    void add_row(std::int16_t* __restrict sums, std::int16_t factor,
                 const std::int16_t* __restrict row) const {
        for (std::size_t c = 0; c < width_; ++c) {
            sums[c] = static_cast<std::int16_t>(sums[c] + factor * row[c]);
        }
    }

    // Replaces values at the elements of the group by the rounded coefficients of their
    // activations.
    static void activate(std::int32_t* values, std::int32_t bias) {
        std::int32_t found[kGroupOrder];
        for (std::size_t g = 0; g < kGroupOrder; ++g) {
            values[g] = clip(values[g] + bias, 0, kMaxSum);
        }
        to_fourier(values, found);
        values[0] = shift_half_even<kTrivialShift>(found[0]);
        for (std::size_t i = 1; i < kGroupOrder; ++i) {
            values[i] = shift_half_even<kCoefficientShift>(found[i]);
        }
        for (std::size_t i = 0; i < kGroupOrder; ++i) {
            values[i] = clip(values[i], -kMaxCoefficient, kMaxCoefficient);
        }
    }

    // Coefficients of the activations of a position's sums.
    void start(const std::int16_t* __restrict sums, const std::int32_t* __restrict bias,
               Coefficients<std::int16_t> to) const {
        LUDUS_INDEPENDENT
        for (std::size_t c = 0; c < width_; ++c) {
            std::int32_t values[kGroupOrder];
            for (std::size_t g = 0; g < kGroupOrder; ++g) values[g] = sums[g * width_ + c];
            activate(values, bias[c]);
            to.write(values, c);
        }
    }

    // Coefficients of the activations of what a convolution found.
    void pass(Coefficients<const std::int32_t> terms, const std::int32_t* __restrict bias,
              Coefficients<std::int16_t> to) const {
        LUDUS_INDEPENDENT
        for (std::size_t c = 0; c < width_; ++c) {
            std::int32_t given[kGroupOrder], values[kGroupOrder];
            terms.read(given, c);
            to_group(given, values);
            activate(values, bias[c]);
            to.write(values, c);
        }
    }

    // Adds what a convolution found to a position's sums.
    void add(Coefficients<const std::int32_t> terms, std::int16_t* __restrict sums) const {
        LUDUS_INDEPENDENT
        for (std::size_t c = 0; c < width_; ++c) {
            std::int32_t given[kGroupOrder], values[kGroupOrder];
            terms.read(given, c);
            to_group(given, values);
            for (std::size_t g = 0; g < kGroupOrder; ++g) {
                sums[g * width_ + c] = static_cast<std::int16_t>(
                    clip(sums[g * width_ + c] + values[g], -kMaxSum, kMaxSum));
            }
        }
    }

    // The last layer of the rounded means of a position's activations.
    void project(const std::int16_t* sums, double* outputs) const {
        const std::int32_t* bias = biases_.back().data();
        std::vector<std::int64_t> found(last_bias_.begin(), last_bias_.end());
        for (std::size_t c = 0; c < width_; ++c) {
            std::int32_t total = 0;
            for (std::size_t g = 0; g < kGroupOrder; ++g) {
                total += clip(sums[g * width_ + c] + bias[c], 0, kMaxSum);
            }
            const std::int64_t mean = shift_half_even<kMeanShift>(total);
            for (std::size_t i = 0; i < outputs_; ++i) found[i] += mean * last_[i * width_ + c];
        }
        for (std::size_t i = 0; i < outputs_; ++i) outputs[i] = static_cast<double>(found[i]);
    }

    std::size_t features_, width_, outputs_;
    std::vector<std::int64_t> places_;
    std::vector<std::int16_t> filters_;  // (features, channels)
    std::vector<float> powers_;
    std::vector<std::vector<std::int32_t>> biases_;  // before each activation
    std::vector<GroupConvolution> convolutions_;
    std::vector<std::int8_t> last_;  // (outputs, channels)
    std::vector<std::int32_t> last_bias_;
};

}  // namespace ludus::equivariant
