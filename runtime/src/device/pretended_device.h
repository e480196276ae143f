// SPDX-License-Identifier: Apache-2.0
//
// For unit tests: a device in this process, which carries plans out by copying within it.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "device/plan.h"

namespace teff::device {

// A construct's list of items.
class ItemList {
  public:
    ItemList& add(unsigned kind, const void* address, std::size_t size, unsigned alignment_log = 0) {
        addresses_.push_back(const_cast<void*>(address));
        sizes_.push_back(size);
        kinds_.push_back(static_cast<unsigned short>(kind | alignment_log << 8));
        return *this;
    }
    ItemList& add(MapKind kind, const void* address, std::size_t size) {
        return add(static_cast<unsigned>(kind), address, size);
    }
    Items items() { return {addresses_.size(), addresses_.data(), sizes_.data(), kinds_.data()}; }
    void* address(std::size_t i) const { return addresses_[i]; }
    void** addresses() { return addresses_.data(); }

  private:
    std::vector<void*> addresses_;
    std::vector<std::size_t> sizes_;
    std::vector<unsigned short> kinds_;
};

class PretendedDevice {
  public:
    static constexpr std::size_t kBytes = 1 << 16;

    explicit PretendedDevice(std::size_t bytes = kBytes)
        : bytes_(bytes), block_(new(std::align_val_t{64}) char[bytes]) {
        std::memset(block_, 0x5a, bytes);
        memory.heap.add({address_of(block_), bytes});
    }
    ~PretendedDevice() { ::operator delete[](block_, std::align_val_t{64}); }
    PretendedDevice(const PretendedDevice&) = delete;
    PretendedDevice& operator=(const PretendedDevice&) = delete;

    // Runs a target region, whose body gets the words. Returns the problem, if there is one.
    const char* region(ItemList list, const std::function<void(void** words)>& body) { return run(list, body); }
    // The same, with this very list, by whose addresses data that have been sent ahead are known.
    const char* run(ItemList& list, const std::function<void(void** words)>& body) {
        Plan plan;
        plan_region(memory, list.items(), plan);
        return carry_out(plan, body);
    }
    const char* enter(ItemList& list, base::List<Held>* held = nullptr) {
        Plan plan;
        plan_enter(memory, list.items(), plan, held);
        return carry_out(plan);
    }
    const char* enter(ItemList&& list) { return enter(list); }
    const char* leave(const base::List<Held>& held) {
        Plan plan;
        plan_leave(memory, held, plan);
        return carry_out(plan);
    }
    const char* exit(ItemList list) {
        Plan plan;
        plan_exit(memory, list.items(), plan);
        return carry_out(plan);
    }
    const char* update(ItemList list) {
        Plan plan;
        plan_update(memory, list.items(), plan);
        return carry_out(plan);
    }

    // The device's copy of a variable; null if it is not present.
    template <class T> T* copy_of(const T& variable) {
        const Entry* const entry = memory.presence.overlapping({address_of(&variable), 1});
        return entry != nullptr ? reinterpret_cast<T*>(entry->at(address_of(&variable))) : nullptr;
    }
    bool has(const void* device) const { return device >= block_ && device < block_ + bytes_; }
    bool is_empty() { return memory.presence.size() == 0 && memory.heap.free_bytes() == bytes_; }

    static Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

    Memory memory;
    std::size_t bytes_to = 0, bytes_from = 0; // moved so far, without stores

  private:
    const char* carry_out(const Plan& plan, const std::function<void(void**)>& body = nullptr) {
        if (plan.problem.text != nullptr) return plan.problem.text;
        for (const Copy& copy : plan.to_device) {
            std::memmove(pointer(copy.device), pointer(copy.host), copy.bytes);
            bytes_to += copy.bytes;
        }
        for (const Store& store : plan.stores)
            std::memcpy(pointer(store.device), &store.value, sizeof store.value);
        if (body) body(static_cast<void**>(pointer(plan.arguments)));
        std::vector<Address> values;
        for (const Address slot : plan.kept_slots)
            values.push_back(*static_cast<Address*>(pointer(slot)));
        for (const Copy& copy : plan.from_device) {
            std::memmove(pointer(copy.host), pointer(copy.device), copy.bytes);
            bytes_from += copy.bytes;
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            *static_cast<Address*>(pointer(plan.kept_slots[i])) = values[i];
        for (const Range& range : plan.released)
            memory.heap.give_back(range);
        return nullptr;
    }
    static void* pointer(Address address) { return reinterpret_cast<void*>(address); }

    std::size_t bytes_;
    char* block_;
};

} // namespace teff::device
