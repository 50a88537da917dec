// Sets of points up to the 16 symmetries. Of each class the smallest bitboard stands for all.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "morris/symmetry.hpp"

namespace ludus::solver {

using morris::Bits;

// Where a set belongs: the number of its class among those of its size, and a symmetry that
// takes the set to the class's representative.
struct Place {
    std::uint32_t packed = 0;

    std::uint32_t orbit() const { return packed & 0xFFFFF; }
    int symmetry() const { return static_cast<int>(packed >> 20); }
};

class Orbits {
public:
    explicit Orbits(int max_men) : places_(std::size_t{1} << morris::kPoints) {
        std::array<int, morris::kSymmetries> inverse{};
        for (int g = 0; g < morris::kSymmetries; ++g) {
            for (int h = 0; h < morris::kSymmetries; ++h) {
                // Points 0 and 1 of the outer ring tell all symmetries apart.
                const Bits a = morris::bit(0), b = morris::bit(1);
                if (morris::transformed(morris::transformed(a, g), h) == a &&
                    morris::transformed(morris::transformed(b, g), h) == b) {
                    inverse[static_cast<std::size_t>(g)] = h;
                }
            }
        }
        std::vector<bool> seen(places_.size());
        for (Bits set = 0; set < places_.size(); ++set) {
            const auto men = static_cast<std::size_t>(morris::count(set));
            if (static_cast<int>(men) > max_men || seen[set]) continue;
            const auto orbit = static_cast<std::uint32_t>(representatives_[men].size());
            std::uint16_t stabiliser = 0;
            for (int g = morris::kSymmetries - 1; g >= 0; --g) {
                const Bits image = morris::transformed(set, g);
                const int back = inverse[static_cast<std::size_t>(g)];
                places_[image].packed = orbit | static_cast<std::uint32_t>(back) << 20;
                seen[image] = true;
                if (image == set) stabiliser = static_cast<std::uint16_t>(stabiliser | 1u << g);
            }
            representatives_[men].push_back(set);
            stabilisers_[men].push_back(stabiliser);
        }
    }

    Place place(Bits set) const { return places_[set]; }
    const std::vector<Bits>& representatives(int men) const {
        return representatives_[static_cast<std::size_t>(men)];
    }
    // Bit g is set where symmetry g leaves the representative as it is.
    const std::vector<std::uint16_t>& stabilisers(int men) const {
        return stabilisers_[static_cast<std::size_t>(men)];
    }

private:
    std::vector<Place> places_;
    std::array<std::vector<Bits>, morris::kPoints + 1> representatives_;
    std::array<std::vector<std::uint16_t>, morris::kPoints + 1> stabilisers_;
};

// A symmetry as three tables, one per ring: quicker than the shifts when it is used in a loop.
class SymmetryTable {
public:
    SymmetryTable() {
        for (int g = 0; g < morris::kSymmetries; ++g) {
            for (int ring = 0; ring < 3; ++ring) {
                for (Bits byte = 0; byte < 256; ++byte) {
                    images_[static_cast<std::size_t>(g)][static_cast<std::size_t>(ring)][byte] =
                        morris::transformed(byte << (8 * ring), g);
                }
            }
        }
    }

    using Rings = std::array<std::array<Bits, 256>, 3>;
    const Rings& operator[](int symmetry) const {
        return images_[static_cast<std::size_t>(symmetry)];
    }

private:
    std::array<Rings, morris::kSymmetries> images_{};
};

inline Bits image(const SymmetryTable::Rings& rings, Bits set) {
    return rings[0][set & 255] | rings[1][set >> 8 & 255] | rings[2][set >> 16];
}

inline const SymmetryTable& symmetry_table() {
    static const SymmetryTable table;
    return table;
}

}  // namespace ludus::solver
