// SPDX-License-Identifier: Apache-2.0
// For tests: the chip's costs from its shipped file.
#pragma once

#include <gtest/gtest.h>

#include "machines/scc/costs.h"

namespace teff::machine::scc {

inline Costs shipped() {
    const ParsedCosts parsed = read_costs(TEFF_CHIP);
    EXPECT_TRUE(parsed.costs) << parsed.error;
    return parsed.costs.value_or(Costs());
}

} // namespace teff::machine::scc
