// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "icv/icv.h"
#include "mem/distribution.h"
#include "mem/distribution/blocked.h"
#include "mem/distribution/coarse.h"
#include "mem/distribution/fine.h"
#include "mem/distribution/nearest.h"

namespace teff::mem {

namespace {

constexpr Distribution kDistributions[] = {
    {"standard", nullptr},
    {"fine", detail::place_fine},
    {"coarse", detail::place_coarse},
    {"blocked", detail::place_blocked},
    {"nearest", detail::place_nearest},
};

constexpr bool names_agree() {
    bool agree = std::size(kDistributions) == std::size(icv::kDistributions);
    for (std::size_t i = 0; agree && i < std::size(kDistributions); ++i)
        agree = kDistributions[i].name == icv::kDistributions[i];
    return agree;
}
static_assert(names_agree(), "icv::kDistributions has the same names in the same order");
static_assert(kDistributions[kFine].name == "fine" && kDistributions[kCoarse].name == "coarse" &&
              kDistributions[kBlocked].name == "blocked" && kDistributions[kNearest].name == "nearest");

} // namespace

const Distribution& distribution(unsigned number) { return kDistributions[number]; }

} // namespace teff::mem
