// SPDX-License-Identifier: Apache-2.0
#include "grain.h"

#include <cstring>

namespace teff::instructions {

namespace {

// The natural logarithm of a number from 1 to 1024, without the mathematical library.
double logarithm(double value) {
    int halvings = 0;
    for (; value > 1.5; value /= 2)
        ++halvings;
    const double x = (value - 1) / (value + 1);
    double sum = 0, power = x;
    for (int n = 1; n < 30; n += 2, power *= x * x)
        sum += power / n;
    return 2 * sum + halvings * 0.6931471805599453;
}

constexpr unsigned kLineBits = 42; // of user space's 2^48 bytes

std::uint64_t hash_of(std::uintptr_t line) {
    std::uint64_t hash = line * 0x9e3779b97f4a7c15ull; // the golden ratio's; then its upper bits are mixed down
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ull;
    return hash ^ hash >> 32;
}

} // namespace

// Only one call in 2^22 has to empty all places.
void Footprint::clear() {
    life_ += std::uint64_t{1} << kLineBits;
    if (life_ == 0) {
        std::memset(places_, 0, sizeof places_);
        life_ = std::uint64_t{1} << kLineBits;
    }
    exact_ = 0;
}

void Footprint::enter(std::uintptr_t line) {
    const std::uint64_t hash = hash_of(line);
    if (exact_ > kExact) return enter_hash(hash);
    const std::uint64_t entry = life_ | line;
    for (std::uint64_t place = hash % kPlaces;; place = (place + 1) % kPlaces) {
        if (places_[place] == entry) return;
        if (places_[place] >> kLineBits == life_ >> kLineBits) continue;
        places_[place] = entry;
        if (++exact_ > kExact) estimate();
        return;
    }
}

// Called when there are too many lines for the set.
void Footprint::estimate() {
    std::memset(registers_, 0, sizeof registers_);
    for (const std::uint64_t entry : places_)
        if (entry >> kLineBits == life_ >> kLineBits)
            enter_hash(hash_of(entry & ((std::uint64_t{1} << kLineBits) - 1)));
}

void Footprint::enter_hash(std::uint64_t hash) {
    const auto rank = static_cast<std::uint8_t>(__builtin_clzll(hash << kRegisterBits | 1) + 1);
    std::uint8_t& place = registers_[hash >> (64 - kRegisterBits)];
    if (place < rank) place = rank;
}

void Grain::initialise() {
    for (Slot& slot : slots)
        slot = {kNoLine, 0, 0};
    used = 0;
    clear();
}

void Grain::clear() {
    instructions = reads = writes = stack_reads = stack_writes = 0;
    for (; used != 0; used &= used - 1)
        slots[__builtin_ctz(used)] = {kNoLine, 0, 0};
    footprint.clear();
}

Accesses Grain::accesses() const {
    Accesses sum = {reads, writes};
    for (std::uint32_t rest = used; rest != 0; rest &= rest - 1) {
        const Slot& slot = slots[__builtin_ctz(rest)];
        sum.reads += slot.reads;
        sum.writes += slot.writes;
    }
    return sum;
}

// The estimate of Flajolet and others, "HyperLogLog", 2007, with its correction for small numbers.
// Hashes have 64 bits, so large numbers need no correction.
std::uint64_t Footprint::lines() const {
    if (exact_ <= kExact) return exact_;
    constexpr double kMost = 2.5 * kRegisters, kBias = 0.7213 / (1 + 1.079 / kRegisters);
    double sum = 0;
    unsigned empty = 0;
    for (const std::uint8_t rank : registers_) {
        sum += 1.0 / static_cast<double>(std::uint64_t{1} << rank);
        empty += rank == 0;
    }
    const double raw = kBias * kRegisters * kRegisters / sum;
    if (raw > kMost || empty == 0) return static_cast<std::uint64_t>(raw + 0.5);
    return static_cast<std::uint64_t>(kRegisters * logarithm(static_cast<double>(kRegisters) / empty) + 0.5);
}

} // namespace teff::instructions
