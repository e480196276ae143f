// SPDX-License-Identifier: Apache-2.0
#include "device/traffic.h"

#include <cstdio>

#include "device/plan.h"

namespace teff::device {

std::uint64_t bytes_of(const base::List<Copy>& copies) {
    std::uint64_t bytes = 0;
    for (const Copy& copy : copies)
        bytes += copy.bytes;
    return bytes;
}

void Traffic::count_construct(const Plan& plan, bool is_region) {
    add(is_region ? regions_ : others_, 1);
    add(to_, bytes_of(plan.to_device) + plan.sent_ahead_bytes);
    add(from_, bytes_of(plan.from_device));
    if (plan.sent_ahead_bytes != 0) add(ahead_, plan.sent_ahead_bytes);
}

void Traffic::count_pass(std::uint64_t bytes) {
    add(others_, 1);
    add(from_others_, bytes);
}

void Traffic::count_sent(const iovec* parts, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        add(sent_, parts[i].iov_len);
}

void Traffic::print(unsigned device) const {
    std::fprintf(stderr,
                 "teff: device %u: %llu regions, %llu other constructs; data: %llu bytes to the device, %llu from it; "
                 "all messages: %llu bytes to the device, %llu from it",
                 device, value(regions_), value(others_), value(to_), value(from_), value(sent_), value(received_));
    if (value(from_others_) != 0) std::fprintf(stderr, "; %llu bytes from other devices", value(from_others_));
    if (value(ahead_) != 0) std::fprintf(stderr, "; %llu bytes ahead of their constructs", value(ahead_));
    std::fputc('\n', stderr);
}

} // namespace teff::device
