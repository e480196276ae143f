// SPDX-License-Identifier: Apache-2.0
//
// List: a growing array of trivially copyable elements. Growing may move the elements. A List has
// no lock: its owner sees to it that one thread at a time uses it.
//
// Memory says where the elements lie, by two static functions:
//     void* grow(void* memory, std::size_t old_bytes, std::size_t& bytes)
//                         returns at least `bytes` bytes that begin with the old ones, and stores
//                         how many; ends the program if there are none. `memory` may be null
//     void release(void* memory, std::size_t bytes)
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/report.h"

namespace teff::base {

template <class T, class Memory> class ListOver {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    constexpr ListOver() = default;
    ~ListOver() { release(); }
    ListOver(const ListOver&) = delete;
    ListOver& operator=(const ListOver&) = delete;

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return items_; }
    const T* data() const { return items_; }
    T& operator[](std::size_t index) { return items_[index]; }
    const T& operator[](std::size_t index) const { return items_[index]; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }
    T& back() { return items_[size_ - 1]; }

    void clear() { size_ = 0; }
    void push(T item) { *extend(1) = item; }
    T pop() { return items_[--size_]; }
    // Adds `count` elements at the end, with undefined content.
    T* extend(std::size_t count) {
        if (count > capacity() - size_) grow(size_ + count);
        T* const first = items_ + size_;
        size_ += count;
        return first;
    }
    void append(const T* items, std::size_t count) {
        if (count != 0) std::memcpy(extend(count), items, count * sizeof(T));
    }
    T& insert(std::size_t index, T item) {
        extend(1);
        std::memmove(static_cast<void*>(items_ + index + 1), items_ + index, (size_ - 1 - index) * sizeof(T));
        return items_[index] = item;
    }
    void erase(std::size_t index, std::size_t count = 1) {
        if (count == 0) return;
        std::memmove(static_cast<void*>(items_ + index), items_ + index + count, (size_ - index - count) * sizeof(T));
        size_ -= count;
    }
    // Elements that are added have the value `T{}`.
    void resize(std::size_t size) {
        const std::size_t before = size_;
        if (size > before) extend(size - before);
        for (std::size_t i = before; i < size; ++i)
            items_[i] = T{};
        size_ = size;
    }
    void swap(ListOver& other) {
        std::swap(items_, other.items_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
    }
    void release() {
        if (items_ != nullptr) Memory::release(items_, bytes_);
        items_ = nullptr;
        size_ = bytes_ = 0;
    }

  private:
    std::size_t capacity() const { return bytes_ / sizeof(T); }
    void grow(std::size_t needed) {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(needed, sizeof(T), &bytes)) bytes = SIZE_MAX;
        if (bytes < 2 * bytes_) bytes = 2 * bytes_;
        items_ = static_cast<T*>(Memory::grow(items_, bytes_, bytes));
        bytes_ = bytes;
    }

    T* items_ = nullptr;
    std::size_t size_ = 0, bytes_ = 0;
};

// Memory from malloc.
struct HeapMemory {
    static void* grow(void* memory, std::size_t, std::size_t& bytes) {
        constexpr std::size_t kLeast_bytes = 64;
        if (bytes < kLeast_bytes) bytes = kLeast_bytes;
        void* const grown = bytes <= PTRDIFF_MAX ? std::realloc(memory, bytes) : nullptr;
        if (grown == nullptr) fatal(ENOMEM, "no memory for a table of %zu bytes", bytes);
        return grown;
    }
    static void release(void* memory, std::size_t) { std::free(memory); }
};

template <class T> using List = ListOver<T, HeapMemory>;

} // namespace teff::base
