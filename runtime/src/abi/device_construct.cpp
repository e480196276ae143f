// SPDX-License-Identifier: Apache-2.0
#include "abi/device_construct.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/list.h"
#include "base/report.h"
#include "base/round_up.h"
#include "device/ahead.h"
#include "device/deferred.h"
#include "device/events.h"
#include "device/host.h"
#include "device/placement.h"
#include "sync/mutex.h"
#include "task/at_once.h"
#include "task/create.h"
#include "task/dependences.h"
#include "task/detach.h"

namespace teff::abi {

namespace {

device::Items items_of(const TargetData& data) { return {data.count, data.addresses, data.sizes, data.kinds}; }

// A construct whose order has been kept. `site` is the address of its code.
struct Ready {
    DeviceAction action;
    unsigned device;
    bool has_clause;
    void (*body)(void*);
    unsigned thread_limit;
    const void* site;
    device::Deferral deferral = {};
};

bool is_placed(const Ready& ready) { return ready.action == DeviceAction::region && device::places_regions(); }

// Called when the construct's predecessors have finished.
void place(Ready& ready, const TargetData& data) {
    if (is_placed(ready)) ready.device = device::place(items_of(data), ready.device, ready.has_clause);
}

device::ConstructKind kind_of(DeviceAction action) {
    switch (action) {
    case DeviceAction::region:
        return device::ConstructKind::region;
    case DeviceAction::update:
        return device::ConstructKind::update;
    case DeviceAction::enter_data:
        return device::ConstructKind::enter_data;
    case DeviceAction::exit_data:
        return device::ConstructKind::exit_data;
    }
    __builtin_unreachable();
}

device::Where where_of(const Ready& ready) { return {kind_of(ready.action), ready.site, ready.deferral}; }

void carry_out_there(const Ready& ready, const TargetData& data) {
    const device::Items items = items_of(data);
    const device::Where where = where_of(ready);
    switch (ready.action) {
    case DeviceAction::region:
        return device::run_region(ready.device, items, {ready.body, ready.thread_limit}, where);
    case DeviceAction::update:
        return device::update_data(ready.device, items, where);
    case DeviceAction::enter_data:
        return device::enter_data(ready.device, items, nullptr, where);
    case DeviceAction::exit_data:
        return device::exit_data(ready.device, items, where);
    }
}

void carry_out(const Ready& ready, const TargetData& data) {
    carry_out_there(ready, data);
    if (is_placed(ready)) device::unplace(items_of(data), ready.device);
}

void place_and_carry_out(Ready& ready, const TargetData& data) {
    place(ready, data);
    carry_out(ready, data);
}

// The arguments of a deferred construct: this structure, then the addresses, sizes and kinds, then
// the firstprivate data. The task keeps them until its event is fulfilled.
struct Deferred : device::Deferred {
    task::EventHandle event;
    Ready ready;
    TargetData data; // its arrays follow
};

std::size_t kinds_end(std::size_t count) {
    return sizeof(Deferred) + count * (sizeof(void*) + sizeof(std::size_t) + sizeof(unsigned short));
}

struct Blueprint {
    Deferred deferred;
    std::size_t firstprivate_at;
};

void build(void* to, void* from) {
    const auto& blueprint = *static_cast<const Blueprint*>(from);
    auto& task = *::new (to) Deferred(blueprint.deferred);
    const TargetData source = blueprint.deferred.data;
    auto* const addresses = reinterpret_cast<void**>(&task + 1);
    auto* const sizes = reinterpret_cast<std::size_t*>(addresses + source.count);
    auto* const kinds = reinterpret_cast<unsigned short*>(sizes + source.count);
    std::copy_n(source.addresses, source.count, addresses);
    std::copy_n(source.sizes, source.count, sizes);
    std::copy_n(source.kinds, source.count, kinds);
    task.data = {source.count, addresses, sizes, kinds};
    copy_firstprivate(task.data, static_cast<char*>(to) + blueprint.firstprivate_at, source.addresses);
    for (std::size_t i = 0; i < source.count; ++i)
        addresses[i] = place_in_copy(addresses[i], task.data, source.addresses);
}

void finish(device::Deferred& construct) {
    const auto& task = static_cast<const Deferred&>(construct);
    const task::EventHandle event = task.event;
    if (task.send_ahead != nullptr) device::open_lane(task.ready.device, where_of(task.ready));
    carry_out(task.ready, task.data);
    task::fulfill_event(event);
}

void send_ahead(device::Deferred& construct) {
    const auto& task = static_cast<const Deferred&>(construct);
    device::send_ahead(task.ready.device, items_of(task.data));
}

// Whether data of the construct may come before it. What an update copies is in use on the device.
bool has_data_to_send_ahead(const Ready& ready, const TargetData& data) {
    const bool maps = ready.action == DeviceAction::region || ready.action == DeviceAction::enter_data;
    return maps && device::is_worth_sending_ahead(items_of(data));
}

// The task's body. The task is finished when the device's thread fulfils its event.
void run_deferred(void* arguments) {
    auto& task = *static_cast<Deferred*>(arguments);
    place(task.ready, task.data);
    task.ready.deferral = device::events::defer(team::current_worker());
    if (has_data_to_send_ahead(task.ready, task.data)) task.send_ahead = send_ahead;
    device::carry_out_later(task.ready.device, task);
}

void defer(team::Worker& worker, const DeviceConstruct& construct, const Ready& ready) {
    const BlockShape shape = firstprivate_shape(construct.data);
    const std::size_t at = base::round_up(kinds_end(construct.data.count), shape.alignment);
    task::Detachment& event = task::reserve_event(worker);
    Blueprint blueprint = {{{nullptr, finish}, task::handle_of(event), ready, construct.data}, at};
    const int depends = construct.order.depend.given() ? task::kDependent : 0;
    task::create_any(worker,
                     {.function = run_deferred,
                      .data = &blueprint,
                      .copy = build,
                      .arg_bytes = at + shape.bytes,
                      .arg_align = std::max(shape.alignment, alignof(Deferred)),
                      .flags = static_cast<task::TaskFlags>(task::kDetachable | task::kAtOnce | depends),
                      .clauses = {.depend = construct.order.depend, .event = &event, .site = construct.order.site}});
}

// The data environments of all tasks, the newest first. `task` identifies the task that has begun
// one. Programs have few at a time.
struct Environment {
    Environment* next;
    const task::Task* task;
    int device; // or kOnHost
    base::List<device::Held> held;
};
sync::Mutex environments_mutex;
Environment* environments = nullptr; // guarded by environments_mutex

void push(Environment* environment) {
    const sync::MutexGuard guard(environments_mutex);
    environment->next = environments;
    environments = environment;
}

// Returns the task's newest environment; null if there is none.
Environment* pop(const task::Task* task) {
    const sync::MutexGuard guard(environments_mutex);
    Environment** link = &environments;
    while (*link != nullptr && (*link)->task != task)
        link = &(*link)->next;
    Environment* const found = *link;
    if (found != nullptr) *link = found->next;
    return found;
}

} // namespace

void run_on_device(team::Worker& worker, const DeviceConstruct& construct) {
    const TargetOrder& order = construct.order;
    Ready ready = {construct.action, construct.device,       construct.has_clause,
                   construct.body,   construct.thread_limit, order.site.code()};
    if (order.nowait) return defer(worker, construct, ready);
    if (!order.depend.given()) return place_and_carry_out(ready, construct.data);
    const FirstprivateCopies copies(construct.data);
    task::wait_for_dependences(worker, order.depend, {}, order.site);
    place_and_carry_out(ready, construct.data);
}

void begin_data_environment(team::Worker& worker, int device, const TargetData& data, base::CallSite site) {
    void* const block = std::malloc(sizeof(Environment));
    if (block == nullptr) base::fatal(ENOMEM, "no memory for a target data construct");
    auto* const environment = ::new (block) Environment{nullptr, worker.task, device, {}};
    if (device != kOnHost)
        device::enter_data(static_cast<unsigned>(device), items_of(data), &environment->held,
                           {device::ConstructKind::data, site.code()});
    push(environment);
}

void end_data_environment(team::Worker& worker, base::CallSite site) {
    Environment* const environment = pop(worker.task);
    if (environment == nullptr) return;
    if (environment->device != kOnHost)
        device::leave_data(static_cast<unsigned>(environment->device), environment->held,
                           {device::ConstructKind::end_data, site.code()});
    environment->~Environment();
    std::free(environment);
}

} // namespace teff::abi
