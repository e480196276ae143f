// SPDX-License-Identifier: Apache-2.0

#include "explore/trace.h"

#include "explore/clock.h"

#include <cinttypes>
#include <cstdio>

namespace teff::explore {

namespace {

const char* order_name(std::memory_order order) {
    switch (order) {
    case std::memory_order_relaxed:
        return "relaxed";
    case std::memory_order_consume:
        return "consume";
    case std::memory_order_acquire:
        return "acquire";
    case std::memory_order_release:
        return "release";
    case std::memory_order_acq_rel:
        return "acq_rel";
    case std::memory_order_seq_cst:
        return "seq_cst";
    }
    return "?";
}

// Small numbers in decimal, the rest (pointers, negative numbers, packed words) in hexadecimal.
std::string value_text(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 100'000 ? "%" PRIu64 : "0x%" PRIx64, value);
    return text;
}

} // namespace

std::string thread_name(int thread) { return thread == main_slot ? "main" : "T" + std::to_string(thread); }

void Trace::clear() {
    events_.clear();
    objects_.clear();
}

int Trace::add_object(const void* address, const char* kind) {
    objects_.push_back({address, kind, nullptr});
    return static_cast<int>(objects_.size()) - 1;
}

int Trace::find_object(const void* address) const {
    for (int i = static_cast<int>(objects_.size()) - 1; i >= 0; --i) {
        if (objects_[static_cast<std::size_t>(i)].address == address) {
            return i;
        }
    }
    return -1;
}

std::string Trace::object_name(int object) const {
    if (object < 0) {
        return "?";
    }
    const Object& known = objects_[static_cast<std::size_t>(object)];
    return known.name != nullptr ? known.name : known.kind + ("#" + std::to_string(object));
}

std::string Trace::line(const Event& event) const {
    const std::string name = object_name(event.object);
    const std::string order = order_name(event.order);
    const std::string before = value_text(event.before);
    const std::string after = value_text(event.after);
    switch (event.kind) {
    case EventKind::load:
        return name + ".load(" + order + ") = " + before;
    case EventKind::store:
        return name + ".store(" + after + ", " + order + ")";
    case EventKind::buffer_store:
        return name + ".store(" + after + ", " + order + ")   [in the store buffer]";
    case EventKind::flush:
        return "    store buffer: " + name + " = " + after + " reaches memory";
    case EventKind::update:
        return name + "." + event.verb + "(" + order + "): " + before + " -> " + after;
    case EventKind::failed_cas:
        return name + ".compare_exchange(" + order + ") failed, saw " + before;
    case EventKind::fence:
        return event.verb;
    case EventKind::relax:
        return "cpu_relax()";
    case EventKind::sleep:
        return "wait(" + name + ", " + before + ") sleeps";
    case EventKind::no_sleep:
        return "wait(" + name + ", " + after + ") returns, saw " + before;
    case EventKind::wake:
        return "wake(" + name + ") wakes " + after;
    case EventKind::read_var:
        return "    reads " + name;
    case EventKind::write_var:
        return "    writes " + name;
    }
    return "?";
}

std::string Trace::text() const {
    std::string out;
    for (const Event& event : events_) {
        std::string who = thread_name(event.thread);
        who.resize(6, ' ');
        out += "  " + who + line(event) + "\n";
    }
    return out;
}

} // namespace teff::explore
