// SPDX-License-Identifier: Apache-2.0
#include "machine/recording.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/trace/json.h"
#include "probe/trace/record_sizes.h"

namespace teff::machine {

namespace {

constexpr std::uint64_t kWhenMask = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kInitial = 1, kRegion = 1; // both of stream 0
constexpr std::uint64_t kUnknownProcessor = 0xffff;

std::uint64_t ticks(Time time) { return time / kCycle; }

std::uint64_t length(const Event& event) { return ticks(event.end) - ticks(event.begin); }

std::uint64_t named(std::uint32_t stream, std::uint64_t ordinal) { return std::uint64_t{stream} << 48 | ordinal; }

// A time that is too large is stored as the maximum.
std::uint32_t half(std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, ~std::uint32_t{0}));
}

std::string trouble_with(const std::string& path, int error) { return path + ": " + std::strerror(error); }

} // namespace

// One file of records. Owns the buffer, in which records are kept until a chunk is full.
class Recording::Stream {
  public:
    Stream(std::uint32_t number, const std::string& folder) : number_(number) {
        char name[32];
        std::snprintf(name, sizeof name, "/stream-%04u.bin", number);
        path_ = folder + name;
        file_.reset(std::fopen(path_.c_str(), "wbe"));
        if (!file_) error_ = errno;
    }

    template <teff_record_type type, class Record>
    void put(std::uint64_t when, unsigned flags, Record record, std::string_view tail = {}) {
        static_assert(probe::trace::kRecordSizes.fixed_bytes(type) == sizeof(Record));
        record.head = std::uint64_t{type} | std::uint64_t{flags} << 8 | (when & kWhenMask) << 16;
        const std::size_t bytes = (sizeof record + tail.size() + 15) / 16 * 16;
        if (chunk_.empty() || chunk_.size() + bytes > TEFF_TRACE_CHUNK_BYTES) begin_chunk();
        const std::size_t end = chunk_.size() + bytes;
        chunk_.append(reinterpret_cast<const char*>(&record), sizeof record);
        chunk_.append(tail);
        chunk_.resize(end);
    }

    // Returns 0, or the error.
    int finish() {
        write();
        if (file_ && std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
        return error_;
    }

    const std::string& path() const { return path_; }

    // ---- Numbers that a stream gives.
    std::uint64_t next_task() { return named(number_, ++ordinal_); }
    bool knows_site(std::uint32_t site) { return note(sites_, site); }
    bool knows_counter(std::uint32_t counter) { return note(counters_, counter); }

    std::uint64_t part = 0;     // the worker's own part of the program, a task
    std::uint64_t part_end = 0; // when it has last done anything
    std::uint32_t barriers = 0; // that it has passed

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    static bool note(std::vector<bool>& known, std::uint32_t number) {
        if (known.size() <= number) known.resize(number + 1);
        const bool before = known[number];
        known[number] = true;
        return before;
    }

    void begin_chunk() {
        if (!chunk_.empty()) chunk_.resize(TEFF_TRACE_CHUNK_BYTES);
        write();
        teff_chunk_header header = {};
        header.magic = TEFF_TRACE_MAGIC;
        header.version = TEFF_TRACE_VERSION;
        header.stream = number_;
        header.sequence = chunks_++;
        header.header_bytes = sizeof header;
        std::copy(std::begin(probe::trace::kRecordSizes.of), std::end(probe::trace::kRecordSizes.of), header.sizes);
        chunk_.assign(reinterpret_cast<const char*>(&header), sizeof header);
    }

    void write() {
        if (file_ && std::fwrite(chunk_.data(), 1, chunk_.size(), file_.get()) != chunk_.size() && error_ == 0)
            error_ = errno;
        chunk_.clear();
    }

    const std::uint32_t number_;
    std::string path_, chunk_;
    std::unique_ptr<std::FILE, Close> file_;
    std::uint64_t chunks_ = 0, ordinal_ = 0;
    std::vector<bool> sites_, counters_;
    int error_ = 0;
};

Recording::Recording(std::string folder, Setting setting, unsigned workers)
    : folder_(std::move(folder)), setting_(std::move(setting)) {
    if (::mkdir(folder_.c_str(), 0777) != 0) {
        trouble_ = trouble_with(folder_, errno);
        return;
    }
    for (unsigned i = 0; i < workers; ++i)
        streams_.push_back(std::make_unique<Stream>(i, folder_));
    begin_region();
}

Recording::~Recording() {
    if (finished_ || streams_.empty()) return;
    for (const auto& stream : streams_)
        ::unlink(stream->path().c_str());
    ::rmdir(folder_.c_str());
}

void Recording::begin_region() {
    const auto workers = static_cast<std::uint32_t>(streams_.size());
    for (std::uint32_t i = 0; i < workers; ++i) {
        Stream& stream = *streams_[i];
        if (i == 0) {
            const std::uint64_t initial = stream.next_task();
            stream.put<TEFF_REC_CREATE>(0, TEFF_TASK_IMPLICIT, teff_rec_create{0, initial, 0, 0, 0});
            stream.put<TEFF_REC_START>(0, 0, teff_rec_start{0, initial, 0, 0});
            stream.put<TEFF_REC_REGION>(0, 0, teff_rec_region{0, kRegion, initial, 0, workers, workers, 1, 0});
        }
        stream.part = stream.next_task();
        stream.put<TEFF_REC_CREATE>(0, TEFF_TASK_IMPLICIT, teff_rec_create{0, stream.part, kInitial, 0, i});
        stream.put<TEFF_REC_START>(0, 0, teff_rec_start{0, stream.part, kRegion, 0});
    }
}

void Recording::take(const Event& event) {
    if (event.worker >= streams_.size()) return;
    Stream& stream = *streams_[event.worker];
    stream.part_end = std::max(stream.part_end, ticks(event.end));
    switch (event.kind) {
    case EventKind::creation:
        return take_creation(event);
    case EventKind::task:
        return take_task(event);
    case EventKind::wait:
        // The event does not say for which tasks it waited. Without GROUP_BEGIN, readers join the
        // tasks that have ended.
        return take_wait(event, TEFF_WAIT_TASKGROUP, who(event), 0);
    case EventKind::at_once:
        return take_wait(event, TEFF_WAIT_RUN_AT_ONCE, who(event), 0);
    case EventKind::lock:
        return take_wait(event, TEFF_WAIT_LOCK, who(event), 0);
    case EventKind::signal:
        return take_wait(event, TEFF_WAIT_ORDERED, who(event), 0);
    case EventKind::barrier:
        return take_wait(event, TEFF_WAIT_BARRIER, stream.part, ++stream.barriers);
    }
}

Recording::Identity Recording::define(std::uint32_t worker, const Event& creation) {
    Stream& stream = *streams_[worker];
    const std::uint64_t id = stream.next_task();
    const std::uint32_t place = site(stream, creation.label);
    stream.put<TEFF_REC_CREATE>(ticks(creation.begin), creation.inside ? TEFF_TASK_UNDEFERRED : 0,
                                teff_rec_create{0, id, who(creation), place, half(length(creation))});
    return {.id = id, .worker = worker};
}

void Recording::take_creation(const Event& event) {
    const Identity created = define(event.worker, event);
    constexpr unsigned kKinds = TEFF_DEP_INOUT | TEFF_DEP_INOUT << TEFF_DEP_PREDECESSOR_SHIFT;
    for (const std::uint32_t predecessor : event.after) {
        const auto known = tasks_.find(predecessor);
        if (known == tasks_.end()) continue; // nothing has created it yet
        const unsigned flags = kKinds | (known->second.ended ? TEFF_DEP_FULFILLED : 0);
        streams_[event.worker]->put<TEFF_REC_DEP>(ticks(event.begin), flags,
                                                  teff_rec_dep{0, created.id, known->second.id, 0});
    }
    tasks_[event.task] = created;
}

void Recording::take_task(const Event& event) {
    Stream& stream = *streams_[event.worker];
    const auto known = tasks_.find(event.task);
    const Event at_once = {.worker = event.worker, .begin = event.begin, .end = event.begin, .label = event.label};
    const Identity task = known != tasks_.end() ? known->second : define(event.worker, at_once);
    for (const NamedValue& each : event.values) {
        if (each.name == kMemoryStall) longest_stall_ = std::max(longest_stall_, each.value);
        const std::uint64_t value = each.name == kMemoryStall ? ticks(each.value) : each.value;
        const teff_rec_counts counts{0, counter(stream, each.name), sizeof value, task.id, 0, 0};
        stream.put<TEFF_REC_COUNTS>(ticks(event.end), TEFF_COUNTS_TASK, counts,
                                    {reinterpret_cast<const char*>(&value), sizeof value});
    }
    const unsigned flags = task.worker != event.worker ? TEFF_RUN_STOLEN : 0;
    stream.put<TEFF_REC_RUN>(ticks(event.begin), flags,
                             teff_rec_run{0, task.id, length(event) | kUnknownProcessor << 48, kRegion});
    if (known != tasks_.end()) known->second.ended = true;
}

void Recording::take_wait(const Event& event, unsigned kind, std::uint64_t task, std::uint32_t barrier) {
    streams_[event.worker]->put<TEFF_REC_WAIT>(ticks(event.begin), kind,
                                               teff_rec_wait{0, task, length(event), 0, barrier});
}

// The task to which the event belongs.
std::uint64_t Recording::who(const Event& event) const {
    const auto task = tasks_.find(event.by);
    return task != tasks_.end() && !task->second.ended ? task->second.id : streams_[event.worker]->part;
}

std::uint32_t Recording::number_of(std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    const auto at = static_cast<std::uint32_t>(found - names.begin());
    if (found == names.end()) names.emplace_back(name);
    return at + 1;
}

// The place of a label is in no object; its address is the label's number.
std::uint32_t Recording::site(Stream& stream, std::string_view label) {
    if (label.empty()) return 0;
    const std::uint32_t number = number_of(labels_, label);
    if (!stream.knows_site(number)) stream.put<TEFF_REC_SITE>(0, 0, teff_rec_site{0, number, 0, number, 0});
    return number;
}

std::uint32_t Recording::counter(Stream& stream, std::string_view name) {
    const std::uint32_t number = number_of(counters_, name);
    if (!stream.knows_counter(number))
        stream.put<TEFF_REC_COUNTER>(0, 0, teff_rec_counter{0, number, half(name.size()), {}}, name);
    return number;
}

std::string Recording::finish(Time time) {
    if (!trouble_.empty()) return trouble_;
    finished_ = true;
    const std::uint64_t end = ticks(time);
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        Stream& stream = *streams_[i];
        const std::uint64_t own = std::min(stream.part_end, end);
        stream.put<TEFF_REC_WAIT>(own, TEFF_WAIT_REGION_END, teff_rec_wait{0, stream.part, end - own, 0, 0});
        stream.put<TEFF_REC_RUN>(0, 0, teff_rec_run{0, stream.part, end | kUnknownProcessor << 48, kRegion});
        if (i == 0) {
            stream.put<TEFF_REC_REGION_END>(end, 0, teff_rec_region_end{0, kRegion, {}});
            stream.put<TEFF_REC_RUN>(0, 0, teff_rec_run{0, kInitial, end | kUnknownProcessor << 48, 0});
        }
        if (const int error = stream.finish(); error != 0) return trouble_with(stream.path(), error);
    }
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return trouble_with(folder_, errno);
    write_meta(folder);
    write_end(folder, end);
    ::close(folder);
    return trouble_;
}

void Recording::write_meta(long folder) {
    probe::trace::JsonFile meta(folder, "meta.json");
    meta.string("format", "teff-trace");
    meta.number("version", TEFF_TRACE_VERSION);
    meta.begin("command", '[');
    meta.item(setting_.program);
    meta.end(']');
    for (const char* const key : {"start_unix_ns", "start_monotonic_ns", "start_ticks"})
        meta.number(key, 0);
    meta.number("ticks_per_second", std::uint64_t{setting_.clock_mhz} * 1'000'000);
    meta.number("processors", streams_.size());
    meta.begin("modelled", '{');
    meta.string("machine", setting_.machine);
    meta.string("policy", setting_.policy);
    meta.number("seed", setting_.seed);
    meta.begin("labels", '[');
    for (const std::string& label : labels_)
        meta.item(label);
    meta.end(']');
    meta.begin("workers", '[');
    for (const std::string& worker : setting_.workers)
        meta.item(worker);
    meta.end(']');
    meta.end('}');
    if (const int error = meta.commit(); error != 0) trouble_ = trouble_with(folder_ + "/meta.json", error);
}

void Recording::write_end(long folder, std::uint64_t end) {
    probe::trace::JsonFile file(folder, "end.json");
    file.number("end_monotonic_ns", end * 1000 / setting_.clock_mhz);
    file.number("end_ticks", end);
    file.number("streams", streams_.size());
    if (const int error = file.commit(); error != 0) trouble_ = trouble_with(folder_ + "/end.json", error);
}

} // namespace teff::machine
