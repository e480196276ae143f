// SPDX-License-Identifier: Apache-2.0
//
// List: a growing array, in memory that is mapped for it alone.
//
// A List does not use malloc, for two reasons: lists are used at times when the program may have
// been interrupted inside malloc, and their elements belong to one process and must not lie in
// shared memory. The elements are trivially copyable; growing may move them.
#pragma once

#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

#include "processes/report.h"

namespace teff::processes {

template <class T> class List {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    constexpr List() = default;
    ~List() { release(); }
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
    T& back() { return items_[size_ - 1]; }

    void clear() { size_ = 0; }
    void shrink_to(std::size_t size) { size_ = size; }
    void push(const T& item) {
        if (size_ == room_) grow(size_ + 1);
        items_[size_++] = item;
    }
    T pop() { return items_[--size_]; }
    // Adds `count` elements at the end, with undefined content.
    T* extend(std::size_t count) {
        if (size_ + count > room_) grow(size_ + count);
        T* const first = items_ + size_;
        size_ += count;
        return first;
    }
    void append(const T* items, std::size_t count) {
        if (count != 0) std::memcpy(extend(count), items, count * sizeof(T));
    }
    void remove_front(std::size_t count) {
        std::memmove(items_, items_ + count, (size_ - count) * sizeof(T));
        size_ -= count;
    }
    void remove_at(std::size_t index) {
        std::memmove(items_ + index, items_ + index + 1, (size_ - index - 1) * sizeof(T));
        --size_;
    }
    void swap(List& other) {
        std::swap(items_, other.items_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }
    void release() {
        if (items_ != nullptr) munmap(items_, room_ * sizeof(T));
        items_ = nullptr;
        size_ = room_ = 0;
    }

  private:
    void grow(std::size_t needed) {
        constexpr std::size_t kGrain = 4096;
        std::size_t bytes = room_ * sizeof(T) * 2;
        if (bytes < needed * sizeof(T)) bytes = needed * sizeof(T);
        bytes = (bytes + kGrain - 1) / kGrain * kGrain;
        void* const memory = items_ == nullptr
                                 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : mremap(items_, mapped(), bytes, MREMAP_MAYMOVE);
        if (memory == MAP_FAILED) fail("no memory for %zu bytes of the runtime's own", bytes);
        items_ = static_cast<T*>(memory);
        room_ = bytes / sizeof(T);
    }
    std::size_t mapped() const { return (room_ * sizeof(T) + 4095) / 4096 * 4096; }

    T* items_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

} // namespace teff::processes
