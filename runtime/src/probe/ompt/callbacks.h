// SPDX-License-Identifier: Apache-2.0
//
// The table of the tool's callbacks.
//
// Any thread may set and call callbacks. [callback-1] The store (release) in set_callback pairs
// with the load (acquire) in find_callback: a thread that finds a callback also sees what the tool
// stored before it set the callback. After clear_callbacks no thread finds a callback; calls that
// have begun run to their end.
#pragma once

#include "omp-tools.h"

namespace teff::probe::ompt {

// As ompt_set_callback and ompt_get_callback. A null `callback` removes the registered callback.
ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback);
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback);

// Removes all callbacks. Called when the tool ends.
void clear_callbacks();

namespace detail {
ompt_callback_t find_callback(ompt_callbacks_t event);
}

// Calls the tool's callback for `event`, if the tool has set one. `Function` is the event's
// callback type in omp-tools.h.
template <class Function, class... Arguments> void call(ompt_callbacks_t event, Arguments... arguments) {
    if (const auto callback = reinterpret_cast<Function>(detail::find_callback(event))) callback(arguments...);
}

} // namespace teff::probe::ompt
