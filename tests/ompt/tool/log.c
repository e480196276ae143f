// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int file = 2;
static atomic_ulong last_sequence;
static atomic_ulong last_name;

void log_open(void) {
    const char* path = getenv("OMPT_LOG");
    if (!path || file != 2) return;
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) abort();
}

Line line_begin(const char* event) {
    Line line = {.length = 0};
    line_add(&line, "%d %lu %d %s", (int)getpid(), atomic_fetch_add(&last_sequence, 1) + 1, (int)gettid(), event);
    return line;
}

void line_add(Line* line, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int room = (int)sizeof line->text - 1 - line->length;
    int wanted = vsnprintf(line->text + line->length, (size_t)room, format, arguments);
    va_end(arguments);
    if (wanted >= room) abort(); // a cut line would hide what it was to tell
    line->length += wanted;
}

void line_end(Line* line) {
    line->text[line->length++] = '\n';
    if (write(file, line->text, (size_t)line->length) != line->length) abort();
}

void name_fresh(ompt_data_t* data, char letter) {
    data->value = ((uint64_t)letter << 56) + atomic_fetch_add(&last_name, 1) + 1;
}

const char* name_of(const ompt_data_t* data, char* buffer) {
    if (!data) return "-";
    if ((uintptr_t)data < 0x10000) { // an offset from a null pointer
        sprintf(buffer, "!%lx", (unsigned long)data);
        return buffer;
    }
    if (!data->value) return "0";
    char letter = (char)(data->value >> 56);
    if (letter == 'T' || letter == 'P' || letter == 'K' || letter == 'X')
        sprintf(buffer, "%c%llu", letter, (unsigned long long)(data->value << 8 >> 8));
    else
        sprintf(buffer, "?%llx", (unsigned long long)data->value);
    return buffer;
}

void line_add_name(Line* line, const char* key, const ompt_data_t* data) {
    char buffer[32];
    line_add(line, " %s=%s", key, name_of(data, buffer));
}
