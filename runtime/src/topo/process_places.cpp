// SPDX-License-Identifier: Apache-2.0
#include "topo/process_places.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <sched.h>

#include "base/report.h"
#include "icv/escape.h"
#include "icv/icv.h"
#include "topo/hardware_subset.h"
#include "topo/place_text.h"
#include "topo/processors.h"

namespace teff::topo {

namespace detail {
constinit std::span<const ProcessorSet> process_places;
}

namespace {

constinit unsigned count_before_binding = 0;

[[gnu::cold]] void warn_of_problem(const char* name, std::string_view text, TextProblem problem) {
    const std::string_view rest(text.data() + problem.at, text.size() - problem.at);
    base::warn("%s='%s' is not valid: expected %s at character %zu%s%s%s; going on as if it were not set", name,
               icv::excerpt(text).text.data(), problem.expected, problem.at + 1, rest.empty() ? ", the end" : " ('",
               rest.empty() ? "" : icv::excerpt(rest).text.data(), rest.empty() ? "" : "')");
}

// Leaves in the list what the process may use. False: nothing.
bool cut(const char* name, const ProcessorSet& allowed, PlaceList& list) {
    const unsigned before = list.size();
    list.keep_only(allowed);
    if (list.size() == 0)
        base::warn("%s: none of its %u places has a processor that the process may use; going on as if it were not set",
                   name, before);
    else if (list.size() < before)
        base::warn("%s: %u of its %u places have no processor that the process may use and are left out", name,
                   before - list.size(), before);
    return list.size() != 0;
}

bool accept(const char* name, std::string_view text, TextProblem problem, const ProcessorSet& allowed,
            PlaceList& list) {
    if (problem.expected != nullptr) warn_of_problem(name, text, problem);
    if (problem.expected == nullptr && cut(name, allowed, list)) return true;
    list.clear();
    return false;
}

bool take_places(const icv::GlobalIcvs& icvs, const ProcessorSet& allowed, PlaceList& list) {
    const std::string_view text = icvs.places;
    if (text.empty()) return false;
    if (accept("OMP_PLACES", text, read_places(text, allowed, "", list), allowed, list)) return true;
    icv::forget_places();
    return false;
}

bool take_cpu_affinity(const icv::GlobalIcvs& icvs, const ProcessorSet& allowed, PlaceList& list) {
    const std::string_view text = icvs.cpu_affinity;
    if (text.empty()) return false;
    if (accept("GOMP_CPU_AFFINITY", text, read_cpu_affinity(text, list), allowed, list)) return true;
    icv::forget_cpu_affinity();
    return false;
}

// Leaves in `allowed` what KMP_HW_SUBSET asks for. Returns false if `allowed` stays as it is,
// because the variable is not set or cannot be followed.
bool take_hardware_subset(const icv::GlobalIcvs& icvs, ProcessorSet& allowed) {
    constexpr const char* kName = "KMP_HW_SUBSET";
    const std::string_view text = icvs.kmp_hw_subset;
    if (text.empty() || allowed.empty() || (icvs.kmp_affinity && icvs.kmp_affinity->is_disabled)) return false;
    HardwareSubset subset;
    const TextProblem problem = read_hardware_subset(text, subset);
    if (problem.expected != nullptr) return warn_of_problem(kName, text, problem), false;
    ProcessorSet kept = allowed;
    if (const auto shortage = keep_subset(subset, "", kept)) {
        base::warn("%s='%s' needs %u %s where there are %u; going on as if it were not set", kName,
                   icv::excerpt(text).text.data(), shortage->needed, shortage->layer.data(), shortage->present);
        return false;
    }
    if (kept.empty())
        base::warn("%s='%s' leaves no processor; going on as if it were not set", kName,
                   icv::excerpt(text).text.data());
    else allowed = kept;
    return !kept.empty();
}

// The places for binding; none if threads are not to be bound.
void find_places(const icv::GlobalIcvs& icvs, const ProcessorSet& allowed, PlaceList& list) {
    if (*icvs.proc_bind.begin() == icv::ProcBind::false_) return;
    if (take_places(icvs, allowed, list) || take_cpu_affinity(icvs, allowed, list)) return;
    if (icvs.binds_for_places || allowed.empty()) return icv::give_up_binding();
    append_level(Level::threads, allowed, PlaceList::kLimit, "", list);
}

} // namespace

void initialise_places() {
    const icv::GlobalIcvs& icvs = icv::global();
    detail::process_places = {};
    if (*icvs.proc_bind.begin() == icv::ProcBind::false_ && icvs.kmp_hw_subset.empty()) return;
    ProcessorSet allowed = affinity_mask();
    const bool is_part = take_hardware_subset(icvs, allowed);
    PlaceList list;
    find_places(icvs, allowed, list);
    // Without binding, the part of the machine is the only place: each thread may use all of it.
    if (list.size() == 0 && (!is_part || !list.append(allowed))) return;
    if (is_part) icv::leave_processors(static_cast<int>(allowed.count()));
    count_before_binding = allowed.count();
    detail::process_places = list.release();
}

unsigned processors_before_binding() { return count_before_binding; }

void bind_this_thread(unsigned place) {
    const ProcessorSet& mask = detail::process_places[place];
    if (sched_setaffinity(0, sizeof mask, reinterpret_cast<const cpu_set_t*>(&mask)) == 0) return;
    static std::atomic<bool> warned{false};
    const int error = errno;
    if (!warned.exchange(true, std::memory_order_relaxed))
        base::warn("a thread could not be bound to place %u (%s) and stays where it is", place, std::strerror(error));
}

} // namespace teff::topo
