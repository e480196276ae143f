// SPDX-License-Identifier: Apache-2.0
// Functions that all fuzz targets use: they split the fuzzer's bytes into values, and report a
// violated condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace teff::fuzz {

// Not an assertion: it holds in every build, and the fuzzer keeps the input that broke it.
#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) __builtin_trap();                                                                            \
    } while (false)

// Reads from the front; zeros when the bytes are used up.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    bool empty() const { return size_ == 0; }

    std::uint8_t byte() {
        std::uint8_t value = 0;
        take(&value, sizeof value);
        return value;
    }

    std::uint64_t word() {
        std::uint64_t value = 0;
        take(&value, sizeof value);
        return value;
    }

    // The next line without its end; nothing more after the last one.
    std::string_view line() {
        const std::string_view rest = text();
        const std::size_t length = rest.find('\n');
        const std::string_view found = length == std::string_view::npos ? rest : rest.substr(0, length);
        skip(found.size() + 1);
        return found;
    }

    // All that is left.
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  private:
    void take(void* to, std::size_t bytes) {
        const std::size_t have = bytes < size_ ? bytes : size_;
        if (have != 0) std::memcpy(to, data_, have);
        skip(have);
    }

    void skip(std::size_t bytes) {
        const std::size_t have = bytes < size_ ? bytes : size_;
        data_ += have;
        size_ -= have;
    }

    const std::uint8_t* data_;
    std::size_t size_;
};

} // namespace teff::fuzz
