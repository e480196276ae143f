// SPDX-License-Identifier: Apache-2.0

#include "explore/memory.h"

namespace teff::explore {

namespace {

bool acquires(std::memory_order order) {
    return order != std::memory_order_relaxed && order != std::memory_order_release;
}

bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

} // namespace

void Memory::reset() {
    for (View& each : views_) {
        each.clock = Clock{};
        each.fence_released = Clock{};
        each.fence_acquirable = Clock{};
        each.buffer.clear();
        each.writes = 0;
    }
    writes_ = 0;
    tick(main_slot);
}

void Memory::start_thread(int slot) {
    view(slot).clock = view(main_slot).clock;
    tick(slot);
}

void Memory::join_thread(int slot) { view(main_slot).clock.join(view(slot).clock); }

void Memory::create(int slot, Object& object, const void* address, const char* kind) {
    object.number = trace_.add_object(address, kind);
    object.creator = slot;
    object.created_at = view(slot).clock.at[static_cast<std::size_t>(slot)];
}

void Memory::forget(const Location& location) {
    for (View& each : views_) {
        std::erase_if(each.buffer, [&](const BufferedStore& store) { return store.location == &location; });
    }
}

std::uint64_t Memory::load(int slot, Location& location, std::memory_order order) {
    use(slot, location);
    const auto& buffer = view(slot).buffer;
    for (auto store = buffer.rbegin(); store != buffer.rend(); ++store) {
        if (store->location == &location) {
            return store->value;
        }
    }
    acquire(slot, location, order);
    return location.value;
}

void Memory::store(int slot, Location& location, std::uint64_t value, std::memory_order order) {
    use(slot, location);
    const Clock& released = published(slot, order);
    if (order == std::memory_order_seq_cst || slot == main_slot) {
        drain(slot);
        write(slot, location, value, released);
    } else {
        view(slot).buffer.push_back({&location, value, released});
    }
    tick(slot);
}

std::uint64_t Memory::begin_update(int slot, Location& location) {
    drain(slot);
    use(slot, location);
    return location.value;
}

void Memory::acquire(int slot, const Location& location, std::memory_order order) {
    View& own = view(slot);
    own.fence_acquirable.join(location.released);
    if (acquires(order)) {
        own.clock.join(location.released);
    }
}

void Memory::update(int slot, Location& location, std::uint64_t value, std::memory_order order) {
    Clock released = location.released;
    released.join(published(slot, order));
    write(slot, location, value, released);
    tick(slot);
}

void Memory::fence(int slot) {
    drain(slot);
    View& own = view(slot);
    own.clock.join(own.fence_acquirable);
    own.fence_released = own.clock;
    tick(slot);
}

void Memory::flush_oldest(int slot) {
    View& own = view(slot);
    const BufferedStore store = own.buffer.front();
    own.buffer.pop_front();
    write(slot, *store.location, store.value, store.released);
    trace_.add({.kind = EventKind::flush,
                .thread = static_cast<std::uint8_t>(slot),
                .object = store.location->number,
                .after = store.value});
}

void Memory::drain(int slot) {
    while (has_buffered(slot)) {
        flush_oldest(slot);
    }
}

int Memory::unordered_birth(int slot, const Object& object) const {
    const auto creator = static_cast<std::size_t>(object.creator);
    return view(slot).clock.at[creator] < object.created_at ? object.creator : -1;
}

int Memory::unordered_end(int slot, const Location& location) const {
    return view(slot).clock.first_unknown(location.used);
}

int Memory::unordered_read(int slot, PlainAccesses& plain) {
    const auto index = static_cast<std::size_t>(slot);
    const Clock& clock = view(slot).clock;
    plain.reads.at[index] = clock.at[index];
    return clock.first_unknown(plain.writes);
}

int Memory::unordered_write(int slot, PlainAccesses& plain) {
    const auto index = static_cast<std::size_t>(slot);
    const Clock& clock = view(slot).clock;
    plain.writes.at[index] = clock.at[index];
    const int writer = clock.first_unknown(plain.writes);
    return writer >= 0 ? writer : clock.first_unknown(plain.reads);
}

void Memory::use(int slot, Location& location) {
    const auto index = static_cast<std::size_t>(slot);
    location.used.at[index] = view(slot).clock.at[index];
}

void Memory::write(int slot, Location& location, std::uint64_t value, const Clock& released) {
    location.value = value;
    location.released = released;
    ++view(slot).writes;
    ++writes_;
}

const Clock& Memory::published(int slot, std::memory_order order) const {
    return releases(order) ? view(slot).clock : view(slot).fence_released;
}

} // namespace teff::explore
