// SPDX-License-Identifier: Apache-2.0
// Fuzzes OMP_PLACES, GOMP_CPU_AFFINITY and KMP_HW_SUBSET: a text gives places or a part of the
// machine, or a problem at one of its characters. The places that are kept are not empty, and have
// only allowed processors.
#include "topo/hardware_subset.h"
#include "topo/place_text.h"

#include "fuzz/input.h"

namespace teff::fuzz {
namespace {

using topo::PlaceList;
using topo::ProcessorSet;

void check(std::string_view text, topo::TextProblem problem, PlaceList& places, const ProcessorSet& allowed) {
    FUZZ_CHECK(problem.at <= text.size());
    FUZZ_CHECK(problem.expected == nullptr || problem.expected[0] != '\0');
    FUZZ_CHECK(places.size() <= PlaceList::kLimit);
    places.keep_only(allowed); // also takes out places that are empty, as {3,!3}
    for (unsigned i = 0; i < places.size(); ++i) {
        ProcessorSet inside = places[i];
        inside &= allowed;
        FUZZ_CHECK(!inside.empty() && inside == places[i]);
    }
}

void check_subset(std::string_view text, const ProcessorSet& allowed) {
    topo::HardwareSubset subset;
    const topo::TextProblem problem = topo::read_hardware_subset(text, subset);
    FUZZ_CHECK(problem.at <= text.size());
    if (problem.expected != nullptr) return;
    ProcessorSet part = allowed;
    const auto shortage = topo::keep_subset(subset, "/nonexistent", part);
    FUZZ_CHECK(!shortage || (shortage->needed > shortage->present && part == allowed));
    part -= allowed;
    FUZZ_CHECK(part.empty());
}

} // namespace
} // namespace teff::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace teff;
    fuzz::Input input(data, size);
    topo::ProcessorSet allowed;
    for (unsigned processor = 0; processor < 70; processor += 3)
        allowed.add(processor);
    const std::string_view text = input.text();
    topo::PlaceList places, processors;
    fuzz::check(text, topo::read_places(text, allowed, "/nonexistent", places), places, allowed);
    fuzz::check(text, topo::read_cpu_affinity(text, processors), processors, allowed);
    fuzz::check_subset(text, allowed);
    return 0;
}
