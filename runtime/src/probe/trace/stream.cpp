// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/report.h"
#include "icv/icv.h"

namespace teff::probe::trace {

Stream::Stream(const char* directory, std::uint32_t number, Instant origin) : origin_(origin), number_(number) {
    const std::uint64_t limit_bytes = std::uint64_t{icv::global().trace_limit_MiB} << 20;
    chunk_limit_ = limit_bytes == 0 ? ~std::uint64_t{0} : limit_bytes / TEFF_TRACE_CHUNK_BYTES;
    std::snprintf(path_, sizeof path_, "%s/stream-%04u.bin", directory, number);
    file_ = open(path_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) give_up("made", errno);
}

void Stream::open_first_chunk() {
    if (chunks_ == 0 && !gave_up_ && map_chunk()) write_clock();
}

void Stream::give_up(const char* doing, int error) {
    gave_up_ = true;
    cursor_ = chunk_end_ = nullptr;
    if (error != 0)
        base::warn("%s cannot be %s (%s): the recording of this thread ends here, the program goes on", path_, doing,
                   std::strerror(error));
}

char* Stream::next_chunk(std::size_t bytes) {
    const bool room = !gave_up_ && map_chunk();
    if (!room) {
        lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return nullptr;
    }
    write_clock();
    (void)bytes; // no record is larger than a fresh chunk
    return cursor_;
}

// A chunk may hold events that began long before it was opened (a task's RUN is written at its end). So all chunks count from the
// recording's start, for as long as 48 bits reach (13 hours at 3 GHz, with as much again for what the chunk will hold); later ones from half the
// range back, and what began before that saturates.
Stream::Instant Stream::choose_base() const {
    constexpr Ticks kHalfRange = std::uint64_t{1} << 47;
    const Instant now{base::ticks(), base::monotonic_ns()};
    const Ticks elapsed = now.ticks - origin_.ticks;
    if (elapsed < kHalfRange) return origin_;
    const double ns_per_tick = static_cast<double>(now.ns - origin_.ns) / static_cast<double>(elapsed);
    return {now.ticks - kHalfRange, now.ns - static_cast<std::uint64_t>(ns_per_tick * static_cast<double>(kHalfRange))};
}

// Replaces the full chunk by a fresh one. The disk's blocks are reserved first: a full disk shows here as an error, and not later as SIGBUS.
bool Stream::map_chunk() {
    if (chunks_ >= chunk_limit_) {
        give_up("", 0);
        base::warn("%s has reached TEFF_TRACE_LIMIT: later events of this thread are not recorded", path_);
        return false;
    }
    const auto offset = static_cast<off_t>(chunks_ * TEFF_TRACE_CHUNK_BYTES);
    if (const int error = posix_fallocate(file_, offset, TEFF_TRACE_CHUNK_BYTES); error != 0)
        return give_up("extended", error), false;
    void* chunk = mmap(nullptr, TEFF_TRACE_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset);
    if (chunk == MAP_FAILED) return give_up("mapped", errno), false;
#ifdef MADV_POPULATE_WRITE
    madvise(chunk, TEFF_TRACE_CHUNK_BYTES,
            MADV_POPULATE_WRITE); // one system call instead of 256 page faults; older kernels fault
#endif
    if (chunk_end_ != nullptr) munmap(chunk_end_ - TEFF_TRACE_CHUNK_BYTES, TEFF_TRACE_CHUNK_BYTES);
    const Instant base = choose_base();
    base_ = base.ticks;
    auto* header = static_cast<teff_chunk_header*>(chunk);
    *header = {.magic = 0,
               .version = TEFF_TRACE_VERSION,
               .stream = number_,
               .sequence = chunks_,
               .base_ticks = base.ticks,
               .base_ns = base.ns,
               .os_thread = static_cast<std::uint32_t>(syscall(SYS_gettid)),
               .reserved0 = 0,
               .reserved1 = {}};
    std::atomic_ref<std::uint64_t>(header->magic).store(TEFF_TRACE_MAGIC, std::memory_order_release); // [trace-1]
    cursor_ = static_cast<char*>(chunk) + sizeof(teff_chunk_header);
    chunk_end_ = static_cast<char*>(chunk) + TEFF_TRACE_CHUNK_BYTES;
    ++chunks_;
    return true;
}

void Stream::write_clock() {
    const Ticks now = base::ticks();
    append(TEFF_REC_CLOCK, 0, now, teff_rec_clock{0, now, base::monotonic_ns(), 0});
}

std::uint32_t Stream::add_module(const LoadedModule& module) {
    const std::uint32_t number = modules_.add(module.begin, module.end);
    const std::size_t length = std::strlen(module.path);
    const std::size_t bytes = sizeof(teff_rec_module) + (length + 15) / 16 * 16;
    char* at = cursor_;
    if (room() < bytes && (at = next_chunk(bytes)) == nullptr) return 0;
    cursor_ = at + bytes;
    auto* record = reinterpret_cast<teff_rec_module*>(at);
    record->module = number;
    record->path_bytes = static_cast<std::uint32_t>(length);
    record->bias = module.bias;
    std::memcpy(at + sizeof(teff_rec_module), module.path, length);
    std::atomic_ref<std::uint64_t>(record->head).store(TEFF_REC_MODULE, std::memory_order_release); // [trace-1]
    return number;
}

std::uint32_t Stream::add_site(const void* call_site, const void* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(call_site);
    std::uint32_t module = modules_.find(address);
    if (module == 0 && address != 0) {
        LoadedModule loaded;
        if (find_loaded_module(address, loaded)) module = add_module(loaded);
    }
    const std::uint32_t site = sites_.add(call_site, function);
    if (site != 0)
        append(TEFF_REC_SITE, 0, base::ticks(),
               teff_rec_site{0, site, module, address, reinterpret_cast<std::uintptr_t>(function)});
    return site;
}

void Stream::close() {
    if (cursor_ == nullptr) return;
    write_clock();
    if (lost_records() != 0) append(TEFF_REC_LOST, 0, base::ticks(), teff_rec_lost{0, lost_records(), {}});
}

} // namespace teff::probe::trace
