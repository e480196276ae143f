/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HashTag-Text: a service that finds all texts of a hashtag, for users of three priorities.
 *
 * One thread, the dispatcher, creates a task for each request when the request is due. This task
 * creates one search task for each hash table and waits for the search tasks. Requests arrive as a
 * Poisson process that does not wait for answers, or from a number of clients, each of which waits
 * for its answer (--clients). A response time runs from the scheduled arrival to the answer, so a
 * delay of the dispatcher counts.
 *
 * With --inserts, some of the requests add a text to a table. In this case each bucket has a lock,
 * which searches also take.
 *
 * The dispatcher writes a request before it makes the request a task. After that only the request's
 * own tasks write to it: each search writes one part, and the waiting task writes the times.
 */
#include <omp.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "hashtag/figures.h"
#include "hashtag/tables.h"
#include "hashtag/tweets.h"

enum { MAX_TABLES = 64, SAMPLE = 2000, SAMPLE_PASSES = 3 };
enum dispatch { DISPATCH_SLEEP, DISPATCH_SPIN, DISPATCH_HELP };
static const char* const dispatch_names[] = {"sleep", "spin", "help"};
enum wait { WAIT_TASKWAIT, WAIT_TASKGROUP };
static const char* const wait_names[] = {"taskwait", "taskgroup"};
enum search_priority { SEARCH_AS_REQUEST, SEARCH_NONE, SEARCH_ABOVE };
static const char* const search_priority_names[] = {"request", "none", "above"};

static long tweet_count, hashtag_count, request_count, table_count, bucket_count;
static long zipf_thousandths, interarrival_ns, load_thousandths, untied, dispatch, wait_by, search_priority;
static long client_count, insert_percent, most_texts, cutoff;
static long as_csv, as_json;

static const workload_option options[] = {
    {"tweets", "pairs of hashtag and text", &tweet_count, 1, 10000000, {2000, 20000, 200000}, NULL},
    {"hashtags", "different hashtags", &hashtag_count, 1, 10000000, {500, 5000, 20000}, NULL},
    {"zipf",
     "exponent of the popularity of hashtags, in tweets and in requests (0: all alike)",
     &zipf_thousandths,
     0,
     5000,
     {1000, 1000, 1000},
     workload_thousandths},
    {"requests", "requests of all users together", &request_count, 1, 10000000, {500, 20000, 100000}, NULL},
    {"tables", "hash tables, and search tasks per request", &table_count, 1, MAX_TABLES, {4, 4, 4}, NULL},
    {"buckets", "lists of pairs per table", &bucket_count, 1, 10000000, {100, 100, 100}, NULL},
    {"interarrival",
     "mean microseconds from one request to the next (0: all at once)",
     &interarrival_ns,
     0,
     1000000000,
     {10000, 10000, 10000},
     workload_thousandths},
    {"load",
     "instead of --interarrival: part of the time for which the serving processors are busy, from the time of a "
     "request "
     "that is measured first",
     &load_thousandths,
     0,
     100000,
     {0, 0, 0},
     workload_thousandths},
    {"dispatch",
     "how the dispatcher passes the time to the next arrival: asleep, in a loop, or with tasks (taskyield)",
     &dispatch,
     0,
     2,
     {DISPATCH_SLEEP, DISPATCH_SLEEP, DISPATCH_SLEEP},
     dispatch_names},
    {"tasks", "whether a task stays with its thread", &untied, 0, 1, {0, 0, 0}, workload_tie_names},
    {"wait",
     "how a request waits for its searches (by taskwait, libgomp 12 crashes where the searches have priorities)",
     &wait_by,
     0,
     1,
     {WAIT_TASKWAIT, WAIT_TASKWAIT, WAIT_TASKWAIT},
     wait_names},
    {"searches",
     "the priority of search tasks: their request's, none, or above it (then requests of users 1, 2 and 3 have "
     "priorities 1, 3 and 5, and their searches 2, 4 and 6)",
     &search_priority,
     0,
     2,
     {SEARCH_AS_REQUEST, SEARCH_AS_REQUEST, SEARCH_AS_REQUEST},
     search_priority_names},
    {"clients",
     "instead of --interarrival: so many clients, each of which asks again when it has its answer (0: requests arrive "
     "whether others were answered or not)",
     &client_count,
     0,
     1000000,
     {0, 0, 0},
     NULL},
    {"inserts",
     "percent of the requests that add a text to a table instead of searching; each bucket then has a lock",
     &insert_percent,
     0,
     100,
     {0, 0, 0},
     NULL},
    {"results", "texts that one search reads at most (0: all)", &most_texts, 0, 10000000, {0, 0, 0}, NULL},
    {"cutoff",
     "a request searches without further tasks while so many requests or more are not answered (0: never)",
     &cutoff,
     0,
     10000000,
     {0, 0, 0},
     NULL},
    {"seed", "of everything that is random", &seed, 0, 1000000000, {1, 1, 1}, NULL},
    {"csv", "print nothing but the figures, as CSV", &as_csv, 0, 1, {0, 0, 0}, workload_flag},
    {"json", "print nothing but the figures, as JSON", &as_json, 0, 1, {0, 0, 0}, workload_flag},
};
static const workload self = {
    "hashtag",
    "finds all texts of a hashtag in several hash tables at once, for users of priority 1, 2 and 3 (60, 30 and 10 % of "
    "the requests; after the benchmark HashTag-Text of Silvestri et al.). Priorities need OMP_MAX_TASK_PRIORITY=3, "
    "with --searches above 6",
    options, WORKLOAD_OPTION_COUNT(options)};

typedef struct request {
    long tag;
    int priority;                                             /* of the user */
    int inserts;                                              /* adds a text, and has no answer */
    int64_t arrival_ns, dispatched_ns, begun_ns, answered_ns; /* all since the service opened */
    answer* parts;                                            /* one per table */
} request;

static feed tweets;
static tables store;
static int64_t opened_ns;
static sem_t free_clients; /* with --clients */
static long open_requests; /* neither answered nor done; atomic */

static int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int draw_priority(long position) {
    const double unit = draw_unit(DRAW_PRIORITY, position);
    return unit < 0.6 ? 1 : unit < 0.9 ? 2 : 3;
}

static request* create_requests(void) {
    request* all = workload_allocate((size_t)request_count * sizeof *all);
    answer* parts = workload_allocate((size_t)(request_count * table_count) * sizeof *parts);
    memset(parts, 0, (size_t)(request_count * table_count) * sizeof *parts);
    for (long i = 0; i < request_count; ++i)
        all[i] = (request){.tag = zipf_pick(tweets.popularity, draw_unit(DRAW_REQUEST, i)),
                           .priority = draw_priority(i),
                           .inserts = draw_unit(DRAW_INSERT, i) * 100 < (double)insert_percent,
                           .parts = parts + i * table_count};
    return all;
}

static void destroy_requests(request* all) {
    free(all[0].parts);
    free(all);
}

/* Poisson arrivals: the times between them are exponentially distributed. */
static void schedule(request* all) {
    double arrival_ns = 0;
    for (long i = 0; i < request_count; ++i) {
        all[i].arrival_ns = (int64_t)arrival_ns;
        arrival_ns -= log1p(-draw_unit(DRAW_ARRIVAL, i)) * (double)interarrival_ns;
    }
}

static int request_priority(const request* r) {
    return search_priority == SEARCH_ABOVE ? 2 * r->priority - 1 : r->priority;
}

static int search_task_priority(const request* r) {
    if (search_priority == SEARCH_ABOVE) return 2 * r->priority;
    return search_priority == SEARCH_AS_REQUEST ? r->priority : 0;
}

static void search(request* r, long table) {
    r->parts[table] = tables_search(store, table, tweets.names[r->tag], most_texts);
}

static void spawn_search(request* r, long table) {
    const int priority = search_task_priority(r);
    if (untied) {
#pragma omp task untied priority(priority)
        search(r, table);
    } else {
#pragma omp task priority(priority)
        search(r, table);
    }
}

static void spawn_searches(request* r) {
    for (long table = 0; table < table_count; ++table)
        spawn_search(r, table);
}

static void answer_request(request* r) {
    if (cutoff && __atomic_load_n(&open_requests, __ATOMIC_RELAXED) >= cutoff) {
        for (long table = 0; table < table_count; ++table)
            search(r, table);
    } else if (wait_by == WAIT_TASKGROUP) {
#pragma omp taskgroup
        spawn_searches(r);
    } else {
        spawn_searches(r);
#pragma omp taskwait
    }
}

/* The text that a request adds is its user's hashtag, which no tweet has as its text. */
static void insert(const request* r, long number) {
    tables_insert(store, (long)(draw(DRAW_INSERT_TABLE, number) % (uint64_t)table_count), number, tweets.names[r->tag]);
}

static void serve(request* r, long number) {
    r->begun_ns = clock_ns() - opened_ns;
    if (r->inserts) insert(r, number);
    else answer_request(r);
    r->answered_ns = clock_ns() - opened_ns;
    __atomic_fetch_sub(&open_requests, 1, __ATOMIC_RELAXED);
    if (client_count) sem_post(&free_clients);
}

static void spawn_request(request* r, long number) {
    __atomic_fetch_add(&open_requests, 1, __ATOMIC_RELAXED);
    if (untied) {
#pragma omp task untied priority(request_priority(r))
        serve(r, number);
    } else {
#pragma omp task priority(request_priority(r))
        serve(r, number);
    }
}

static void sleep_until(int64_t at_ns) {
    const struct timespec at = {at_ns / 1000000000, at_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* A signal may end a sleep early, so the clock alone says when it is time. */
static int64_t wait_for_arrival(int64_t arrival_ns) {
    int64_t now_ns;
    while ((now_ns = clock_ns() - opened_ns) < arrival_ns) {
        if (dispatch == DISPATCH_SLEEP) {
            sleep_until(opened_ns + arrival_ns);
        } else if (dispatch == DISPATCH_HELP) {
#pragma omp taskyield
        }
    }
    return now_ns;
}

/* A client that has its answer asks at once. On one thread the dispatcher serves all that is there. */
static int64_t wait_for_client(void) {
    while (sem_trywait(&free_clients)) {
        if (omp_get_num_threads() == 1) {
#pragma omp taskwait
        } else if (dispatch == DISPATCH_HELP) {
#pragma omp taskyield
        } else if (dispatch == DISPATCH_SLEEP) {
            while (sem_wait(&free_clients)) /* a signal ended it */
                continue;
            break;
        }
    }
    return clock_ns() - opened_ns;
}

static void dispatch_all(request* all) {
    prctl(PR_SET_TIMERSLACK, 1); /* else Linux lets this thread oversleep by 50 us */
    opened_ns = clock_ns();
    for (long i = 0; i < request_count; ++i) {
        if (client_count) all[i].arrival_ns = all[i].dispatched_ns = wait_for_client();
        else all[i].dispatched_ns = wait_for_arrival(all[i].arrival_ns);
        spawn_request(&all[i], i);
    }
}

static void run_service(request* all) {
#pragma omp parallel
#pragma omp single
    dispatch_all(all);
}

/*
 * What a search for a hashtag in a table finds before anything is added, straight from the tweets:
 * no bucket, list or name has a part in it. In the order of tags, then of tables.
 */
static answer* find_truth(void) {
    answer* truth = workload_allocate((size_t)(hashtag_count * table_count) * sizeof *truth);
    memset(truth, 0, (size_t)(hashtag_count * table_count) * sizeof *truth);
    for (long i = 0; i < tweet_count; ++i)
        answer_add_text(&truth[tweets.tweets[i].tag * table_count + table_of_tweet(i, table_count)],
                        tweets.tweets[i].text);
    return truth;
}

/* How many texts of each hashtag the requests add in all. */
static long* count_inserts(const request* all) {
    long* inserts = workload_allocate((size_t)hashtag_count * sizeof *inserts);
    memset(inserts, 0, (size_t)hashtag_count * sizeof *inserts);
    for (long i = 0; i < request_count; ++i)
        inserts[all[i].tag] += all[i].inserts;
    return inserts;
}

static answer whole_answer(const request* r) {
    answer whole = {0, 0};
    for (long table = 0; table < table_count; ++table)
        answer_add(&whole, r->parts[table]);
    return whole;
}

static void check_times(const request* r, long number) {
    workload_expect(
        r->answered_ns > 0 && r->answered_ns >= r->begun_ns && r->begun_ns >= r->dispatched_ns &&
            r->dispatched_ns >= r->arrival_ns,
        "request %ld arrived at %ld ns, became a task at %ld ns, began at %ld ns and was answered at %ld ns", number,
        (long)r->arrival_ns, (long)r->dispatched_ns, (long)r->begun_ns, (long)r->answered_ns);
}

/* A search that is not cut short finds all that was there, and any part of what is added meanwhile. */
static void check_answer(const request* r, long number, const answer* truth, long inserts) {
    long more = 0;
    for (long table = 0; table < table_count; ++table) {
        const answer have = r->parts[table], want = truth[table];
        const long added = have.texts - want.texts,
                   least = most_texts && most_texts < want.texts ? most_texts : want.texts;
        const int is_whole = !most_texts || have.texts < most_texts;
        workload_expect(
            have.texts >= least && added <= inserts && (!most_texts || have.texts <= most_texts) &&
                (!is_whole || have.digest == want.digest + (uint64_t)added * digest_of(tweets.names[r->tag])),
            "request %ld for %s found %ld texts with digest %016lx in table %ld, expected %ld with %016lx, "
            "and at most %ld more",
            number, tweets.names[r->tag], have.texts, (unsigned long)have.digest, table, want.texts,
            (unsigned long)want.digest, inserts);
        if (is_whole) more += added;
    }
    workload_expect(more <= inserts, "request %ld for %s found %ld texts that were added, of %ld", number,
                    tweets.names[r->tag], more, inserts);
}

/* In the end all texts are there that were added. */
static void check_inserts(const answer* truth, const long* inserts) {
    for (long tag = 0; tag < hashtag_count; ++tag) {
        long texts = 0;
        if (!inserts[tag]) continue;
        for (long table = 0; table < table_count; ++table)
            texts += tables_search(store, table, tweets.names[tag], 0).texts - truth[tag * table_count + table].texts;
        workload_expect(texts == inserts[tag], "%ld texts were added to %s, %ld are there", inserts[tag],
                        tweets.names[tag], texts);
    }
}

static void check(const request* all) {
    answer* truth = find_truth();
    long* inserts = count_inserts(all);
    for (long i = 0; i < request_count; ++i) {
        check_times(&all[i], i);
        if (!all[i].inserts) check_answer(&all[i], i, truth + all[i].tag * table_count, inserts[all[i].tag]);
    }
    check_inserts(truth, inserts);
    free(truth);
    free(inserts);
}

/*
 * The mean microseconds that a request takes without any tasks, from requests spread over the whole
 * run.
 */
static double measure_service_us(request* all) {
    const long step = (request_count + SAMPLE - 1) / SAMPLE;
    double least_us = INFINITY;
    for (int pass = 0; pass < SAMPLE_PASSES; ++pass) {
        const int64_t start_ns = clock_ns();
        long served = 0;
        for (long i = 0; i < request_count; i += step, ++served)
            for (long table = 0; table < table_count; ++table)
                search(&all[i], table);
        least_us = fmin(least_us, (double)(clock_ns() - start_ns) * 1e-3 / (double)served);
    }
    memset(all[0].parts, 0, (size_t)(request_count * table_count) * sizeof *all[0].parts);
    return least_us;
}

/* A dispatcher that sleeps or spins serves no requests before the last one has arrived. */
static int serving_processors(void) {
    const int threads = omp_get_max_threads(), processors = omp_get_num_procs();
    const int servers = dispatch == DISPATCH_HELP || threads == 1 ? threads : threads - 1;
    return servers < processors ? servers : processors;
}

static void fill_responses(figures* f, const request* all) {
    int64_t* times_ns = workload_allocate((size_t)request_count * sizeof *times_ns);
    int64_t* begins_ns = workload_allocate((size_t)request_count * sizeof *begins_ns);
    for (int priority = 0; priority <= PRIORITIES; ++priority) {
        long count = 0;
        for (long i = 0; i < request_count; ++i) {
            if (priority && all[i].priority != priority) continue;
            begins_ns[count] = all[i].begun_ns - all[i].arrival_ns;
            times_ns[count++] = all[i].answered_ns - all[i].arrival_ns;
        }
        f->of[priority] = summarise(times_ns, begins_ns, count);
    }
    free(times_ns);
    free(begins_ns);
}

static figures measure(const request* all, double service_us) {
    figures f = {.tasks = workload_tie_names[untied],
                 .dispatch = dispatch_names[dispatch],
                 .wait = wait_names[wait_by],
                 .searches = search_priority_names[search_priority],
                 .tweets = tweet_count,
                 .hashtags = hashtag_count,
                 .requests = request_count,
                 .tables = table_count,
                 .buckets = bucket_count,
                 .seed = seed,
                 .max_task_priority = omp_get_max_task_priority(),
                 .most_priority = search_priority == SEARCH_ABOVE ? 2 * PRIORITIES : PRIORITIES,
                 .clients = client_count,
                 .inserts = insert_percent,
                 .results = most_texts,
                 .cutoff = cutoff,
                 .interarrival_us = (double)interarrival_ns * 1e-3,
                 .service_us = service_us};
    int64_t last_ns = 0;
    for (long i = 0; i < request_count; ++i) {
        f.late_us += (double)(all[i].dispatched_ns - all[i].arrival_ns) * 1e-3 / (double)request_count;
        if (all[i].answered_ns > last_ns) last_ns = all[i].answered_ns;
    }
    f.time_s = (double)last_ns * 1e-9;
    fill_responses(&f, all);
    return f;
}

static int report(const figures* f, const request* all) {
    answer sum = {0, 0};
    long searches = 0;
    char result[64];
    for (long i = 0; i < request_count; ++i) {
        searches += !all[i].inserts;
        answer_add(&sum, whole_answer(&all[i]));
    }
    const long tasks = request_count + searches * table_count;
    /* Who finds which of the added texts is a matter of time. */
    if (insert_percent) snprintf(result, sizeof result, "searches:%ld:inserts:%ld", searches, request_count - searches);
    else snprintf(result, sizeof result, "texts:%ld:%016lx", sum.texts, (unsigned long)sum.digest);
    if (as_csv) print_csv(f);
    else if (as_json) print_json(f, result, tasks);
    else {
        print_table(f);
        return workload_report(f->time_s, tasks, "%s", result);
    }
    return 0;
}

static void reject_contradictions(int argc, char** argv) {
    if (as_csv && as_json) workload_usage_error("--csv and --json exclude each other");
    if (workload_given("load", argc, argv) && workload_given("interarrival", argc, argv))
        workload_usage_error("--load and --interarrival exclude each other: one follows from the other");
    if (workload_given("clients", argc, argv) &&
        (workload_given("load", argc, argv) || workload_given("interarrival", argc, argv)))
        workload_usage_error("--clients excludes --interarrival and --load: a client asks when it has its answer");
    if (workload_given("load", argc, argv) && !load_thousandths)
        workload_usage_error("--load must be above 0; requests that arrive all at once are --interarrival 0");
}

int main(int argc, char** argv) {
    double service_us = 0;
    workload_init(&self, argc, argv);
    reject_contradictions(argc, argv);
    tweets = feed_create(tweet_count, hashtag_count, (double)zipf_thousandths * 1e-3);
    store = tables_create(tweets, table_count, bucket_count, insert_percent ? request_count : 0);
    request* all = create_requests();
    if (load_thousandths) {
        service_us = measure_service_us(all);
        interarrival_ns = lround(service_us * 1e6 / ((double)load_thousandths * serving_processors()));
    }
    if (client_count) {
        interarrival_ns = 0;
        sem_init(&free_clients, 0, (unsigned)client_count);
    }
    schedule(all);
    run_service(all);
    if (workload_check_wanted()) check(all);
    const figures f = measure(all, service_us);
    const int status = report(&f, all);
    destroy_requests(all);
    tables_destroy(store);
    feed_destroy(tweets);
    return status;
}
