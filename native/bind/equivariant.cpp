// Equivariant networks of whole numbers for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "equivariant/integer_evaluator.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus::equivariant;

namespace {

template <typename T, typename... Shape>
using Array = nb::ndarray<const T, Shape..., nb::c_contig, nb::device::cpu>;
using Features = Array<float, nb::ndim<2>>;
using Places = Array<std::int64_t, nb::ndim<2>>;

// The values of a tensor of this many; Python has checked the shapes.
template <typename T>
const T* values_of(const nb::dict& tensors, const std::string& name, std::size_t size) {
    const auto array = nb::cast<Array<T>>(tensors[name.c_str()], false);
    if (array.size() != size) throw nb::value_error("the tensors do not make a network");
    return array.data();
}

IntegerEvaluator evaluator_of(const nb::dict& tensors, const Places& places) {
    const auto first = nb::cast<Array<std::int8_t, nb::ndim<2>>>(tensors["first"], false);
    const auto last = nb::cast<Array<std::int8_t, nb::ndim<2>>>(tensors["last"], false);
    const std::size_t channels = first.shape(0), features = first.shape(1);
    const std::size_t outputs = last.shape(0);
    if (places.shape(0) != kGroupOrder || places.shape(1) != features ||
        last.shape(1) != channels) {
        throw nb::value_error("the tensors do not make a network");
    }
    const std::size_t weights = kGroupOrder * channels * channels;
    const std::size_t shifts = (kNum1dIrreps + 2 * kNum2dIrreps) * channels;
    std::vector<IntegerTensors::Block> blocks;
    for (int number = 0;; ++number) {
        const std::string name = "blocks." + std::to_string(number) + ".";
        if (!tensors.contains((name + "layer1").c_str())) break;
        blocks.push_back({values_of<std::int8_t>(tensors, name + "layer1", weights),
                          values_of<std::int8_t>(tensors, name + "shift1", shifts),
                          values_of<std::int8_t>(tensors, name + "layer2", weights),
                          values_of<std::int8_t>(tensors, name + "shift2", shifts),
                          values_of<std::int32_t>(tensors, name + "bias1", channels),
                          values_of<std::int32_t>(tensors, name + "bias2", channels)});
    }
    return IntegerEvaluator({features, channels, outputs, first.data(),
                             values_of<std::int8_t>(tensors, "first_shift", channels),
                             values_of<std::int32_t>(tensors, "first_bias", channels), blocks,
                             last.data(), values_of<std::int32_t>(tensors, "last_bias", outputs),
                             places.data()});
}

nb::object evaluate(const IntegerEvaluator& network, const Features& features) {
    const std::size_t positions = features.shape(0), outputs = network.outputs();
    if (features.shape(1) != network.features()) throw nb::value_error("wrong number of features");
    auto* found = new std::vector<double>(positions * outputs);
    const nb::capsule owner(found,
                            [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    {
        const nb::gil_scoped_release release;
        auto scratch = network.scratch();
        network.evaluate(features.data(), positions, found->data(), scratch);
    }
    return nb::cast(nb::ndarray<nb::numpy, double>(found->data(), {positions, outputs}, owner));
}

}  // namespace

NB_MODULE(equivariant, m) {
    m.doc() = "Equivariant networks of whole numbers.";
    nb::class_<IntegerEvaluator>(m, "IntegerEvaluator")
        .def(
            "__init__",
            [](IntegerEvaluator* made, const nb::dict& tensors, const Places& places) {
                new (made) IntegerEvaluator(evaluator_of(tensors, places));
            },
            "tensors"_a, "places"_a)
        .def("__call__", &evaluate, "features"_a);
}
