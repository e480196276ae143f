// SPDX-License-Identifier: Apache-2.0
// Tests only: reads a recording's files by means of teff_trace.h alone, and provides a folder to
// record into. A short record is read as the whole record that it stands for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdlib.h>
#include <string>
#include <utility>
#include <vector>

#include "teff_trace.h"

namespace teff::probe::trace {

// A temporary folder, which the destructor removes with all its contents.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "teff-trace-test-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

inline std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A file of JsonFile without its last member, the checksum.
inline std::string contents_before_checksum(const std::string& path) {
    const std::string text = contents(path);
    return text.substr(0, text.rfind(",\n  \"checksum\": ")) + "\n}\n";
}

struct ReadRecord {
    std::size_t chunk;
    std::string bytes;

    teff_rec_head head() const { return as<teff_rec_head>(); }
    unsigned type() const { return static_cast<unsigned>(head() & 0xff); }
    unsigned flags() const { return static_cast<unsigned>(head() >> 8 & 0xff); }
    std::uint64_t when() const { return head() >> 16; }

    template <class Record> Record as() const {
        Record record{};
        std::memcpy(&record, bytes.data(), std::min(sizeof record, bytes.size()));
        return record;
    }
};

struct ReadStream {
    std::vector<teff_chunk_header> chunks;
    std::vector<ReadRecord> records; // all records except `moves`
    std::vector<ReadRecord> moves;   // the MOVED records: the kernel moved the thread
    std::string error;               // empty if the file has the right format

    std::vector<ReadRecord> of_type(unsigned type) const {
        std::vector<ReadRecord> found;
        for (const ReadRecord& record : records)
            if (record.type() == type) found.push_back(record);
        return found;
    }
};

// Returns the size in bytes of the record at `at`, as its chunk's header says. Returns 0 if the
// header has no such type of record.
inline std::size_t record_bytes(const teff_chunk_header& header, const char* at) {
    const unsigned size = header.sizes[static_cast<unsigned char>(*at)];
    std::uint32_t tail = 0;
    if ((size & TEFF_SIZE_HAS_TAIL) != 0) std::memcpy(&tail, at + 12, sizeof tail);
    return (size & ~TEFF_SIZE_HAS_TAIL) * TEFF_SIZE_UNIT + (tail + std::size_t{15}) / 16 * 16;
}

// Makes the short records of a chunk whole, by means of the chunk's last whole records.
class WholeRecords {
  public:
    std::string whole(const std::string& bytes) {
        switch (static_cast<unsigned char>(bytes[0])) {
        case TEFF_REC_CREATE:
            create_ = as<teff_rec_create>(bytes);
            return bytes;
        case TEFF_REC_RUN:
            run_ = as<teff_rec_run>(bytes);
            return bytes;
        case TEFF_REC_DEP:
            other_address_ = dep_.address;
            dep_ = as<teff_rec_dep>(bytes);
            return bytes;
        case TEFF_REC_WAIT:
            note(as<teff_rec_wait>(bytes));
            return bytes;
        case TEFF_REC_CHUNK:
            chunk_ = as<teff_rec_chunk>(bytes);
            return bytes;
        case TEFF_REC_SHORT_WAIT:
            return whole(as<teff_rec_short_wait>(bytes));
        case TEFF_REC_SHORT_CHUNK:
            return whole(as<teff_rec_short_chunk>(bytes));
        case TEFF_REC_SHORT_CREATE:
            return whole(as<teff_rec_short_create>(bytes));
        case TEFF_REC_SHORT_TASK:
            return whole(as<teff_rec_short_task>(bytes));
        case TEFF_REC_SHORT_RUN:
            return whole(as<teff_rec_short_run>(bytes));
        case TEFF_REC_SHORT_DEP:
            return whole(as<teff_rec_short_dep>(bytes));
        default:
            return bytes;
        }
    }

    // Returns the RUN and the WAIT that a SHORT_TASK stands for. Called after `whole`.
    std::vector<std::string> further(const std::string& bytes) const {
        const auto record = as<teff_rec_short_task>(bytes);
        if (static_cast<unsigned char>(bytes[0]) != TEFF_REC_SHORT_TASK || record.ran == 0) return {};
        const std::uint64_t ticks = record.ran - 1;
        const teff_rec_head when = ((record.head >> 16) + record.cost_ticks) << 16;
        const bool is_awaited = (record.head >> 8 & (TEFF_TASK_UNDEFERRED | TEFF_TASK_INCLUDED)) != 0;
        const std::uint64_t flags = is_awaited ? unsigned{TEFF_RUN_ON_TOP} : 0u;
        const teff_rec_run run{when | flags << 8 | TEFF_REC_RUN, create_.task, ticks | run_.ticks_and_cpu >> 48 << 48,
                               run_.region};
        const teff_rec_wait wait{when | TEFF_WAIT_RUN_AT_ONCE << 8 | TEFF_REC_WAIT, create_.parent, ticks, create_.site,
                                 0};
        if (is_awaited) return {bytes_of(run)};
        return {bytes_of(run), bytes_of(wait)};
    }

  private:
    template <class Record> static Record as(const std::string& bytes) {
        Record record{};
        std::memcpy(&record, bytes.data(), std::min(sizeof record, bytes.size()));
        return record;
    }
    template <class Record> static std::string bytes_of(const Record& record) {
        return {reinterpret_cast<const char*>(&record), sizeof record};
    }
    static teff_rec_head head_of(teff_rec_head head, teff_record_type type) {
        return (head & ~teff_rec_head{0xff}) | type;
    }

    std::string whole(const teff_rec_short_create& record) {
        create_ = {head_of(record.head, TEFF_REC_CREATE), create_.task + 1, create_.parent, record.site,
                   record.cost_ticks};
        return bytes_of(create_);
    }
    std::string whole(const teff_rec_short_task& record) {
        create_ = {head_of(record.head, TEFF_REC_CREATE), create_.task + 1, create_.parent, create_.site,
                   record.cost_ticks};
        return bytes_of(create_);
    }
    std::string whole(const teff_rec_short_run& record) {
        const std::uint64_t packed = record.ticks_and_task, cpu = run_.ticks_and_cpu >> 48;
        const std::uint64_t task = (packed >> 56) << 48 | (packed >> 24 & 0xffff'ffffu);
        run_ = {head_of(record.head, TEFF_REC_RUN), task, (packed & 0xff'ffffu) | cpu << 48, run_.region};
        return bytes_of(run_);
    }
    std::string whole(const teff_rec_short_dep& record) {
        const bool is_other = (record.back & TEFF_SHORT_DEP_OTHER) != 0;
        const std::uint64_t near = is_other ? other_address_ : dep_.address;
        if (is_other) other_address_ = dep_.address;
        dep_ = {head_of(record.head, TEFF_REC_DEP), create_.task, create_.task - record.back % TEFF_SHORT_DEP_OTHER,
                near + static_cast<std::uint64_t>(std::int64_t{record.address})};
        return bytes_of(dep_);
    }

    void note(const teff_rec_wait& record) { sites_[record.head >> 8 & 0xff] = record.site; }
    std::string whole(const teff_rec_short_wait& record) {
        const std::uint64_t packed = record.ticks_and_task;
        const std::uint64_t task = (packed >> 56) << 48 | (packed >> 24 & 0xffff'ffffu);
        return bytes_of(teff_rec_wait{head_of(record.head, TEFF_REC_WAIT), task, packed & 0xff'ffffu,
                                      sites_[record.head >> 8 & 0xff], 0});
    }
    std::string whole(const teff_rec_short_chunk& record) {
        const std::uint64_t packed = record.ticks_and_first, cpu = chunk_.ticks_and_cpu >> 48;
        chunk_.head = head_of(record.head, TEFF_REC_CHUNK);
        const auto distance = static_cast<std::uint64_t>(static_cast<std::int64_t>(packed) >> 24);
        chunk_.first = static_cast<std::int64_t>(static_cast<std::uint64_t>(chunk_.first) + distance); // modulo 2^64
        chunk_.ticks_and_cpu = (packed & 0xff'ffffu) | cpu << 48;
        return bytes_of(chunk_);
    }

    std::array<std::uint32_t, 256> sites_{}; // of the last WAIT of each kind
    teff_rec_chunk chunk_{};
    teff_rec_create create_{};
    teff_rec_run run_{};
    teff_rec_dep dep_{};
    std::uint64_t other_address_ = 0;
};

inline void read_chunk(const std::string& file, std::size_t begin, ReadStream& stream) {
    const std::size_t end = std::min<std::size_t>(begin + TEFF_TRACE_CHUNK_BYTES, file.size());
    teff_chunk_header header;
    if (end - begin < sizeof header) return void(stream.error = "a chunk is shorter than its header");
    std::memcpy(&header, file.data() + begin, sizeof header);
    if (header.magic != TEFF_TRACE_MAGIC) return void(stream.error = "a chunk has another magic");
    stream.chunks.push_back(header);
    WholeRecords records;
    for (std::size_t at = begin + header.header_bytes; at + 16 <= end && file[at] != TEFF_REC_NONE;) {
        const std::size_t bytes = record_bytes(header, file.data() + at);
        if (bytes == 0) return void(stream.error = "unknown record type");
        if (at + bytes > end) return void(stream.error = "a record crosses the end of its chunk");
        const std::string stored = file.substr(at, bytes);
        ReadRecord record{stream.chunks.size() - 1, records.whole(stored)};
        auto& target = record.type() == TEFF_REC_MOVED ? stream.moves : stream.records;
        target.push_back(std::move(record));
        for (std::string& further : records.further(stored))
            stream.records.push_back({stream.chunks.size() - 1, std::move(further)});
        at += bytes;
    }
}

// Returns where the chunks of a file begin that have begun, in the order of their numbers. If two
// have the same number, the first one counts.
inline std::vector<std::size_t> chunks_in_order(const std::string& file) {
    std::map<std::uint64_t, std::size_t> by_sequence;
    teff_chunk_header header;
    for (std::size_t begin = 0; begin + sizeof header <= file.size(); begin += TEFF_TRACE_CHUNK_BYTES) {
        std::memcpy(&header, file.data() + begin, sizeof header);
        if (header.magic != 0) by_sequence.try_emplace(header.sequence, begin);
    }
    std::vector<std::size_t> begins;
    for (const auto& [sequence, begin] : by_sequence)
        begins.push_back(begin);
    return begins;
}

inline ReadStream read_stream(const std::string& path) {
    const std::string file = contents(path);
    ReadStream stream;
    for (const std::size_t begin : chunks_in_order(file))
        if (stream.error.empty()) read_chunk(file, begin, stream);
    return stream;
}

} // namespace teff::probe::trace
