// SPDX-License-Identifier: Apache-2.0
// IndexVector: numbers as GCC passes them for the loops of a doacross nest, outermost first: an
// array of `long` or of `unsigned long long`.
#pragma once

#include <cstdint>
#include <cstring>

namespace teff::loop {

class IndexVector {
  public:
    IndexVector() = default;
    IndexVector(const long* array) : array_(array) {}
    IndexVector(const unsigned long long* array) : array_(array) {}

    std::uint64_t operator[](unsigned i) const { // none is negative
        std::uint64_t value;
        std::memcpy(&value, static_cast<const char*>(array_) + i * sizeof value, sizeof value);
        return value;
    }

  private:
    const void* array_ = nullptr;
};

} // namespace teff::loop
