// SPDX-License-Identifier: Apache-2.0
#include "abi/device_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/list.h"
#include "base/report.h"
#include "device/between.h"
#include "device/host.h"

namespace teff::abi {

namespace {

using base::List;
using device::Copy;

constexpr std::size_t kPiece_bytes = 1 << 20; // of a fill

device::Address number_of(const char* address) { return reinterpret_cast<device::Address>(address); }

class Piece {
  public:
    explicit Piece(std::size_t bytes)
        : bytes_(std::min(bytes, kPiece_bytes)), memory_(static_cast<char*>(std::malloc(bytes_))) {
        if (memory_ == nullptr && bytes_ != 0) base::fatal(ENOMEM, "no memory for a copy to a device");
    }
    ~Piece() { std::free(memory_); }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    std::size_t bytes() const { return bytes_; }
    char* memory() { return memory_; }

  private:
    std::size_t bytes_;
    char* memory_;
};

// The rows of a box, of which one end is in this process, and which are copied together.
struct Rows {
    MemoryAt to, from;
    device::Where where;
    List<Copy> list;

    void add(std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
        const device::Address of_to = number_of(to.address + to_offset),
                              of_from = number_of(from.address + from_offset);
        list.push(to.place.is_host ? Copy{of_from, of_to, bytes} : Copy{of_to, of_from, bytes});
    }
    void move() {
        const List<Copy> none;
        if (to.place.is_host) device::copy(from.place.device, none, list, where);
        else device::copy(to.place.device, list, none, where);
        list.clear();
    }
    std::size_t size() const { return list.size(); }
};

// The same for a box on devices.
struct RowsBetween {
    MemoryAt to, from;
    device::Where where;
    device::Ranges written, read;

    RowsBetween(MemoryAt to_, MemoryAt from_, device::Where where_)
        : to(to_), from(from_), where(where_), written{to_.place.device, {}}, read{from_.place.device, {}} {}

    void add(std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
        written.list.push({number_of(to.address + to_offset), bytes});
        read.list.push({number_of(from.address + from_offset), bytes});
    }
    void move() {
        device::copy_between(written, read, where);
        written.list.clear();
        read.list.clear();
    }
    std::size_t size() const { return read.list.size(); }
};

// A box is copied in constructs of so many rows, whose lists need memory, too.
template <class R> void add_row(void* data, std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    R& rows = *static_cast<R*>(data);
    if (rows.size() == kMost) rows.move();
    rows.add(to_offset, from_offset, bytes);
}

struct RowsHere {
    char* to;
    const char* from;
};
void copy_row(void* data, std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
    const auto& rows = *static_cast<const RowsHere*>(data);
    std::memcpy(rows.to + to_offset, rows.from + from_offset, bytes);
}

bool is_between_devices(MemoryAt to, MemoryAt from) { return !to.place.is_host && !from.place.is_host; }
bool is_here(MemoryAt to, MemoryAt from) { return to.place.is_host && from.place.is_host; }

} // namespace

void copy_bytes(MemoryAt to, MemoryAt from, std::size_t bytes, device::Where where) {
    if (is_here(to, from)) {
        std::memcpy(to.address, from.address, bytes);
        return;
    }
    if (is_between_devices(to, from)) {
        RowsBetween rows(to, from, where);
        rows.add(0, 0, bytes);
        return rows.move();
    }
    Rows rows = {to, from, where, {}};
    rows.add(0, 0, bytes);
    rows.move();
}

void copy_box(MemoryAt to, MemoryAt from, const Rectangle& box, device::Where where) {
    if (is_here(to, from)) {
        RowsHere rows = {to.address, from.address};
        return for_rows(box, copy_row, &rows);
    }
    if (is_between_devices(to, from)) {
        RowsBetween rows(to, from, where);
        for_rows(box, add_row<RowsBetween>, &rows);
        return rows.move();
    }
    Rows rows = {to, from, where, {}};
    for_rows(box, add_row<Rows>, &rows);
    rows.move();
}

void fill(MemoryAt memory, int value, std::size_t bytes, device::Where where) {
    if (memory.place.is_host) {
        std::memset(memory.address, value, bytes);
        return;
    }
    Piece piece(bytes);
    std::memset(piece.memory(), value, piece.bytes());
    for (std::size_t at = 0; at < bytes; at += piece.bytes())
        copy_bytes({memory.place, memory.address + at}, {kHostMemory, piece.memory()},
                   std::min(piece.bytes(), bytes - at), where);
}

} // namespace teff::abi
