// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parsers of the lines in /proc and in control groups that give the quota: the owner of
// a container may write any text there.
#include "topo/cgroup.h"

#include <climits>

#include "fuzz/input.h"

namespace {

bool lies_in(std::string_view part, std::string_view whole) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check(std::optional<teff::topo::Quota> quota) {
    if (!quota) return;
    FUZZ_CHECK(quota->period_us != 0);
    FUZZ_CHECK(quota->processors() >= 1 && quota->processors() <= INT_MAX);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace teff::topo;
    teff::fuzz::Input input(data, size);
    const std::string_view first = input.line(), second = input.line();
    check(parse_cpu_max(first));
    check(parse_cfs(first, second));
    if (const auto membership = parse_membership(first))
        FUZZ_CHECK(lies_in(membership->path, first) && membership->path.front() == '/');
    if (const auto mount = parse_mount(first))
        FUZZ_CHECK(lies_in(mount->root, first) && lies_in(mount->mount_point, first));
    return 0;
}
