// SPDX-License-Identifier: Apache-2.0
//
// List: a growing array of trivially copyable elements, in memory from malloc. Growing may move the
// elements. If there is no memory, the program ends with a message. A List has no lock: its owner
// sees to it that one thread at a time uses it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "base/report.h"

namespace teff::device {

template <class T> class List {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    constexpr List() = default;
    ~List() { std::free(items_); }
    List(const List&) = delete;
    List& operator=(const List&) = delete;

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

    void clear() { size_ = 0; }
    void push(const T& item) { insert(size_, item); }
    T& insert(std::size_t index, T item) {
        reserve(size_ + 1);
        std::memmove(static_cast<void*>(items_ + index + 1), items_ + index, (size_ - index) * sizeof(T));
        ++size_;
        return items_[index] = item;
    }
    void erase(std::size_t index, std::size_t count = 1) {
        std::memmove(static_cast<void*>(items_ + index), items_ + index + count, (size_ - index - count) * sizeof(T));
        size_ -= count;
    }
    // Elements that are added have the value `T{}`.
    void resize(std::size_t size) {
        reserve(size);
        for (; size_ < size; ++size_)
            items_[size_] = T{};
        size_ = size;
    }

  private:
    void reserve(std::size_t size) {
        if (size <= capacity_) return;
        std::size_t capacity = capacity_ < 8 ? 8 : 2 * capacity_;
        if (capacity < size) capacity = size;
        void* const items = capacity <= PTRDIFF_MAX / sizeof(T) ? std::realloc(items_, capacity * sizeof(T)) : nullptr;
        if (items == nullptr) base::fatal(ENOMEM, "no memory for a table of %zu elements", capacity);
        items_ = static_cast<T*>(items);
        capacity_ = capacity;
    }

    T* items_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

} // namespace teff::device
