// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/spans.h"

#include <cstring>
#include <new>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

// The length of the name, without the rest of a character that is cut.
std::size_t length_of(const char* name) {
    std::size_t bytes = strnlen(name, Spans::kNameBytes + 1);
    if (bytes <= Spans::kNameBytes) return bytes;
    bytes = Spans::kNameBytes;
    while (bytes > 0 && (static_cast<unsigned char>(name[bytes]) & 0xc0) == 0x80)
        --bytes;
    return bytes;
}

} // namespace

Spans* Spans::make() {
    void* const memory = map_memory(sizeof(Spans));
    return memory != nullptr ? ::new (memory) Spans : nullptr;
}

std::uint32_t Spans::number_of(const char* name) {
    const std::size_t bytes = length_of(name);
    if (bytes == 0) return 0;
    for (std::uint32_t number = 1; number <= used_; ++number) {
        const Name& known = this->name(number);
        if (known.bytes == bytes && std::memcmp(known.text, name, bytes) == 0) return number;
    }
    if (used_ == kNames) return 0;
    Name& fresh = names_[used_];
    std::memcpy(fresh.text, name, bytes);
    fresh.bytes = static_cast<std::uint32_t>(bytes);
    return ++used_;
}

void Spans::forget_what_is_told() {
    for (std::uint32_t number = 1; number <= used_; ++number)
        name(number).is_told = false;
}

bool Spans::open(std::uint32_t name) {
    const std::uint32_t at = depth_++;
    if (at >= kDepth) return false;
    open_[at] = name;
    return true;
}

bool Spans::close(std::uint32_t& name) {
    if (depth_ == 0) return false;
    if (--depth_ >= kDepth) return false;
    name = open_[depth_];
    return true;
}

} // namespace teff::probe::trace
