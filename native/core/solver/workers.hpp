// A pool of threads that process the rows of a table.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ludus::solver {

class Workers {
public:
    explicit Workers(int threads) {
        for (int i = 1; i < threads; ++i) crew_.emplace_back([this] { serve(); });
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers() {
        {
            const std::lock_guard lock(mutex_);
            is_closing_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : crew_) worker.join();
    }

    // Calls work(first, last) for pieces of 0 .. count - 1, on all threads, until all is done.
    void share(std::uint64_t count, std::uint64_t piece,
               const std::function<void(std::uint64_t, std::uint64_t)>& work) {
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            count_ = count;
            piece_ = piece;
            next_ = 0;
            busy_ = crew_.size();
            ++round_;
        }
        wake_.notify_all();
        run(work);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
    }

private:
    void run(const std::function<void(std::uint64_t, std::uint64_t)>& work) {
        for (std::uint64_t first = next_.fetch_add(piece_); first < count_;
             first = next_.fetch_add(piece_)) {
            work(first, std::min(count_, first + piece_));
        }
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
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace ludus::solver
