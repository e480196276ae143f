// SPDX-License-Identifier: Apache-2.0
//
// One line per event in the file that OMPT_LOG names:
//
//     PID SEQUENCE TID EVENT key=value...
//
// SEQUENCE counts over all threads of the process, and is taken when the callback runs: if one
// event happens before another, it has the smaller number. Each line is one write to a file that is
// opened for appending. So a line is never mixed with others, and is not lost if the process dies.
// Usable in a signal handler.

#ifndef OMPT_TEST_LOG_H
#define OMPT_TEST_LOG_H

#include <omp-tools.h>

typedef struct Line {
    int length;
    char text[1000];
} Line;

void log_open(void);

Line line_begin(const char* event);
__attribute__((format(printf, 2, 3))) void line_add(Line* line, const char* format, ...);
void line_end(Line* line);

// The tool's own names for threads (T), parallel regions (P), tasks (K) and target regions (X): a
// letter in the first byte, then a number.
void name_fresh(ompt_data_t* data, char letter);
// As text: T1, P2, K3; "0" if the tool never named it, "-" for a null pointer, "!" for what is no
// pointer at all, and "?" with its value for what is no name.
const char* name_of(const ompt_data_t* data, char* buffer);
void line_add_name(Line* line, const char* key, const ompt_data_t* data);

#endif
