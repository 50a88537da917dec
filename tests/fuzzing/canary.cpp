// Mistakes made on purpose: a process that survives them is not watched by the sanitizers.
#include <array>
#include <cstddef>
#include <memory>

extern "C" {

int reads_past_the_end(std::size_t size) {
    const auto numbers = std::make_unique<int[]>(size);
    const volatile int* first = numbers.get();
    return first[size];
}

int adds_too_much(int number) {
    const volatile int largest = 0x7FFFFFFF;
    return largest + number;
}

int leaves_an_array(std::size_t index) {
    struct {
        std::array<int, 4> numbers{1, 2, 3, 4};
        std::array<int, 4> others{5, 6, 7, 8};
    } both;
    return both.numbers[index];
}
}
