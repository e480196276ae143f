// SPDX-License-Identifier: Apache-2.0
#include "device/plan.h"

namespace teff::device {

namespace {

constexpr std::uint64_t kWord = sizeof(Address);

constexpr const char* kPartly =
    "a part of this memory is already on the device, as part of an object that begins or ends elsewhere";
constexpr const char* kFull = "the device has no memory left for it";
constexpr const char* kAbsent = "it is not on the device, but the map clause demands that it is";
constexpr const char* kNoTarget = "the memory that this pointer points to is not on the device";
constexpr const char* kNoPointer = "the pointer itself is not on the device";
constexpr const char* kUnknown = "its map kind is not known: the program needs a later Teff";
constexpr const char* kShort = "the compiler's list ends within a structure";

Address load(Address host) { return *reinterpret_cast<const Address*>(host); }

bool is_pointer(MapKind kind) { return kind == MapKind::pointer || kind == MapKind::pointer_to_zero_length; }

// Enters the items of one construct.
class Entering {
  public:
    Entering(Memory& memory, const Items& items, Plan& plan, base::List<Held>& held)
        : memory_(memory), items_(items), plan_(plan), held_(held), step_(++memory.steps) {}

    // Items that need the addresses of others come after these: pointers may point to what a later
    // item maps.
    void run() {
        words_.resize(items_.count);
        if (!reserve_block()) return;
        for (std::size_t i = 0; i < items_.count && ok(); ++i)
            enter(i);
        for (std::size_t i = 0; i < pointers_.size() && ok(); ++i)
            store_pointer(pointers_[i]);
        for (std::size_t i = 0; i < items_.count && ok(); ++i)
            resolve(i);
        for (const Slot& slot : set_slots_)
            if (const Address device = address_of_slot(slot.host)) plan_.stores.push({device, slot.value});
        for (std::size_t i = 0; i < items_.count && block_.bytes != 0; ++i)
            plan_.stores.push({block_.address + i * kWord, words_[i]});
        plan_.arguments = block_.address;
        drop_unused();
    }

    // Reserves memory for the words, and behind them for the copies of firstprivate items.
    void with_block() { has_block_ = true; }
    Range block() const { return block_; }

  private:
    struct Pointer {
        std::size_t item;
        Address slot; // on the host
        std::uint64_t bias;
        bool may_be_absent;
    };

    bool ok() const { return plan_.problem.text == nullptr; }
    void fail(const char* text, std::size_t item, Range host) {
        if (ok()) plan_.problem = {text, item, host};
    }

    bool reserve_block() {
        if (!has_block_) return true;
        std::uint64_t bytes = items_.count * kWord, alignment = RangeHeap::kLine;
        for (std::size_t i = 0; i < items_.count; ++i) {
            if (items_.kind(i) != MapKind::firstprivate || items_.addresses[i] == nullptr) continue;
            const std::uint64_t own = alignment_of(items_.kinds[i]);
            if (own > alignment) alignment = own;
            bytes = (bytes + own - 1) & ~(own - 1);
            words_[i] = bytes; // the address of the block is added below
            bytes += items_.sizes[i];
        }
        block_ = memory_.heap.allocate(bytes, alignment);
        if (block_.bytes == 0) return fail(kFull, 0, {0, bytes}), false;
        return true;
    }

    void enter(std::size_t i) {
        if (i < descriptor_end_) return;
        const MapKind kind = items_.kind(i);
        Transfer transfer;
        if (kind == MapKind::firstprivate_int) words_[i] = items_.address(i);
        else if (items_.addresses[i] == nullptr) words_[i] = 0; // an absent optional argument of Fortran
        else if (get_transfer(kind, transfer)) words_[i] = map(i, items_.range(i), transfer);
        else enter_special(i, kind);
    }

    void enter_special(std::size_t i, MapKind kind) {
        switch (kind) {
        case MapKind::firstprivate:
            if (!has_block_) return fail(kUnknown, i, items_.range(i));
            words_[i] += block_.address;
            plan_.to_device.push({words_[i], items_.address(i), items_.sizes[i]});
            return;
        case MapKind::pointer:
        case MapKind::pointer_to_zero_length:
            return enter_pointer(i);
        case MapKind::to_pset:
            return enter_descriptor(i);
        case MapKind::struct_:
            return enter_structure(i);
        case MapKind::always_pointer:
            return enter_always_pointer(i);
        case MapKind::attach:
        case MapKind::attach_zero_length:
            return enter_attachment(i);
        case MapKind::zero_length:
            return hold_empty(items_.address(i)); // and resolve()
        case MapKind::use_device_ptr:
        case MapKind::use_device_ptr_if_present:
            return; // resolve()
        default:
            fail(kUnknown, i, items_.range(i));
        }
    }

    // Returns the entry that has the range, or part of it for an implicit item that is larger than
    // what is present. The entry counts once for each construct. Null: nothing of it is present, or
    // there is a problem.
    Entry* hold_present(std::size_t i, Range host, const Transfer& transfer) {
        Entry* const entry = memory_.presence.overlapping(host);
        if (entry == nullptr) return nullptr;
        if (!entry->host.contains(host) && !is_implicit(items_.kinds[i])) return fail(kPartly, i, host), nullptr;
        hold(*entry, host, transfer);
        return entry;
    }

    void hold(Entry& entry, Range host, const Transfer& transfer) {
        if (entry.marked != step_) {
            entry.marked = step_;
            entry.is_new = false;
            if (!entry.is_permanent) ++entry.count;
        }
        if (host.bytes == 0 || !entry.host.contains(host)) host = entry.host;
        held_.push({host, false, transfer.from, transfer.always});
    }

    // A section without elements counts what it points into, and maps nothing.
    void hold_empty(Address host) {
        if (Entry* const entry = memory_.presence.at_or_before(host)) hold(*entry, {host, 0}, {});
    }
    // A pointer whose target is not present keeps its value.
    Address resolved(Address host) {
        const Address device = translate(memory_, host);
        return device != 0 ? device : host;
    }

    // Adds an entry for memory that is not present. Memory in a module has the same place in the
    // module on the device, and needs no allocation. Other memory has the same place in a cache
    // line: a structure of which only some members are mapped is aligned as on the host.
    Entry* add_entry(std::size_t i, Range host, const Transfer& transfer) {
        if (transfer.must_be_present) return fail(kAbsent, i, host), nullptr;
        Entry entry = {host, memory_.modules.translate(host.address), 0, false, true, step_, {}};
        if (entry.device == 0) {
            const std::uint64_t in_line = host.address % RangeHeap::kLine;
            const bool fits = host.bytes <= UINT64_MAX - in_line;
            if (take_sent_ahead(host, alignment_of(items_.kinds[i]), entry)) plan_.sent_ahead_bytes += host.bytes;
            else if (fits) entry.block = memory_.heap.allocate(in_line + host.bytes, alignment_of(items_.kinds[i]));
            if (entry.block.bytes == 0) return fail(kFull, i, host), nullptr;
            entry.device = entry.block.address + in_line;
        }
        entry.count = 1;
        held_.push({host, false, transfer.from, transfer.always});
        return &memory_.presence.add(entry);
    }

    // Uses what has been sent ahead for exactly this range, and is as on the host.
    bool take_sent_ahead(Range host, std::uint64_t alignment, Entry& entry) {
        base::List<SentAhead>& sent = memory_.sent_ahead;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const SentAhead& one = sent[i];
            const bool is_it = one.construct == items_.addresses && !one.is_stale && one.host.address == host.address &&
                               one.host.bytes == host.bytes && one.block.address % alignment == 0;
            if (!is_it) continue;
            entry.block = one.block;
            entry.was_sent = true;
            sent.erase(i);
            return true;
        }
        return false;
    }
    void drop_unused() {
        base::List<SentAhead>& sent = memory_.sent_ahead;
        for (std::size_t i = sent.size(); i-- > 0;) {
            if (sent[i].construct != items_.addresses) continue;
            if (sent[i].block.bytes != 0) plan_.released.push(sent[i].block);
            sent.erase(i);
        }
    }

    // Returns the device's address of the range's first byte.
    Address map(std::size_t i, Range host, const Transfer& transfer) {
        if (host.bytes == 0) return hold_empty(host.address), resolved(host.address);
        Entry* entry = hold_present(i, host, transfer);
        if (!ok()) return 0;
        if (entry == nullptr) {
            // What is constant has the same content in every process.
            if (memory_.modules.storage(host) == Storage::constant && memory_.modules.translate(host.address) != 0)
                return memory_.modules.translate(host.address);
            entry = add_entry(i, host, transfer);
            if (entry == nullptr) return 0;
        }
        const Address device = entry->at(host.address); // of an implicit item perhaps before the entry
        if (transfer.to && (entry->is_new || transfer.always) && entry->host.contains(host)) copy_to(*entry, host);
        return device;
    }

    void copy_to(const Entry& entry, Range host) {
        if (!entry.is_new || !entry.was_sent) plan_.to_device.push({entry.at(host.address), host.address, host.bytes});
        memory_.presence.for_slots(host,
                                   [&](const Slot& slot) { plan_.stores.push({entry.at(slot.host), slot.value}); });
    }

    // The pointer's storage is mapped, and gets its value when it is new.
    void enter_pointer(std::size_t i) {
        const Range host = {items_.address(i), kWord};
        words_[i] = map(i, host, {});
        if (!ok()) return;
        const Entry* const entry = memory_.presence.overlapping(host);
        if (entry != nullptr && entry->is_new) add_pointer(i);
    }

    void add_pointer(std::size_t i) {
        pointers_.push({i, items_.address(i), items_.sizes[i], items_.kind(i) == MapKind::pointer_to_zero_length});
    }

    // A descriptor, and the pointers in it, which follow. The descriptor is copied and the pointers
    // get new values if it is new, if one of them says so, or if one of them was null when it was
    // copied last and is not null any more: an allocatable variable may be allocated while its
    // descriptor is on the device.
    void enter_descriptor(std::size_t i) {
        const Range host = items_.range(i);
        std::size_t end = i + 1;
        bool always = false;
        for (; end < items_.count && is_part(end, host); ++end)
            always = always || items_.kind(end) == MapKind::always_pointer || is_no_longer_null(items_.address(end));
        words_[i] = map(i, host, {true, false, always, false});
        if (!ok()) return;
        Entry* const entry = memory_.presence.overlapping(host);
        if (entry == nullptr) return;
        for (std::size_t k = i + 1; k < end; ++k) {
            words_[k] = entry->at(items_.address(k));
            if (entry->is_new || always) add_pointer(k);
        }
        descriptor_end_ = end;
    }
    bool is_no_longer_null(Address slot) {
        const Slot* const known = memory_.presence.slot(slot);
        return known != nullptr && known->value == 0 && load(slot) != 0;
    }
    bool is_part(std::size_t i, Range descriptor) const {
        const MapKind kind = items_.kind(i);
        return (is_pointer(kind) || kind == MapKind::always_pointer) && descriptor.contains({items_.address(i), kWord});
    }

    // One block from the first member to the end of the last. The members follow as items of their
    // own and find the block. The word is the address of the structure.
    void enter_structure(std::size_t i) {
        const std::size_t members = items_.sizes[i];
        if (members == 0 || members >= items_.count - i) return fail(kShort, i, items_.range(i));
        const Address start = items_.address(i + 1), end = items_.range(i + members).end();
        if (end < start) return fail(kShort, i, items_.range(i));
        const Range host = {start, end > start ? end - start : kWord};
        words_[i] = map(i, host, {}) - (start - items_.address(i));
    }

    // The pointer gets the device's address of the item before it.
    void enter_always_pointer(std::size_t i) {
        const Range slot = {items_.address(i), kWord};
        Entry* const entry = memory_.presence.overlapping(slot);
        if (entry == nullptr || !entry->host.contains(slot)) return fail(kNoPointer, i, slot);
        if (i > 0 && items_.kind(i - 1) != MapKind::always_pointer) last_target_ = words_[i - 1];
        words_[i] = entry->at(items_.address(i));
        if (last_target_ != 0) last_target_ -= items_.sizes[i];
        set_slot(items_.address(i), last_target_);
    }

    void enter_attachment(std::size_t i) {
        if (attach_to_copy(i)) return;
        const Address slot = items_.address(i);
        words_[i] = address_of_slot(slot);
        if (words_[i] == 0) return;
        Slot& known = memory_.presence.add_slot(slot);
        held_.push({{slot, kWord}, true, false, false});
        if (known.attachments++ != 0) return;
        pointers_.push({i, slot, items_.sizes[i], items_.kind(i) == MapKind::attach_zero_length});
    }

    // Returns the device's address of a pointer; 0 if it is not present. A declare target pointer
    // is present without an entry.
    Address address_of_slot(Address slot) {
        const Range host = {slot, kWord};
        if (Entry* const entry = memory_.presence.overlapping(host))
            return entry->host.contains(host) ? entry->at(slot) : 0;
        return memory_.modules.storage(host) == Storage::writable ? memory_.modules.translate(slot) : 0;
    }

    // From GCC 15 on, a firstprivate array may be followed by an attachment: its address lies in
    // the compiler's own list and names the item that is the array's descriptor, and its size is
    // the index of the word there that gets the address of the data.
    bool attach_to_copy(std::size_t i) {
        const auto* const place = static_cast<void* const*>(items_.addresses[i]);
        if (i == 0 || place < items_.addresses || place >= items_.addresses + items_.count) return false;
        const auto descriptor = static_cast<std::size_t>(place - items_.addresses);
        plan_.stores.push({words_[descriptor] + items_.sizes[i] * kWord, words_[i - 1]});
        return true;
    }

    void store_pointer(const Pointer& pointer) {
        const Address value = load(pointer.slot);
        Address target = 0;
        if (value != 0) {
            target = translate(memory_, value + pointer.bias);
            if (target != 0) target -= pointer.bias;
            else if (!pointer.may_be_absent) return fail(kNoTarget, pointer.item, {pointer.slot, kWord});
        }
        set_slot(pointer.slot, target);
    }

    // The stores come after all copies, which may overwrite the slot.
    void set_slot(Address host, Address value) {
        memory_.presence.add_slot(host).value = value;
        set_slots_.push({host, value, 0});
    }

    void resolve(std::size_t i) {
        const Address host = items_.address(i);
        if (host == 0) return;
        switch (items_.kind(i)) {
        case MapKind::zero_length:
            words_[i] = resolved(host);
            return;
        case MapKind::use_device_ptr:
        case MapKind::use_device_ptr_if_present:
            if (const Address device = translate(memory_, host)) items_.addresses[i] = reinterpret_cast<void*>(device);
            return;
        default:
            return;
        }
    }

    Memory& memory_;
    const Items& items_;
    Plan& plan_;
    base::List<Held>& held_;
    const std::uint64_t step_;
    base::List<Address> words_;
    base::List<Pointer> pointers_;
    base::List<Slot> set_slots_;
    Range block_ = {};
    bool has_block_ = false;
    std::size_t descriptor_end_ = 0; // behind the last item that belongs to a descriptor
    Address last_target_ = 0;
};

// Lets go of entries.
class Leaving {
  public:
    Leaving(Memory& memory, Plan& plan) : memory_(memory), plan_(plan), step_(++memory.steps) {}
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;

    // `host` lies in the entry. `all`: whatever the count is.
    void let_go(Entry& entry, bool all) {
        if (entry.is_permanent) return;
        if (all) {
            entry.count = 0;
        } else if (entry.marked != step_) {
            if (entry.count != 0) --entry.count;
        }
        entry.marked = step_;
        if (entry.count == 0) ended_.push(entry.host.address);
    }

    void copy_from(const Entry& entry, Range host) {
        plan_.from_device.push({entry.at(host.address), host.address, host.bytes});
        memory_.presence.for_slots(host, [&](const Slot& slot) { plan_.kept_slots.push(slot.host); });
    }

    // Entries end when all items have been seen, because several items may lie in one.
    void remove_ended() {
        for (const Address host : ended_) {
            Entry* const entry = memory_.presence.overlapping({host, 1});
            if (entry == nullptr || entry->count != 0 || entry->is_permanent) continue;
            const Range block = entry->block;
            memory_.presence.remove(*entry);
            give_back(block);
        }
    }

    void give_back(Range block) {
        if (block.bytes == 0) return;
        plan_.released.push(block);
    }

  private:
    Memory& memory_;
    Plan& plan_;
    const std::uint64_t step_;
    base::List<Address> ended_;
};

void detach(Memory& memory, Address host, bool all) {
    Slot* const slot = memory.presence.slot(host);
    if (slot == nullptr || slot->attachments == 0) return;
    slot->attachments = all ? 0 : slot->attachments - 1;
    const bool ends = slot->attachments == 0 && memory.presence.overlapping({host, kWord}) == nullptr;
    if (ends) memory.presence.remove_slot(*slot); // no entry takes it along
}

void leave(Memory& memory, const base::List<Held>& held, Leaving& leaving) {
    for (const Held& item : held) {
        if (item.is_attachment) {
            detach(memory, item.host.address, false);
            continue;
        }
        Entry* const entry = memory.presence.overlapping(item.host);
        if (entry == nullptr || !entry->host.contains(item.host)) continue; // target exit data has removed it
        leaving.let_go(*entry, false);
        const bool ends = entry->count == 0 && !entry->is_permanent;
        if (item.from && (ends || item.always)) leaving.copy_from(*entry, item.host);
    }
    leaving.remove_ended();
}

// Items of target exit data.
void exit_item(Memory& memory, const Items& items, std::size_t i, Plan& plan, Leaving& leaving) {
    const MapKind kind = items.kind(i);
    if (kind == MapKind::struct_ || items.addresses[i] == nullptr) return;
    if (kind == MapKind::detach || kind == MapKind::force_detach)
        return detach(memory, items.address(i), kind == MapKind::force_detach);
    Transfer transfer = {};
    const bool deletes = kind == MapKind::delete_ || kind == MapKind::delete_zero_length;
    const bool releases = kind == MapKind::release || kind == MapKind::to_pset || kind == MapKind::zero_length;
    if (!get_transfer(kind, transfer)) {
        if (is_pointer(kind) || kind == MapKind::always_pointer) return; // nothing to do for them
        if (!deletes && !releases) {
            plan.problem = {kUnknown, i, items.range(i)};
            return;
        }
    }
    const Range host = items.range(i);
    Entry* const entry =
        host.bytes == 0 ? memory.presence.at_or_before(host.address) : memory.presence.overlapping(host);
    if (entry == nullptr) return;
    leaving.let_go(*entry, deletes);
    const bool ends = entry->count == 0 && !entry->is_permanent;
    if (!transfer.from || !(ends || transfer.always)) return;
    if (!entry->host.contains(host)) plan.problem = {kPartly, i, host};
    else leaving.copy_from(*entry, host);
}

} // namespace

Address translate(Memory& memory, Address host) {
    if (host == 0) return 0;
    if (const Entry* const entry = memory.presence.overlapping({host, 1})) return entry->at(host);
    if (const Address device = memory.modules.translate(host)) return device;
    const Entry* const before = memory.presence.at_or_before(host);
    return before != nullptr ? before->at(host) : 0;
}

void make_stale(Memory& memory, Range host) {
    for (SentAhead& one : memory.sent_ahead)
        one.is_stale = one.is_stale || one.host.overlaps(host);
}

void plan_region(Memory& memory, const Items& items, Plan& plan) {
    base::List<Held> held;
    Entering entering(memory, items, plan, held);
    entering.with_block();
    entering.run();
    if (plan.problem.text != nullptr) return;
    Leaving leaving(memory, plan);
    leave(memory, held, leaving);
    leaving.give_back(entering.block());
}

void plan_enter(Memory& memory, const Items& items, Plan& plan, base::List<Held>* held) {
    base::List<Held> forgotten;
    Entering(memory, items, plan, held != nullptr ? *held : forgotten).run();
}

void plan_leave(Memory& memory, const base::List<Held>& held, Plan& plan) {
    Leaving leaving(memory, plan);
    leave(memory, held, leaving);
}

void plan_exit(Memory& memory, const Items& items, Plan& plan) {
    Leaving leaving(memory, plan);
    for (std::size_t i = 0; i < items.count && plan.problem.text == nullptr; ++i)
        exit_item(memory, items, i, plan, leaving);
    if (plan.problem.text == nullptr) leaving.remove_ended();
}

void plan_update(Memory& memory, const Items& items, Plan& plan) {
    Leaving leaving(memory, plan);
    for (std::size_t i = 0; i < items.count; ++i) {
        Transfer transfer;
        const Range host = items.range(i);
        if (host.address == 0 || host.bytes == 0 || !get_transfer(items.kind(i), transfer)) continue;
        const Entry* entry = memory.presence.overlapping(host);
        Entry in_place = {host, memory.modules.translate(host.address), 0, true, false, 0, {}};
        if (entry == nullptr) {
            if (transfer.must_be_present && in_place.device == 0) plan.problem = {kAbsent, i, host};
            // A declare target variable is present from the start.
            if (in_place.device == 0 || memory.modules.storage(host) != Storage::writable) continue;
            entry = &in_place;
        }
        if (!entry->host.contains(host)) {
            plan.problem = {kPartly, i, host};
            return;
        }
        if (transfer.to) {
            plan.to_device.push({entry->at(host.address), host.address, host.bytes});
            memory.presence.for_slots(host,
                                      [&](const Slot& slot) { plan.stores.push({entry->at(slot.host), slot.value}); });
        }
        if (transfer.from) leaving.copy_from(*entry, host);
    }
}

} // namespace teff::device
