// A pool of threads that process the rows of a table.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ludus::solver {

struct NoThreads : std::runtime_error {
    NoThreads(std::size_t started, int wanted)
        : std::runtime_error("only " + std::to_string(started) + " of " + std::to_string(wanted) +
                             " threads could be started") {}
};

class Workers {
public:
    // Throws NoThreads where the machine gives fewer threads: what comes next needs some, too.
    explicit Workers(int threads) {
        try {
            for (int i = 1; i < threads; ++i) crew_.emplace_back([this] { serve(); });
        } catch (const std::exception&) {  // of the system, or no memory for a stack
            const std::size_t started = crew_.size() + 1;
            close();
            throw NoThreads(started, threads);
        }
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers() { close(); }

    // Calls work(first, last) for pieces of 0 .. count - 1, on all threads, until all is done. What
    // a piece throws on any thread is thrown here, when all threads have left their pieces.
    void share(std::uint64_t count, std::uint64_t piece,
               const std::function<void(std::uint64_t, std::uint64_t)>& work) {
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            count_ = count;
            piece_ = piece;
            next_ = 0;
            busy_ = crew_.size();
            failure_ = nullptr;
            ++round_;
        }
        wake_.notify_all();
        run(work);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    void run(const std::function<void(std::uint64_t, std::uint64_t)>& work) {
        try {
            for (std::uint64_t first = next_.fetch_add(piece_); first < count_;
                 first = next_.fetch_add(piece_)) {
                work(first, std::min(count_, first + piece_));
            }
        } catch (...) {
            next_ = count_;  // the others need not go on
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
        }
    }

    void close() {
        {
            const std::lock_guard lock(mutex_);
            is_closing_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : crew_) worker.join();
        crew_.clear();
    }

    void serve() {
        std::uint64_t last_round = 0;
        for (;;) {
            const std::function<void(std::uint64_t, std::uint64_t)>* work = nullptr;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return is_closing_ || round_ != last_round; });
                if (is_closing_) return;
                last_round = round_;
                work = work_;
            }
            run(*work);
            {
                const std::lock_guard lock(mutex_);
                --busy_;
            }
            done_.notify_one();
        }
    }

    std::vector<std::thread> crew_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    const std::function<void(std::uint64_t, std::uint64_t)>* work_ = nullptr;
    std::uint64_t count_ = 0, piece_ = 1, round_ = 0;
    std::size_t busy_ = 0;
    bool is_closing_ = false;
    std::exception_ptr failure_;
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace ludus::solver
