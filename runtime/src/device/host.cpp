// SPDX-License-Identifier: Apache-2.0
#include "device/host.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "base/uncancelled.h"
#include "device/item_use.h"
#include "device/message.h"
#include "device/placement.h"
#include "device/traffic.h"
#include "icv/icv.h"
#include "sync/mutex.h"

namespace teff::device {

namespace {

// Smaller pieces of released memory stay with the device, which would only have to ask the system
// for them again.
constexpr std::uint64_t kWorthDiscarding_bytes = 1 << 20;

struct Device {
    unsigned number = 0;
    Peer peer = -1;
    sync::Mutex mutex; // guards what follows
    bool is_connected = false;
    std::int64_t process = 0;
    std::uint64_t loads = 0; // of modules, when `memory.modules` was read
    std::uint64_t sequence = 0;
    sync::Mutex memory_mutex; // held by who has `mutex` and changes what follows, or by who only reads it
    Memory memory;
    Range heap = {};            // of which `memory.heap` has what is free
    bool has_variables = false; // a data construct has changed a variable of the program
    base::List<ModuleRecord> its_modules;
    base::List<Range> discarded; // goes with the next message
    base::List<Range> allocated; // by the program, and not released yet

    Traffic traffic;
};

const Transport* transport = nullptr;
Device* devices = nullptr; // never freed
unsigned device_count = 0;

struct PlaceText {
    char text[256];
};

// The offset is that of the call, which lies before the return address.
PlaceText describe(const Device& device, Where where) {
    PlaceText place;
    const auto code = reinterpret_cast<Address>(where.code) - 1;
    const ModuleRecord* const module = where.code != nullptr ? device.memory.modules.find(code) : nullptr;
    if (module == nullptr) {
        std::snprintf(place.text, sizeof place.text, "%s", where.construct);
        return place;
    }
    const char* const name = module->name[0] != '\0' ? module->name : program_invocation_short_name;
    std::snprintf(place.text, sizeof place.text, "%s at %s+0x%llx (addr2line -e %s 0x%llx)", where.construct, name,
                  static_cast<unsigned long long>(code - module->base), name,
                  static_cast<unsigned long long>(code - module->base));
    return place;
}

std::atomic<bool> has_lost{false}; // relaxed: the thread that has set it calls exit

[[noreturn]] void lost(const Device& device, Where where) {
    const int error = errno;
    has_lost.store(true, std::memory_order_relaxed);
    const unsigned patience_s = icv::global().device_patience_s;
    if (error == ETIMEDOUT && device.is_connected)
        base::fatal(0, "device %u (process %lld) has not answered for %u s during %s", device.number,
                    static_cast<long long>(device.process), patience_s, describe(device, where).text);
    if (error == ETIMEDOUT)
        base::fatal(0, "device %u has not answered for %u s at its first use, in %s", device.number, patience_s,
                    describe(device, where).text);
    if (error == EFAULT)
        base::fatal(0, "%s: the map clauses name memory that cannot be read or written", describe(device, where).text);
    if (!device.is_connected)
        base::fatal(0, "device %u has ended before its first use, in %s", device.number, describe(device, where).text);
    base::fatal(0, "device %u (process %lld) has ended during %s", device.number,
                static_cast<long long>(device.process), describe(device, where).text);
}

[[noreturn]] void refuse(const Device& device, const char* reason) {
    has_lost.store(true, std::memory_order_relaxed);
    base::fatal(0, "device %u has sent a message that is not valid: %s", device.number, reason);
}

[[noreturn]] void give_up(const Device& device, const Problem& problem, Where where) {
    base::fatal(0, "%s cannot run on device %u: item %zu of its map clauses, %llu bytes at %p: %s",
                describe(device, where).text, device.number, problem.item + 1,
                static_cast<unsigned long long>(problem.host.bytes), reinterpret_cast<void*>(problem.host.address),
                problem.text);
}

void receive(Device& device, void* to, std::size_t bytes, Where where) {
    errno = 0;
    if (!transport->receive(device.peer, to, bytes)) lost(device, where);
    device.traffic.count_received(bytes);
}

bool is_alive(const Header& header) {
    return check_header(header, MessageKind::alive, 0) == nullptr && header.bytes == 0;
}

void read_modules(Device& device) {
    device.loads = Modules::loads();
    Modules& modules = device.memory.modules;
    {
        const sync::MutexGuard guard(device.memory_mutex);
        modules.read();
    }
    if (const ModuleRecord* const other = modules.match(device.its_modules.data(), device.its_modules.size()))
        base::fatal(0, "device %u has another version of %s than this process: start all processes with the same files",
                    device.number, other->name[0] != '\0' ? other->name : "the program");
}

void warn_once_of_addresses(const Device& device) {
    static std::atomic<bool> warned{false};
    if (device.memory.modules.lie_equally() || warned.exchange(true, std::memory_order_relaxed)) return;
    base::warn(
        "the program lies at other addresses in device %u, perhaps because a container forbids to switch off "
        "the randomisation of addresses: virtual functions of mapped objects and pointers to functions in mapped "
        "data do not work in target regions",
        device.number);
}

void connect(Device& device, Where where) {
    Header header;
    Hello hello;
    begin();
    receive(device, &header, sizeof header, where);
    if (const char* const reason = check_header(header, MessageKind::hello, 0)) refuse(device, reason);
    if (header.bytes < sizeof hello) refuse(device, "it is too short");
    receive(device, &hello, sizeof hello, where);
    if (const char* const reason = check_hello(header, hello)) refuse(device, reason);
    device.its_modules.resize(hello.modules);
    receive(device, device.its_modules.data(), hello.modules * sizeof(ModuleRecord), where);
    device.memory.heap.add(hello.heap);
    device.heap = hello.heap;
    device.process = hello.process;
    device.is_connected = true;
    read_modules(device);
    warn_once_of_addresses(device);
}

// A thread's turn at a device.
class Turn {
  public:
    Turn(unsigned number, Where where) : device_(devices[number]), guard_(device_.mutex) {
        if (!device_.is_connected) connect(device_, where);
        else if (device_.loads != Modules::loads()) read_modules(device_);
    }
    Device& device() { return device_; }

  private:
    const base::Uncancelled uncancelled_;
    Device& device_;
    const sync::MutexGuard<sync::Mutex> guard_;
};

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

iovec part(const void* data, std::size_t bytes) { return {const_cast<void*>(data), bytes}; }
void* pointer(Address address) { return reinterpret_cast<void*>(address); }

void to_ranges(const base::List<Copy>& copies, base::List<Range>& ranges, std::uint64_t& bytes) {
    bytes = 0;
    for (const Copy& copy : copies) {
        ranges.push({copy.device, copy.bytes});
        bytes += copy.bytes;
    }
}

template <class T> iovec list_part(const base::List<T>& list) { return part(list.data(), list.size() * sizeof(T)); }

void send(Device& device, const Plan& plan, Construct construct, std::uint64_t& answer_bytes, Where where) {
    base::List<Range> copies, reads;
    std::uint64_t data_bytes;
    to_ranges(plan.to_device, copies, data_bytes);
    to_ranges(plan.from_device, reads, answer_bytes);
    construct.arguments = plan.arguments;
    construct.copies = copies.size();
    construct.stores = plan.stores.size();
    construct.reads = reads.size();
    construct.released = device.discarded.size();
    Header header = {Header::kMagic, MessageKind::construct, ++device.sequence, sizeof construct + data_bytes};
    base::List<iovec> parts;
    parts.push(part(&header, sizeof header));
    parts.push(part(&construct, sizeof construct));
    for (const iovec list :
         {list_part(copies), list_part(plan.stores), list_part(reads), list_part(device.discarded)}) {
        header.bytes += list.iov_len;
        parts.push(list);
    }
    for (const Copy& copy : plan.to_device)
        parts.push(part(pointer(copy.host), copy.bytes));
    errno = 0;
    if (!transport->send(device.peer, parts.data(), parts.size())) lost(device, where);
    device.traffic.count_sent(parts.data(), parts.size());
    device.discarded.clear();
}

// The pointers of the host that have another value on the device keep theirs.
void receive_answer(Device& device, const Plan& plan, std::uint64_t bytes, Where where) {
    Header header;
    do
        receive(device, &header, sizeof header, where);
    while (is_alive(header));
    if (const char* const reason = check_header(header, MessageKind::reply, device.sequence)) refuse(device, reason);
    if (header.bytes != bytes) refuse(device, "its length is not that of the data asked for");
    base::List<Address> values;
    for (const Address slot : plan.kept_slots)
        values.push(*static_cast<const Address*>(pointer(slot)));
    for (const Copy& copy : plan.from_device)
        receive(device, pointer(copy.host), copy.bytes, where);
    for (std::size_t i = 0; i < values.size(); ++i)
        *static_cast<Address*>(pointer(plan.kept_slots[i])) = values[i];
}

void carry_out(Device& device, const Plan& plan, Region region, Where where) {
    if (plan.problem.text != nullptr) give_up(device, plan.problem, where);
    Construct construct = {};
    if (region.function != nullptr) {
        construct.function = device.memory.modules.translate(reinterpret_cast<Address>(region.function));
        construct.thread_limit = region.thread_limit;
        if (construct.function == 0)
            base::fatal(0, "%s cannot run on device %u, which has not loaded the library that contains it",
                        describe(device, where).text, device.number);
    }
    const bool is_empty = plan.to_device.empty() && plan.stores.empty() && plan.from_device.empty();
    if (!is_empty || construct.function != 0) {
        std::uint64_t answer_bytes;
        send(device, plan, construct, answer_bytes, where);
        receive_answer(device, plan, answer_bytes, where);
    }
    device.traffic.count_construct(plan, construct.function != 0);
    for (const Range& range : plan.released)
        if (range.bytes >= kWorthDiscarding_bytes) device.discarded.push(range);
}

constexpr Where kRoutine = {"a device memory routine", nullptr};

} // namespace

void set_peers(const Transport& used, const Peer* peers, unsigned count) {
    devices = static_cast<Device*>(std::calloc(count, sizeof(Device)));
    if (devices == nullptr) base::fatal(ENOMEM, "no memory for %u devices", count);
    transport = &used;
    device_count = count;
    for (unsigned i = 0; i < count; ++i) {
        ::new (&devices[i]) Device;
        devices[i].number = i;
        devices[i].peer = peers[i];
    }
}

void forget_peers() {
    for (unsigned i = 0; i < device_count; ++i)
        transport->forget(devices[i].peer);
    device_count = 0;
}

void print_figures() {
    for (unsigned i = 0; i < device_count; ++i)
        devices[i].traffic.print(i);
}

bool has_lost_a_device() { return has_lost.load(std::memory_order_relaxed); }

void run_region(unsigned device, const Items& items, Region region, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_region(memory, items, plan); });
    carry_out(turn.device(), plan, region, where);
}

void enter_data(unsigned device, const Items& items, base::List<Held>* held, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_enter(memory, items, plan, held); });
    note_variables(turn.device(), items);
    carry_out(turn.device(), plan, {}, where);
}

void leave_data(unsigned device, const base::List<Held>& held, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_leave(memory, held, plan); });
    carry_out(turn.device(), plan, {}, where);
}

void exit_data(unsigned device, const Items& items, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_exit(memory, items, plan); });
    carry_out(turn.device(), plan, {}, where);
}

void update_data(unsigned device, const Items& items, Where where) {
    Turn turn(device, where);
    Plan plan;
    change_memory(turn.device(), [&](Memory& memory) { plan_update(memory, items, plan); });
    note_variables(turn.device(), items);
    carry_out(turn.device(), plan, {}, where);
}

void* allocate(unsigned device, std::size_t bytes) {
    Turn turn(device, kRoutine);
    const Range block = turn.device().memory.heap.allocate(bytes); // other threads do not read this table
    if (block.bytes != 0) turn.device().allocated.push(block);
    return pointer(block.address);
}

void release(unsigned device, void* memory) {
    Turn turn(device, kRoutine);
    base::List<Range>& allocated = turn.device().allocated;
    for (std::size_t i = allocated.size(); i-- > 0;) {
        if (allocated[i].address != reinterpret_cast<Address>(memory)) continue;
        turn.device().memory.heap.give_back(allocated[i]);
        if (allocated[i].bytes >= kWorthDiscarding_bytes) turn.device().discarded.push(allocated[i]);
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
    carry_out(turn.device(), plan, {}, where);
}

void* mapped_address(unsigned device, const void* host) {
    Turn turn(device, kRoutine);
    const Entry* const entry = turn.device().memory.presence.overlapping({reinterpret_cast<Address>(host), 1});
    return entry != nullptr ? pointer(entry->at(reinterpret_cast<Address>(host))) : nullptr;
}

bool is_present(unsigned device, const void* host) {
    Turn turn(device, kRoutine);
    return turn.device().memory.presence.at_or_before(reinterpret_cast<Address>(host)) != nullptr;
}

bool associate(unsigned device, const void* host, std::size_t bytes, void* memory) {
    Turn turn(device, kRoutine);
    const Range range = {reinterpret_cast<Address>(host), bytes};
    const auto address = reinterpret_cast<Address>(memory);
    Presence& presence = turn.device().memory.presence;
    if (bytes == 0) return false;
    if (const Entry* const entry = presence.overlapping(range))
        return entry->host.contains(range) && entry->is_permanent && entry->at(range.address) == address;
    change_memory(turn.device(), [&](Memory&) { presence.add({range, address, 1, true, false, 0, {}}); });
    return true;
}

bool disassociate(unsigned device, const void* host) {
    Turn turn(device, kRoutine);
    Presence& presence = turn.device().memory.presence;
    Entry* const entry = presence.overlapping({reinterpret_cast<Address>(host), 1});
    if (entry == nullptr || !entry->is_permanent || entry->host.address != reinterpret_cast<Address>(host))
        return false;
    change_memory(turn.device(), [&](Memory&) { presence.remove(*entry); });
    return true;
}

void find_present(unsigned device, const Items& items, bool* has) {
    Device& of = devices[device];
    const sync::MutexGuard guard(of.memory_mutex);
    for (std::size_t i = 0; i < items.count; ++i)
        has[i] = is_present(of.memory, items, i);
}

bool is_bound_to(unsigned device, const Items& items) {
    Device& of = devices[device];
    const sync::MutexGuard guard(of.memory_mutex);
    return of.has_variables || names_address_in(of.heap, items);
}

} // namespace teff::device
