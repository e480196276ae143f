/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work inside a construct: about 0.1 us of arithmetic. It is always the same, so that it can be
 * measured alone and subtracted.
 *
 * Every construct runs its body a known number of times. If `body_counting` is on, the body counts
 * how often it runs, which shows that the construct works. In timed runs it does not count.
 */
#ifndef BODY_H
#define BODY_H

#include <stdbool.h>

extern bool body_counting;
extern long bodies_run;
extern const char* body_fault; /* what a counted run did wrong other than the number; NULL: nothing */

void body(void);

#endif
