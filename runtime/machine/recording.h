// SPDX-License-Identifier: Apache-2.0
//
// Recording: writes the events of a modelled machine (events.h) as a recording that Teff's tools
// open.
//
// The format is the runtime's (teff_trace.h); docs/formats/trace.md says in what a modelled
// recording differs. Each worker has a stream. A tick is one cycle of virtual time; fractions of a
// cycle are cut off. There is one parallel region of all workers, in which each worker's own part
// is an implicit task. A task without a creation event is shown as created by the worker that runs
// it, at the time when it begins. meta.json and end.json are written last, so tools do not take an
// unfinished folder for a recording; the destructor removes an unfinished folder.
//
// Used by one thread. Its methods block while they write.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/events.h"

namespace teff::machine {

// What was run. The report and the page show all of these.
struct Setting {
    std::string program;
    std::string machine;
    std::string policy; // of scheduling, and where data lie
    std::uint64_t seed = 0;
    unsigned clock_mhz = 0;
    std::vector<std::string> workers = {}; // their names, where they are more than cores
};

class Recording final : public Sink {
  public:
    // Makes the new folder of the recording, in an existing folder.
    Recording(std::string folder, Setting setting, unsigned workers);
    ~Recording() override;

    void take(const Event& event) override;

    // Nothing happens after `end`. Returns what went wrong, or an empty text.
    [[nodiscard]] std::string finish(Time end);

    // The longest stall of a task, waiting for memory.
    Time longest_stall() const { return longest_stall_; }

  private:
    class Stream;
    struct Identity {
        std::uint64_t id = 0;
        std::uint32_t worker = 0;
        bool ended = false;
    };

    void begin_region();
    Identity define(std::uint32_t worker, const Event& creation);
    void take_creation(const Event& event);
    void take_task(const Event& event);
    void take_wait(const Event& event, unsigned kind, std::uint64_t task, std::uint32_t barrier);
    std::uint64_t who(const Event& event) const;
    std::uint32_t number_of(std::vector<std::string>& names, std::string_view name);
    std::uint32_t site(Stream& stream, std::string_view label);
    std::uint32_t counter(Stream& stream, std::string_view name);
    void write_meta(long folder);
    void write_end(long folder, std::uint64_t end);

    const std::string folder_;
    const Setting setting_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::unordered_map<std::uint32_t, Identity> tasks_; // that were created
    std::vector<std::string> labels_, counters_;        // by number, from 1
    Time longest_stall_ = 0;
    std::string trouble_;
    bool finished_ = false;
};

} // namespace teff::machine
