// Threads that are joined at the end of a block, however it ends. Not every standard library of
// C++20 has std::jthread, Apple's for one.
#pragma once

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace ludus {

class Threads {
public:
    Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() {
        for (std::thread& each : threads_) each.join();
    }

    // Throws std::system_error where the machine gives no more threads.
    template <class F>
    void start(F&& work) {
        threads_.emplace_back(std::forward<F>(work));
    }

    std::size_t size() const { return threads_.size(); }

private:
    std::vector<std::thread> threads_;
};

}  // namespace ludus
