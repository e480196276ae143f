// SPDX-License-Identifier: Apache-2.0
#include "device/host.h"

#include <algorithm>
#include <cstring>

#include "base/report.h"
#include "device/item_use.h"
#include "device/later_libraries.h"
#include "device/placement.h"
#include "device/turn.h"
#include "sync/mutex.h"

namespace teff::device {

namespace {

[[noreturn]] void give_up(const Device& device, const Problem& problem, Where where) {
    base::fatal(0, "%s cannot run on device %u: item %zu of its map clauses, %llu bytes at %p: %s",
                describe(device, where).text, device.number, problem.item + 1,
                static_cast<unsigned long long>(problem.host.bytes), reinterpret_cast<void*>(problem.host.address),
                problem.text);
}

// Calls `change` while no other thread reads the device's tables.
template <class Change> void change_memory(Device& device, Change&& change) {
    const sync::MutexGuard guard(device.memory_mutex);
    change(device.memory);
}

// For regions that are placed.
void note_variables(Device& device, const Items& items) {
    if (!places_regions()) return;
    const sync::MutexGuard guard(device.memory_mutex);
    device.has_variables = device.has_variables || names_variable(device.memory, items);
}

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

void to_ranges(const base::List<Copy>& copies, base::List<Range>& ranges) {
    for (const Copy& copy : copies)
        ranges.push({copy.device, copy.bytes});
}

// The first of the slots, which are in order, that ends in the range or behind it.
std::size_t first_slot(const base::List<Address>& slots, Range range) {
    const auto ends_before = [=](Address slot) { return slot + sizeof(Address) <= range.address; };
    return static_cast<std::size_t>(std::partition_point(slots.begin(), slots.end(), ends_before) - slots.begin());
}

// Receives the copy, but for the slots: pointers of the host that have another value on the device.
// Other threads may read such a pointer at any time, for what another device is to get.
void receive_around(Turn& turn, const Copy& copy, const base::List<Address>& slots) {
    char received[1024]; // on a small stack
    for (std::size_t done = 0; done < copy.bytes;) {
        const Range part = {copy.host + done, std::min<std::size_t>(copy.bytes - done, sizeof received)};
        turn.receive(received, part.bytes);
        Address from = part.address;
        const auto store_until = [&](Address to) {
            if (to > from) std::memcpy(pointer(from), received + (from - part.address), to - from);
        };
        for (std::size_t i = first_slot(slots, part); i < slots.size() && slots[i] < part.end(); ++i) {
            store_until(slots[i]);
            from = std::max(from, slots[i] + sizeof(Address));
        }
        store_until(part.end());
        done += part.bytes;
    }
}

void receive_answer(Turn& turn, const Plan& plan) {
    Answer answer;
    while (!turn.take_answer(answer))
        continue;
    turn.events().is_answered(answer.times);
    if (answer.header.bytes != sizeof answer.times + bytes_of(plan.from_device))
        turn.refuse("its length is not that of the data asked for");
    base::List<Address> slots;
    for (const Address slot : plan.kept_slots)
        slots.push(slot);
    std::sort(slots.begin(), slots.end());
    for (const Copy& copy : plan.from_device) {
        const Range range = {copy.host, copy.bytes};
        const std::size_t first = first_slot(slots, range);
        if (first < slots.size() && slots[first] < range.end()) receive_around(turn, copy, slots);
        else turn.receive(pointer(copy.host), copy.bytes);
    }
}

void carry_out(Turn& turn, const Plan& plan, Region region = {}) {
    Device& device = turn.device();
    const Where& where = turn.where();
    if (plan.problem.text != nullptr) give_up(device, plan.problem, where);
    Outgoing outgoing;
    Construct& construct = outgoing.construct;
    if (region.function != nullptr) {
        construct.function = device.memory.modules.translate(reinterpret_cast<Address>(region.function));
        construct.thread_limit = region.thread_limit;
        if (construct.function == 0)
            base::fatal(0, "%s cannot run on device %u, which has not loaded the library that contains it",
                        describe(device, where).text, device.number);
    }
    const bool is_empty = plan.to_device.empty() && plan.stores.empty() && plan.from_device.empty();
    if (!is_empty || construct.function != 0) {
        construct.arguments = plan.arguments;
        to_ranges(plan.to_device, outgoing.copies);
        to_ranges(plan.from_device, outgoing.reads);
        outgoing.stores = &plan.stores;
        outgoing.data = &plan.to_device;
        outgoing.written_back = &plan.from_device;
        turn.events().sends();
        turn.send(outgoing);
        receive_answer(turn, plan);
    }
    turn.release(plan.released);
    turn.events().ends(reinterpret_cast<const void*>(region.function), bytes_of(plan.to_device) + plan.sent_ahead_bytes,
                       bytes_of(plan.from_device));
    device.traffic.count_construct(plan, construct.function != 0);
}

} // namespace

void print_figures() {
    for (unsigned i = 0; i < device_count(); ++i)
        device_at(i).traffic.print(i);
}

void run_region(unsigned device, const Items& items, Region region, Where where) {
    Turn turn(device, where);
    load_later_libraries(turn, items, reinterpret_cast<Address>(region.function));
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_region(memory, items, plan); });
    carry_out(turn, plan, region);
}

void enter_data(unsigned device, const Items& items, base::List<Held>* held, Where where) {
    Turn turn(device, where);
    load_later_libraries(turn, items, 0);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_enter(memory, items, plan, held); });
    note_variables(turn.device(), items);
    carry_out(turn, plan);
}

void leave_data(unsigned device, const base::List<Held>& held, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_leave(memory, held, plan); });
    carry_out(turn, plan);
}

void exit_data(unsigned device, const Items& items, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_exit(memory, items, plan); });
    carry_out(turn, plan);
}

void update_data(unsigned device, const Items& items, Where where) {
    Turn turn(device, where);
    load_later_libraries(turn, items, 0);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_update(memory, items, plan); });
    note_variables(turn.device(), items);
    carry_out(turn, plan);
}

void* allocate(unsigned device, std::size_t bytes, Where where) {
    Turn turn(device, where);
    Range block;
    change_memory(turn.device(), [&](Memory& memory) { block = memory.heap.allocate(bytes); });
    if (block.bytes != 0) turn.device().allocated.push(block);
    return pointer(block.address);
}

void release(unsigned device, void* memory, Where where) {
    Turn turn(device, where);
    base::List<Range>& allocated = turn.device().allocated;
    for (std::size_t i = allocated.size(); i-- > 0;) {
        if (allocated[i].address != reinterpret_cast<Address>(memory)) continue;
        base::List<Range> released;
        released.push(allocated[i]);
        turn.release(released);
        allocated.erase(i);
        return;
    }
}

void copy(unsigned device, const base::List<Copy>& to_device, const base::List<Copy>& from_device, Where where) {
    Turn turn(device, where);
    Plan plan;
    for (const Copy& copy : to_device)
        plan.to_device.push(copy);
    for (const Copy& copy : from_device)
        plan.from_device.push(copy);
    carry_out(turn, plan);
}

void* mapped_address(unsigned device, const void* host, Where where) {
    Turn turn(device, where);
    const Entry* const entry = turn.device().memory.presence.overlapping({reinterpret_cast<Address>(host), 1});
    return entry != nullptr ? pointer(entry->at(reinterpret_cast<Address>(host))) : nullptr;
}

bool is_present(unsigned device, const void* host, Where where) {
    Turn turn(device, where);
    return turn.device().memory.presence.at_or_before(reinterpret_cast<Address>(host)) != nullptr;
}

bool associate(unsigned device, const void* host, std::size_t bytes, void* memory, Where where) {
    Turn turn(device, where);
    const Range range = {reinterpret_cast<Address>(host), bytes};
    const auto address = reinterpret_cast<Address>(memory);
    Presence& presence = turn.device().memory.presence;
    if (bytes == 0) return false;
    if (const Entry* const entry = presence.overlapping(range))
        return entry->host.contains(range) && entry->is_permanent && entry->at(range.address) == address;
    change_memory(turn.device(), [&](Memory&) { presence.add({range, address, 1, true, false, 0, {}}); });
    return true;
}

bool disassociate(unsigned device, const void* host, Where where) {
    Turn turn(device, where);
    Presence& presence = turn.device().memory.presence;
    Entry* const entry = presence.overlapping({reinterpret_cast<Address>(host), 1});
    if (entry == nullptr || !entry->is_permanent || entry->host.address != reinterpret_cast<Address>(host))
        return false;
    change_memory(turn.device(), [&](Memory&) { presence.remove(*entry); });
    return true;
}

void find_present(unsigned device, const Items& items, bool* has) {
    Device& of = device_at(device);
    const sync::MutexGuard guard(of.memory_mutex);
    for (std::size_t i = 0; i < items.count; ++i)
        has[i] = is_present(of.memory, items, i);
}

bool is_bound_to(unsigned device, const Items& items) {
    Device& of = device_at(device);
    const sync::MutexGuard guard(of.memory_mutex);
    return of.has_variables || names_address_in(of.heap, items);
}

} // namespace teff::device
