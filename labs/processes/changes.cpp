// SPDX-License-Identifier: Apache-2.0
#include "processes/changes.h"

#include "processes/layout.h"

namespace teff::processes::changes {

namespace {

struct Writer {
    List<std::byte>& list;
    std::size_t record; // where the present page's record begins

    Writer(List<std::byte>& to, std::uint64_t page) : list(to), record(to.size()) {
        const Record header = {page, 0, 0};
        list.append(reinterpret_cast<const std::byte*>(&header), sizeof header);
    }
    void add(std::size_t offset, std::size_t bytes, const std::byte* from) {
        const Run run = {static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(bytes)};
        std::byte* const room = list.extend(sizeof run + bytes);
        std::memcpy(room, &run, sizeof run);
        std::memcpy(room + sizeof run, from, bytes);
        ++header().runs;
    }
    void end() {
        if (header().runs == 0) return list.resize(record);
        while ((list.size() - record) % 8 != 0)
            list.push(std::byte{0});
        header().bytes = static_cast<std::uint32_t>(list.size() - record);
    }
    Record& header() { return *reinterpret_cast<Record*>(list.data() + record); }
};

// Appends the runs of bytes that differ, from the words that differ.
void compare(const std::byte* mine, const std::byte* twin, std::size_t from, Writer& writer) {
    std::size_t run = 0; // bytes of the run that ends at the present offset
    for (std::size_t at = from; at < kPage;) {
        if (run == 0 && at % 8 == 0 && std::memcmp(mine + at, twin + at, 8) == 0) {
            at += 8;
            continue;
        }
        if (mine[at] != twin[at]) ++run;
        else if (run != 0) {
            writer.add(at - run, run, mine + at - run);
            run = 0;
        }
        ++at;
    }
    if (run != 0) writer.add(kPage - run, run, mine + kPage - run);
}

// For two runs that overlap.
std::size_t first_difference(const Runs& one, const Runs& other) {
    std::size_t at = one.offset() > other.offset() ? one.offset() : other.offset();
    const std::size_t end = one.end() < other.end() ? one.end() : other.end();
    while (at < end && one.bytes()[at - one.offset()] == other.bytes()[at - other.offset()])
        ++at;
    return at < end ? at : kPage;
}

} // namespace

void append_differences(List<std::byte>& list, std::uint64_t page, const std::byte* mine, const std::byte* twin,
                        std::size_t from) {
    Writer writer(list, page);
    compare(mine, twin, from, writer);
    writer.end();
}

void apply(const std::byte* record, std::byte* to) {
    for (Runs run(record); !run.at_end(); run.next())
        std::memcpy(to + run.offset(), run.bytes(), run.size());
}

std::size_t first_conflict(const std::byte* earlier, const std::byte* later) {
    Runs one(earlier), other(later);
    while (!one.at_end() && !other.at_end()) {
        if (one.end() <= other.offset()) one.next();
        else if (other.end() <= one.offset()) other.next();
        else if (const std::size_t found = first_difference(one, other); found != kPage) return found;
        else if (one.end() < other.end()) one.next();
        else other.next();
    }
    return kPage;
}

} // namespace teff::processes::changes
