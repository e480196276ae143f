// SPDX-License-Identifier: Apache-2.0
//
// The program of ./run demo. It compresses a file in blocks, each by a task. What it writes is
// right, but on two threads it takes as long as on one.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

enum { BLOCK = 32768, SHORTEST = 4, LONGEST = 255, HASH_BITS = 14, TRIES = 250 };

typedef struct {
    const byte* text;
    byte* packed;
    int size, packed_size;
} block;

// What packing a block needs: where each sequence of bytes was last seen, and where before that;
// and for each position how much of the text there is a repetition, and the least bytes from there.
static struct {
    int last[1 << HASH_BITS], before[BLOCK];
    int length[BLOCK], distance[BLOCK], bytes[BLOCK + 1];
} memory;

static unsigned hash(const byte* at) {
    unsigned bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes * 2654435761u >> (32 - HASH_BITS);
}

static int equal_bytes(const byte* a, const byte* b, int most) {
    int equal = 0;
    while (equal < most && a[equal] == b[equal])
        ++equal;
    return equal;
}

static int smaller(int a, int b) { return a < b ? a : b; }

// Finds the longest piece of earlier text that is there again at `at`.
static void find_repetition(const block* b, int at) {
    int most = smaller(b->size - at, LONGEST), longest = SHORTEST - 1, tries = TRIES;
    memory.length[at] = 0;
    if (most < SHORTEST) return;
    int* last = &memory.last[hash(b->text + at)];
    for (int old = *last; old >= 0 && tries > 0; old = memory.before[old], --tries) {
        int length = equal_bytes(b->text + old, b->text + at, most);
        if (length <= longest) continue;
        longest = memory.length[at] = length;
        memory.distance[at] = at - old;
    }
    memory.before[at] = *last;
    *last = at;
}

// Decides, from the end on, where a repetition saves bytes: it takes 3, a byte by itself takes 2.
static void choose(int size) {
    memory.bytes[size] = 0;
    for (int at = size - 1; at >= 0; --at) {
        int length = memory.length[at], single = 2 + memory.bytes[at + 1];
        int repeated = length ? 3 + memory.bytes[at + length] : single;
        if (single <= repeated) memory.length[at] = 0;
        memory.bytes[at] = smaller(single, repeated);
    }
}

// A packed block is a row of items: 0 and a byte; or a length, and in two bytes how far back the
// text of that length is.
static void pack(block* b) {
    byte* out = b->packed;
    memset(memory.last, -1, sizeof memory.last);
    for (int at = 0; at < b->size; ++at)
        find_repetition(b, at);
    choose(b->size);
    for (int at = 0; at < b->size; at += memory.length[at] ? memory.length[at] : 1) {
        *out++ = (byte)memory.length[at];
        *out++ = memory.length[at] ? (byte)memory.distance[at] : b->text[at];
        if (memory.length[at]) *out++ = (byte)(memory.distance[at] >> 8);
    }
    b->packed_size = (int)(out - b->packed);
}

// Whether the packed block gives its text again.
static int is_right(const block* b) {
    static byte text[BLOCK];
    int size = 0;
    for (const byte* in = b->packed; in < b->packed + b->packed_size;) {
        int length = *in++, value = *in++, end = size + (length ? length : 1);
        if (length) value += *in++ << 8;
        if (end > b->size || (length && value > size)) return 0;
        if (!length) text[size] = (byte)value;
        for (int at = size; length && at < end; ++at)
            text[at] = text[at - value];
        size = end;
    }
    return size == b->size && memcmp(text, b->text, (size_t)size) == 0;
}

static void pack_all(block* blocks, int count) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < count; ++i)
#pragma omp task depend(inout : memory) // all blocks use it
        pack(&blocks[i]);
}

static byte* read_file(const char* name, size_t* size) {
    FILE* file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    *size = (size_t)ftell(file);
    byte* text = malloc(*size + 1);
    rewind(file);
    if (text && fread(text, 1, *size, file) != *size) return NULL;
    fclose(file);
    return text;
}

int main(int argc, char** argv) {
    double began = omp_get_wtime();
    size_t size = 0, packed_size = 0;
    byte* text = argc == 3 ? read_file(argv[1], &size) : NULL;
    FILE* file = text ? fopen(argv[2], "wb") : NULL;
    int count = (int)((size + BLOCK - 1) / BLOCK);
    block* blocks = calloc((size_t)count + 1, sizeof *blocks);
    byte* packed = malloc(2 * size + 1);
    if (!file || !blocks || !packed) {
        fprintf(stderr, "usage: pack FILE PACKED, which can be read and written\n");
        return 2;
    }
    for (int i = 0; i < count; ++i) {
        size_t from = (size_t)i * BLOCK;
        blocks[i] = (block){text + from, packed + 2 * from, size - from < BLOCK ? (int)(size - from) : BLOCK, 0};
    }
    pack_all(blocks, count);
    int right = 1;
    for (int i = 0; i < count; ++i) {
        right &= is_right(&blocks[i]);
        packed_size += fwrite(blocks[i].packed, 1, (size_t)blocks[i].packed_size, file);
    }
    right &= fclose(file) == 0;
    printf("%d blocks, %zu bytes -> %zu bytes, %s, %.2f s\n", count, size, packed_size, right ? "right" : "WRONG",
           omp_get_wtime() - began);
    return !right;
}
