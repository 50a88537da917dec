// What is remembered of positions, shared by all threads of a search without locks: an entry is
// two words, and the first is hidden by the second, so that a torn entry matches no position.
//
// Each search is a new generation. Entries of an older one count as empty, so that a search comes
// to the same result whatever was searched before it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <optional>

#include "morris/moves.hpp"
#include "search/score.hpp"

namespace ludus::search {

enum class Bound : std::uint8_t { at_least = 1, at_most = 2, exact = 3 };

struct Remembered {
    morris::Move move;  // all parts absent where none was best
    Score score = 0;    // distances counted from the position itself
    int depth = 0;
    Bound bound = Bound::exact;
};

class Table {
public:
    explicit Table(std::size_t megabytes)
        : size_(std::bit_floor(std::max<std::size_t>(megabytes, 1) * (1 << 20) / sizeof(Bucket))),
          buckets_(std::make_unique<Bucket[]>(size_)) {}

    void begin_search() {
        if (++generation_ == 0) {
            for (std::size_t i = 0; i < size_; ++i) buckets_[i] = Bucket{};
            generation_ = 1;
        }
    }

    std::optional<Remembered> find(std::uint64_t key) const {
        for (const Entry& entry : bucket(key).entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            if ((entry.hidden.load(std::memory_order_relaxed) ^ data) == key && is_current(data)) {
                return unpacked(data);
            }
        }
        return std::nullopt;
    }

    // Takes the place of the same position, or of nothing, or of what was searched least deeply.
    void store(std::uint64_t key, const Remembered& what) {
        Entry* place = nullptr;
        int least = 1 << 20;
        for (Entry& entry : bucket(key).entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            const bool is_same = (entry.hidden.load(std::memory_order_relaxed) ^ data) == key;
            if (is_same && is_current(data)) {
                place = &entry;
                break;
            }
            const int depth = is_current(data) ? unpacked(data).depth : -1;
            if (depth < least) {
                least = depth;
                place = &entry;
            }
        }
        const std::uint64_t data = packed(what);
        place->hidden.store(key ^ data, std::memory_order_relaxed);
        place->data.store(data, std::memory_order_relaxed);
    }

private:
    struct Entry {
        std::atomic<std::uint64_t> hidden{0}, data{0};

        Entry& operator=(const Entry&) {
            hidden = 0;
            data = 0;
            return *this;
        }
    };
    struct alignas(64) Bucket {
        std::array<Entry, 4> entries;
    };

    Bucket& bucket(std::uint64_t key) const {
        std::uint64_t h = key * 0x9E3779B97F4A7C15u;
        h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
        return buckets_[(h ^ (h >> 32)) & (size_ - 1)];
    }

    bool is_current(std::uint64_t data) const { return data >> 56 == generation_; }

    std::uint64_t packed(const Remembered& r) const {
        return std::uint64_t{r.move.from} | std::uint64_t{r.move.to} << 5 |
               std::uint64_t{r.move.take} << 10 | static_cast<std::uint64_t>(r.bound) << 15 |
               static_cast<std::uint64_t>(r.depth) << 17 |
               static_cast<std::uint64_t>(r.score + 32'768) << 32 |
               std::uint64_t{generation_} << 56;
    }
    static Remembered unpacked(std::uint64_t data) {
        return {{static_cast<std::uint8_t>(data & 31), static_cast<std::uint8_t>(data >> 5 & 31),
                 static_cast<std::uint8_t>(data >> 10 & 31)},
                static_cast<Score>(data >> 32 & 0xFFFF) - 32'768,
                static_cast<int>(data >> 17 & 255),
                static_cast<Bound>(data >> 15 & 3)};
    }

    std::size_t size_;
    std::unique_ptr<Bucket[]> buckets_;
    std::uint8_t generation_ = 0;
};

}  // namespace ludus::search
