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

// The rows of a box, of which one end is in this process.
struct Rows {
    MemoryAt to, from;
    List<Copy> list;
};

// The rows of a box on devices.
struct RowsBetween {
    MemoryAt to, from;
    device::Ranges written, read;

    RowsBetween(MemoryAt to_, MemoryAt from_)
        : to(to_), from(from_), written{to_.place.device, {}}, read{from_.place.device, {}} {}
};

void move(const Rows& rows, device::Where where) {
    const List<Copy> none;
    if (rows.to.place.is_host) device::copy(rows.from.place.device, none, rows.list, where);
    else device::copy(rows.to.place.device, rows.list, none, where);
}

void add_row(void* data, std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
    auto& rows = *static_cast<Rows*>(data);
    const char *const to = rows.to.address + to_offset, *const from = rows.from.address + from_offset;
    if (rows.to.place.is_host) rows.list.push({number_of(from), number_of(to), bytes});
    else rows.list.push({number_of(to), number_of(from), bytes});
}

void add_row_between(void* data, std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
    auto& rows = *static_cast<RowsBetween*>(data);
    rows.written.list.push({number_of(rows.to.address + to_offset), bytes});
    rows.read.list.push({number_of(rows.from.address + from_offset), bytes});
}

void copy_row(void* data, std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
    const auto& rows = *static_cast<const Rows*>(data);
    std::memcpy(rows.to.address + to_offset, rows.from.address + from_offset, bytes);
}

bool is_between_devices(MemoryAt to, MemoryAt from) { return !to.place.is_host && !from.place.is_host; }

} // namespace

void copy_bytes(MemoryAt to, MemoryAt from, std::size_t bytes, device::Where where) {
    if (to.place.is_host && from.place.is_host) {
        std::memcpy(to.address, from.address, bytes);
        return;
    }
    if (is_between_devices(to, from)) {
        RowsBetween rows(to, from);
        add_row_between(&rows, 0, 0, bytes);
        return device::copy_between(rows.written, rows.read, where);
    }
    Rows rows = {to, from, {}};
    add_row(&rows, 0, 0, bytes);
    move(rows, where);
}

// One construct for all rows on a device.
void copy_box(MemoryAt to, MemoryAt from, const Rectangle& box, device::Where where) {
    if (is_between_devices(to, from)) {
        RowsBetween rows(to, from);
        for_rows(box, add_row_between, &rows);
        return device::copy_between(rows.written, rows.read, where);
    }
    Rows rows = {to, from, {}};
    if (to.place.is_host && from.place.is_host) return for_rows(box, copy_row, &rows);
    for_rows(box, add_row, &rows);
    move(rows, where);
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
