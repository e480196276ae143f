// SPDX-License-Identifier: Apache-2.0
// Stream's methods that record where its thread was, from the samples that the kernel has taken.
#include <utility>

#include "probe/trace/guest.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

// Says so, too, if the kernel refuses.
void Stream::open_samples(const Guest& guest) {
    samples_.open(guest, os_thread_.load(std::memory_order_relaxed), sample_period_ns_, sample_pages_);
    const auto flag = samples_.is_open() ? TEFF_SAMPLES_BEGIN : TEFF_SAMPLES_REFUSED;
    append<TEFF_REC_SAMPLES>(flag, base::ticks(), teff_rec_samples{0, 0, sample_period_ns_, 0});
}

// With signals blocked. The samples wait if a handler of a signal has interrupted the thread while
// it stores a record, or adds a site or an object.
void Stream::write_samples() {
    if (!samples_.is_open() || cursor_.at == nullptr || cursor_.is_storing) return;
    if (adds_site_.load(std::memory_order_relaxed)) return;
    if (std::exchange(sampled_round_, sites_.round()) != sites_.round())
        sampled_.begin = sampled_.end = 0; // the program may have unloaded it
    const std::uint64_t lost = samples_.drain([&](const SampleRing::Hit& hit) {
        const unsigned flags = hit.in_kernel ? TEFF_SAMPLE_KERNEL : 0;
        const std::uint32_t module = module_of_sample(hit.address);
        append<TEFF_REC_SAMPLE>(flags, hit.when,
                                teff_rec_sample{0, hit.address, module, hit.unseen, sample_period_ns_});
    });
    if (lost != 0)
        append<TEFF_REC_SAMPLES>(TEFF_SAMPLES_LOST, base::ticks(), teff_rec_samples{0, lost, sample_period_ns_, 0});
}

// Not by `loaded_`, which a caller further up may be using.
std::uint32_t Stream::module_of_sample(std::uintptr_t address) {
    if (address == 0) return 0;
    if (!sampled_.covers(address) && !find_loaded_module(address, sampled_)) {
        sampled_.begin = sampled_.end = 0;
        return 0;
    }
    return number_of(sampled_);
}

} // namespace teff::probe::trace
