// SPDX-License-Identifier: Apache-2.0
//
// The log of changes. An entry has the changes of one request. The log owns the entry's memory, and
// keeps the entry until all processes have received it. There is a conflict if two processes change
// the same byte to different values and neither had received the other's change. In a conforming
// program this is only possible for atomic writes that are not read-modify-writes.
#include <cstring>
#include <dlfcn.h>

#include "processes/changes.h"
#include "processes/hub.h"
#include "processes/layout.h"
#include "processes/libc_memory.h"
#include "processes/page_index.h"
#include "processes/report.h"

namespace teff::processes::hub {

namespace {

// The changes of one request. Entries are in the order of their numbers; the first has
// `first_number`.
struct Entry {
    unsigned rank;
    std::byte* changes;
    std::size_t bytes;
};
constinit List<Entry> entries;
constinit PageIndex page_index;
std::uint64_t first_number = 0, held_bytes = 0;

// If the log holds more bytes than this, idle processes are sent the changes that they have not
// received.
constexpr std::uint64_t kMuch = 64 << 20;

std::uint64_t end_number() { return first_number + entries.size(); }

void wake_idle() {
    for (unsigned rank = 0; rank < hub().processes; ++rank)
        if (hub().process[rank].waits == Waits::idle) answer(rank, {What::update, 0, 0, 0, 0, 0, 0}, true);
}

constexpr unsigned kNobody = ~0u;

void append(unsigned rank, const std::byte* list, std::size_t bytes) {
    auto* const copy = static_cast<std::byte*>(__libc_malloc(bytes));
    if (copy == nullptr) fail("no memory for %zu bytes of changes", bytes);
    std::memcpy(copy, list, bytes);
    entries.push({rank, copy, bytes});
    held_bytes += bytes;
}

// Prints the address relative to its module, in the form that tools use.
void warn_of_conflict(std::uint64_t address, unsigned one, unsigned other) {
    static bool warned = false;
    if (warned) return;
    warned = true;
    Dl_info info = {};
    const bool in_module = dladdr(reinterpret_cast<const void*>(address), &info) != 0;
    const char* const where = in_module ? info.dli_fname : "the heap or a stack";
    const std::uint64_t offset = in_module ? address - reinterpret_cast<std::uint64_t>(info.dli_fbase) : address;
    say("processes %u and %u both changed address %#lx (%s+%#lx%s%s) between two flushes: one of the changes is lost. "
        "If this is no atomic write it is a data race of the program",
        one, other, address, where, offset, info.dli_sname != nullptr ? ", in " : "",
        info.dli_sname != nullptr ? info.dli_sname : "");
}

void index_last() {
    const Entry& last = entries.back();
    for (std::size_t at = 0; at < last.bytes; at += changes::header(last.changes + at).bytes)
        page_index.add(changes::header(last.changes + at).page, end_number() - 1, at);
}

// Whether the record overwrites a change that its author has not received.
bool is_conflicting(unsigned rank, const std::byte* record) {
    bool found = false;
    const std::uint64_t page = changes::header(record).page;
    page_index.for_records(page, hub().process[rank].seen, [&](std::uint64_t number, std::size_t at) {
        const Entry& entry = entries[number - first_number];
        if (entry.rank == rank) return;
        const std::size_t offset = changes::first_conflict(entry.changes + at, record);
        if (offset == kPage) return;
        found = true;
        warn_of_conflict(page + offset, entry.rank == kNobody ? rank : entry.rank, rank);
    });
    return found;
}

} // namespace

// The later change applies to all processes. Its author receives the earlier change after it, and
// therefore receives the later change again, too.
void add_changes(unsigned rank, const std::byte* list, std::size_t bytes) {
    static List<std::byte> conflicting;
    conflicting.clear();
    for (std::size_t at = 0; at < bytes; at += changes::header(list + at).bytes)
        if (is_conflicting(rank, list + at)) conflicting.append(list + at, changes::header(list + at).bytes);
    append(rank, list, bytes);
    index_last();
    if (conflicting.empty()) return;
    append(kNobody, conflicting.data(), conflicting.size());
    index_last();
}

void append_unseen(unsigned rank, List<std::byte>& list) {
    Process& process = hub().process[rank];
    for (std::uint64_t number = process.seen < first_number ? first_number : process.seen; number < end_number();
         ++number) {
        const Entry& entry = entries[number - first_number];
        if (entry.rank != rank) list.append(entry.changes, entry.bytes);
    }
    process.seen = end_number();
}

// A process that has not said hello yet was forked from the first process, and has the changes that
// the first process had.
void drop_seen() {
    if (entries.empty()) return;
    if (held_bytes > kMuch) wake_idle();
    std::uint64_t seen_by_all = end_number();
    for (unsigned rank = 0; rank < hub().processes; ++rank)
        if (hub().process[rank].seen < seen_by_all) seen_by_all = hub().process[rank].seen;
    if (seen_by_all <= first_number) return;
    const auto count = static_cast<std::size_t>(seen_by_all - first_number);
    for (std::size_t i = 0; i < count; ++i) {
        held_bytes -= entries[i].bytes;
        __libc_free(entries[i].changes);
    }
    entries.erase(0, count);
    first_number = seen_by_all;
    page_index.forget_before(first_number);
}

} // namespace teff::processes::hub
