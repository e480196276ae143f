/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All pairs of a set of proteins, aligned globally with affine gap costs in linear space.
 *
 * The method is that of Myers and Miller (1988): the rows are halved, a forward and a backward pass
 * over the halves find where the best alignment crosses the middle, and both parts are aligned in
 * the same way. Each pair is a separate task with its own work space. Tasks create no tasks, so no
 * version has a cutoff.
 */
#include "common/hash.h"
#include "common/workload.h"

enum { RESIDUES = 20, MAX_LENGTH = 20000, SPREAD = 4 };
enum variant { VARIANT_SINGLE, VARIANT_FOR };
static const char* const variant_names[] = {"single", "for"};

static long sequences, mean_length, gap_open, gap_extend, seed, variant, untied;

static const workload_option options[] = {
    {"sequences", "proteins, of which every pair is aligned", &sequences, 2, 2000, {10, 40, 100}, NULL},
    {"length", "mean residues of a protein", &mean_length, 8, MAX_LENGTH / 2, {60, 300, 450}, NULL},
    {"open", "cost of opening a gap", &gap_open, 0, 1000, {10, 10, 10}, NULL},
    {"extend", "cost of each residue in a gap", &gap_extend, 0, 1000, {1, 1, 1}, NULL},
    {"variant",
     "who creates the tasks: one thread in `single`, or all threads in `for`",
     &variant,
     0,
     1,
     {VARIANT_SINGLE, VARIANT_SINGLE, VARIANT_SINGLE},
     variant_names},
    {"tasks", "whether a task stays with its thread", &untied, 0, 1, {0, 0, 0}, workload_tie_names},
    {"seed", "of the proteins", &seed, 0, 1000000000, {1, 1, 1}, NULL},
};
static const workload self = {"alignment",
                              "aligns all pairs of a set of generated proteins by the method of Myers and Miller, one "
                              "task per pair (as in BOTS); "
                              "its tasks are large, uneven and independent",
                              options, WORKLOAD_OPTION_COUNT(options)};

/*
 * The substitution scores BLOSUM62 (Henikoff and Henikoff, 1992): the half below the diagonal, in
 * the order ARND...
 */
static const signed char blosum62[] = {
    4,                                                                             /* A */
    -1, 5,                                                                         /* R */
    -2, 0,  6,                                                                     /* N */
    -2, -2, 1,  6,                                                                 /* D */
    0,  -3, -3, -3, 9,                                                             /* C */
    -1, 1,  0,  0,  -3, 5,                                                         /* Q */
    -1, 0,  0,  2,  -4, 2,  5,                                                     /* E */
    0,  -2, 0,  -1, -3, -2, -2, 6,                                                 /* G */
    -2, 0,  1,  -1, -3, 0,  0,  -2, 8,                                             /* H */
    -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,                                         /* I */
    -1, -2, -3, -4, -1, -2, -3, -4, -3, 2,  4,                                     /* L */
    -1, 2,  0,  -1, -3, 1,  1,  -2, -1, -3, -2, 5,                                 /* K */
    -1, -1, -2, -3, -1, 0,  -2, -3, -2, 1,  2,  -1, 5,                             /* M */
    -2, -3, -3, -3, -2, -3, -3, -3, -1, 0,  0,  -3, 0,  6,                         /* F */
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,                     /* P */
    1,  -1, 1,  0,  -1, 0,  0,  0,  -1, -2, -2, 0,  -1, -2, -1, 4,                 /* S */
    0,  -1, 0,  -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1,  5,             /* T */
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1,  -4, -3, -2, 11,        /* W */
    -2, -2, -2, -3, -2, -1, -2, -3, 2,  -1, -1, -2, -1, 3,  -3, -2, -2, 2,  7,     /* Y */
    0,  -3, -3, -3, -1, -2, -2, -3, -3, 3,  1,  -2, 1,  -1, -2, -2, 0,  -3, -1, 4, /* V */
};
static int scores[RESIDUES][RESIDUES];

static void fill_scores(void) {
    const signed char* next = blosum62;
    for (int i = 0; i < RESIDUES; ++i)
        for (int j = 0; j <= i; ++j)
            scores[i][j] = scores[j][i] = *next++;
}

typedef struct protein {
    unsigned char* residues; /* rows of the scores */
    int length;
} protein;

enum column { PAIR, GAP_IN_A, GAP_IN_B };

/*
 * An alignment, written from left to right: its score, its columns, and how many of them hold two
 * equal residues.
 */
typedef struct alignment {
    long score;
    int columns, identities;
    enum column last;
} alignment;

static uint64_t draw(uint64_t stream, long position) {
    return hash_mix(hash_mix((uint64_t)seed << 32 | stream) + (uint64_t)position);
}

/*
 * Proteins of a family are alike: a quarter of the set descends from one ancestor each, whose
 * residues a descendant keeps, replaces, drops, or follows by another one.
 */
static protein create_protein(long index) {
    protein p = {workload_allocate((size_t)(SPREAD * mean_length)), 0};
    const uint64_t ancestor = 1 + (uint64_t)index % 4, own = 5 + (uint64_t)index;
    const long ancestor_length = mean_length / 2 + (long)(draw(ancestor, -1) % (uint64_t)(mean_length + 1));
    for (long i = 0; i < ancestor_length; ++i) {
        const uint64_t change = draw(own, i) % 100, other = draw(own, i + MAX_LENGTH) % RESIDUES;
        if (change >= 35) p.residues[p.length++] = (unsigned char)(draw(ancestor, i) % RESIDUES);
        if (change < 25 || change >= 95) p.residues[p.length++] = (unsigned char)other;
    }
    return p;
}

static protein* create_proteins(void) {
    protein* all = workload_allocate((size_t)sequences * sizeof *all);
    for (long i = 0; i < sequences; ++i)
        all[i] = create_protein(i);
    return all;
}

static void destroy_proteins(protein* all) {
    for (long i = 0; i < sequences; ++i)
        free(all[i].residues);
    free(all);
}

/* A piece of a protein, read forwards (step 1) or backwards from its end (step -1). */
typedef struct piece {
    const unsigned char* first;
    int length, step;
} piece;

static piece reversed(piece p) { return (piece){p.first + p.length - 1, p.length, -1}; }

static long gap(long residues) { return residues ? -(gap_open + gap_extend * residues) : 0; }
static long max(long a, long b) { return a > b ? a : b; }

/*
 * best[j] becomes the best score of all of `a` against the first j residues of `b`, in_gap[j] the
 * best one of those that end in a gap in `b`. `opening` is what a gap in `b` costs to open that
 * starts before the first residue: 0 if it is open.
 */
static void sweep(piece a, piece b, long opening, long* best, long* in_gap) {
    best[0] = 0;
    for (int j = 1; j <= b.length; ++j) {
        best[j] = gap(j);
        in_gap[j] = best[j] - gap_open;
    }
    for (int i = 1; i <= a.length; ++i) {
        const int* score_of = scores[a.first[(long)(i - 1) * a.step]];
        long diagonal = best[0], left = best[0] = -(opening + gap_extend * i), across = left - gap_open;
        for (int j = 1; j <= b.length; ++j) {
            across = max(across, left - gap_open) - gap_extend;
            in_gap[j] = max(in_gap[j], best[j] - gap_open) - gap_extend;
            left = max(max(across, in_gap[j]), diagonal + score_of[b.first[(long)(j - 1) * b.step]]);
            diagonal = best[j];
            best[j] = left;
        }
    }
    in_gap[0] = best[0];
}

/* Four rows, each as long as the second protein and one more. */
typedef struct space {
    long *best, *in_gap, *best_back, *in_gap_back;
} space;

/*
 * Only the first column of a gap opens it, whichever part of the recursion writes the columns
 * before.
 */
static void add_gap(alignment* to, enum column kind, long residues) {
    if (!residues) return;
    to->score -= (to->last == kind ? 0 : gap_open) + gap_extend * residues;
    to->columns += (int)residues;
    to->last = kind;
}

static void add_pair(alignment* to, int a, int b) {
    to->score += scores[a][b];
    to->identities += a == b;
    ++to->columns;
    to->last = PAIR;
}

/*
 * One residue against a piece: above one of the piece's residues, or at that end of it where a gap
 * costs less to open.
 */
static void align_one(alignment* to, int residue, piece b, long open_before, long open_after) {
    const int ends = open_after < open_before;
    long best = -((ends ? open_after : open_before) + gap_extend) + gap(b.length);
    int at = -1;
    for (int j = 0; j < b.length; ++j) {
        const long score = gap(j) + scores[residue][b.first[j]] + gap(b.length - 1 - j);
        if (score <= best) continue;
        best = score;
        at = j;
    }
    if (at < 0) {
        add_gap(to, GAP_IN_B, !ends);
        add_gap(to, GAP_IN_A, b.length);
        add_gap(to, GAP_IN_B, ends);
        return;
    }
    add_gap(to, GAP_IN_A, at);
    add_pair(to, residue, b.first[at]);
    add_gap(to, GAP_IN_A, b.length - 1 - at);
}

static piece part_of(piece p, int from, int to) { return (piece){p.first + from, to - from, 1}; }

/*
 * Where the best alignment crosses the middle of the first piece, and whether inside a gap in the
 * second.
 */
typedef struct crossing {
    int column, in_gap;
} crossing;

static crossing find_crossing(piece upper, piece lower, piece b, long open_before, long open_after, space s) {
    crossing at = {0, 0};
    sweep(upper, b, open_before, s.best, s.in_gap);
    sweep(reversed(lower), reversed(b), open_after, s.best_back, s.in_gap_back);
    long best = s.best[0] + s.best_back[b.length];
    for (int j = 0; j <= b.length; ++j) {
        const long plain = s.best[j] + s.best_back[b.length - j];
        const long joined = s.in_gap[j] + s.in_gap_back[b.length - j] + gap_open;
        if (max(plain, joined) <= best && j) continue;
        best = max(plain, joined);
        at = (crossing){j, joined > plain};
    }
    return at;
}

/*
 * Adds the best alignment of `a` and `b`. A gap in `b` at either end costs so much to open as the
 * caller says.
 */
static void align(alignment* to, piece a, piece b, long open_before, long open_after, space s) {
    if (!a.length || !b.length) {
        add_gap(to, GAP_IN_B, a.length);
        add_gap(to, GAP_IN_A, b.length);
        return;
    }
    if (a.length == 1) {
        align_one(to, a.first[0], b, open_before, open_after);
        return;
    }
    const int middle = a.length / 2;
    const piece upper = part_of(a, 0, middle), lower = part_of(a, middle, a.length);
    const crossing at = find_crossing(upper, lower, b, open_before, open_after, s);
    const piece left = part_of(b, 0, at.column), right = part_of(b, at.column, b.length);
    if (!at.in_gap) {
        align(to, upper, left, open_before, gap_open, s);
        align(to, lower, right, gap_open, open_after, s);
        return;
    }
    align(to, part_of(a, 0, middle - 1), left, open_before, 0, s);
    add_gap(to, GAP_IN_B, 2);
    align(to, part_of(a, middle + 1, a.length), right, 0, open_after, s);
}

static piece whole(protein p) { return (piece){p.residues, p.length, 1}; }

static alignment align_pair(protein a, protein b) {
    alignment result = {0, 0, 0, PAIR};
    const size_t row = (size_t)b.length + 1;
    long* rows = workload_allocate(4 * row * sizeof *rows);
    const space s = {rows, rows + row, rows + 2 * row, rows + 3 * row};
    align(&result, whole(a), whole(b), gap_open, gap_open, s);
    free(rows);
    return result;
}

static void spawn_pair(const protein* all, alignment* results, long i, long j) {
    if (untied) {
#pragma omp task untied
        results[i * sequences + j] = align_pair(all[i], all[j]);
    } else {
#pragma omp task
        results[i * sequences + j] = align_pair(all[i], all[j]);
    }
}

static void align_single(const protein* all, alignment* results) {
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < sequences; ++i)
        for (long j = i + 1; j < sequences; ++j)
            spawn_pair(all, results, i, j);
}

static void align_for(const protein* all, alignment* results) {
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (long i = 0; i < sequences; ++i)
        for (long j = i + 1; j < sequences; ++j)
            spawn_pair(all, results, i, j);
}

/* The best score of a pair by one pass over the whole table, which halves nothing. */
static long best_score(protein a, protein b) {
    const size_t row = (size_t)b.length + 1;
    long* rows = workload_allocate(2 * row * sizeof *rows);
    sweep(whole(a), whole(b), gap_open, rows, rows + row);
    const long score = rows[b.length];
    free(rows);
    return score;
}

static void check(const protein* all, const alignment* results) {
    for (long i = 0; i < sequences; ++i)
        for (long j = i + 1; j < sequences; ++j) {
            const alignment have = results[i * sequences + j], want = align_pair(all[i], all[j]);
            workload_expect(have.score == want.score && have.columns == want.columns &&
                                have.identities == want.identities,
                            "proteins %ld and %ld align with score %ld, %d columns, %d identities; serially with "
                            "%ld, %d, %d",
                            i, j, have.score, have.columns, have.identities, want.score, want.columns, want.identities);
            const long best = best_score(all[i], all[j]);
            workload_expect(have.score == best, "proteins %ld and %ld align with score %ld, but %ld is possible", i, j,
                            have.score, best);
        }
}

int main(int argc, char** argv) {
    long score = 0, identities = 0;
    workload_init(&self, argc, argv);
    fill_scores();
    protein* all = create_proteins();
    alignment* results = workload_allocate((size_t)(sequences * sequences) * sizeof *results);
    const double start = workload_seconds();
    if (variant == VARIANT_FOR) align_for(all, results);
    else align_single(all, results);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(all, results);
    for (long i = 0; i < sequences; ++i)
        for (long j = i + 1; j < sequences; ++j) {
            score += results[i * sequences + j].score;
            identities += results[i * sequences + j].identities;
        }
    free(results);
    destroy_proteins(all);
    return workload_report(time_s, sequences * (sequences - 1) / 2, "score:%ld,identities:%ld", score, identities);
}
