// SPDX-License-Identifier: Apache-2.0
#ifndef OMPT_TEST_CALLBACKS_H
#define OMPT_TEST_CALLBACKS_H

// Sets a callback for every event on the host. Each writes one line with all that it gets.
void set_all_callbacks(void);
// Takes them all away.
void clear_all_callbacks(void);

#endif
