// Which instruction sets this processor has. Built for the oldest one, and loaded before the rest.
#include <nanobind/nanobind.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nb = nanobind;

namespace {

#if defined(__x86_64__)

// Bits of ECX. Compilers differ in the names that __builtin_cpu_supports knows for these three.
constexpr unsigned kMovbe = 1u << 22, kF16c = 1u << 29;  // leaf 1
constexpr unsigned kLzcnt = 1u << 5;                     // leaf 0x80000001

bool has_bits_of_ecx(unsigned leaf, unsigned bits) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bits) == bits;
}

bool has_v2() {
    return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2") &&
           __builtin_cpu_supports("ssse3");
}

// __builtin_cpu_supports also asks the operating system whether it saves the wide registers.
bool has_v3() {
    return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           has_bits_of_ecx(1, kMovbe | kF16c) && has_bits_of_ecx(0x80000001, kLzcnt);
}

#endif

nb::list supported_levels() {
    nb::list levels;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (has_v3()) levels.append("x86_64_v3");
    if (has_v2()) levels.append("x86_64_v2");
#else
    levels.append("generic");
#endif
    return levels;
}

}  // namespace

NB_MODULE(cpu, m) {
    // Threads that still compute when a program ends hold what they use, which is no leak. All
    // modules share this setting.
    nb::set_leak_warnings(false);
    m.doc() = "Instruction sets of this processor.";
    m.def("supported_levels", &supported_levels);
}
