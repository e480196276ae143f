// SPDX-License-Identifier: Apache-2.0
//
// The table of the tool's callbacks.
//
// Any thread may set and call. [callback-1] set's store (release) pairs with get's load (acquire):
// whoever finds a callback finds what the tool made ready for it. After `clear` nobody finds one
// any more; calls that have begun go on.
#pragma once

#include "omp-tools.h"

namespace teff::probe::ompt {

// As ompt_set_callback and ompt_get_callback; a null callback takes the registered one away.
ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback);
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback);

// The tool is over.
void clear_callbacks();

namespace detail {
ompt_callback_t find_callback(ompt_callbacks_t event);
}

// Calls the tool's callback for `event`, if it has set one. `Function` is the event's type of
// omp-tools.h.
template <class Function, class... Arguments> void call(ompt_callbacks_t event, Arguments... arguments) {
    if (const auto callback = reinterpret_cast<Function>(detail::find_callback(event))) callback(arguments...);
}

} // namespace teff::probe::ompt
