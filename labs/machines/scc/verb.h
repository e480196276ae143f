// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace teff::machine::scc {

// ./run machines scc: prints what the modelled chip's barriers take, and the paper's claims.
// `arguments` begin after `scc`. Returns the process's status.
int run_verb(int count, char** arguments);

} // namespace teff::machine::scc
