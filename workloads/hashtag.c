/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HashTag-Text: a service that finds all texts of a hashtag, for users of three priorities.
 *
 * One thread, the dispatcher, makes each request a task when its time has come. That task creates
 * one search task per hash table and waits for them. Requests arrive as a Poisson process that does
 * not wait for answers, and a response time runs from the scheduled arrival to the answer: where
 * the dispatcher is late, the time counts.
 *
 * A request is written by the dispatcher before it becomes a task, then by its own tasks alone:
 * each search writes one part, and the waiting task the time of the answer.
 */
#include <omp.h>
#include <sys/prctl.h>

#include "hashtag/figures.h"
#include "hashtag/tables.h"
#include "hashtag/tweets.h"

enum { MAX_TABLES = 64, SAMPLE = 2000, SAMPLE_PASSES = 3 };
enum dispatch { DISPATCH_SLEEP, DISPATCH_SPIN, DISPATCH_HELP };
static const char* const dispatch_names[] = {"sleep", "spin", "help"};
enum wait { WAIT_TASKWAIT, WAIT_TASKGROUP };
static const char* const wait_names[] = {"taskwait", "taskgroup"};
enum search_priority { SEARCH_AS_REQUEST, SEARCH_NONE };
static const char* const search_priority_names[] = {"request", "none"};

static long tweet_count, hashtag_count, request_count, table_count, bucket_count;
static long zipf_thousandths, interarrival_ns, load_thousandths, untied, dispatch, wait_by, search_priority;
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
     "the priority of search tasks: their request's, or none",
     &search_priority,
     0,
     1,
     {SEARCH_AS_REQUEST, SEARCH_AS_REQUEST, SEARCH_AS_REQUEST},
     search_priority_names},
    {"seed", "of everything that is random", &seed, 0, 1000000000, {1, 1, 1}, NULL},
    {"csv", "print nothing but the figures, as CSV", &as_csv, 0, 1, {0, 0, 0}, workload_flag},
    {"json", "print nothing but the figures, as JSON", &as_json, 0, 1, {0, 0, 0}, workload_flag},
};
static const workload self = {
    "hashtag",
    "finds all texts of a hashtag in several hash tables at once, for users of priority 1, 2 and 3 (60, 30 and 10 % of "
    "the requests; after the benchmark HashTag-Text of Silvestri et al.). Priorities need OMP_MAX_TASK_PRIORITY=3",
    options, WORKLOAD_OPTION_COUNT(options)};

typedef struct request {
    long tag;
    int priority;
    int64_t arrival_ns, dispatched_ns, answered_ns; /* all since the service opened */
    answer* parts;                                  /* one per table */
} request;

static feed tweets;
static tables store;
static int64_t opened_ns;

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

static void search(request* r, long table) { r->parts[table] = tables_search(store, table, tweets.names[r->tag]); }

static void spawn_search(request* r, long table) {
    const int priority = search_priority == SEARCH_AS_REQUEST ? r->priority : 0;
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

static void serve(request* r) {
    if (wait_by == WAIT_TASKGROUP) {
#pragma omp taskgroup
        spawn_searches(r);
    } else {
        spawn_searches(r);
#pragma omp taskwait
    }
    r->answered_ns = clock_ns() - opened_ns;
}

static void spawn_request(request* r) {
    if (untied) {
#pragma omp task untied priority(r->priority)
        serve(r);
    } else {
#pragma omp task priority(r->priority)
        serve(r);
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

static void dispatch_all(request* all) {
    prctl(PR_SET_TIMERSLACK, 1); /* else Linux lets this thread oversleep by 50 us */
    opened_ns = clock_ns();
    for (long i = 0; i < request_count; ++i) {
        all[i].dispatched_ns = wait_for_arrival(all[i].arrival_ns);
        spawn_request(&all[i]);
    }
}

static void run_service(request* all) {
#pragma omp parallel
#pragma omp single
    dispatch_all(all);
}

/*
 * What every request for a hashtag must find, straight from the tweets: no table, bucket or name
 * has a part in it.
 */
static answer* find_truth(void) {
    answer* truth = workload_allocate((size_t)hashtag_count * sizeof *truth);
    memset(truth, 0, (size_t)hashtag_count * sizeof *truth);
    for (long i = 0; i < tweet_count; ++i)
        answer_add_text(&truth[tweets.tweets[i].tag], tweets.tweets[i].text);
    return truth;
}

static answer whole_answer(const request* r) {
    answer whole = {0, 0};
    for (long table = 0; table < table_count; ++table)
        answer_add(&whole, r->parts[table]);
    return whole;
}

static void check(const request* all) {
    answer* truth = find_truth();
    for (long i = 0; i < request_count; ++i) {
        const answer have = whole_answer(&all[i]), want = truth[all[i].tag];
        workload_expect(have.texts == want.texts && have.digest == want.digest,
                        "request %ld for %s found %ld texts with digest %016lx, expected %ld with %016lx", i,
                        tweets.names[all[i].tag], have.texts, (unsigned long)have.digest, want.texts,
                        (unsigned long)want.digest);
        workload_expect(all[i].answered_ns > 0 && all[i].answered_ns >= all[i].dispatched_ns &&
                            all[i].dispatched_ns >= all[i].arrival_ns,
                        "request %ld arrived at %ld ns, became a task at %ld ns and was answered at %ld ns", i,
                        (long)all[i].arrival_ns, (long)all[i].dispatched_ns, (long)all[i].answered_ns);
    }
    free(truth);
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
    for (int priority = 0; priority <= PRIORITIES; ++priority) {
        long count = 0;
        for (long i = 0; i < request_count; ++i)
            if (!priority || all[i].priority == priority) times_ns[count++] = all[i].answered_ns - all[i].arrival_ns;
        f->of[priority] = summarise(times_ns, count);
    }
    free(times_ns);
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
    const long tasks = request_count * (1 + table_count);
    answer sum = {0, 0};
    char result[64];
    for (long i = 0; i < request_count; ++i)
        answer_add(&sum, whole_answer(&all[i]));
    snprintf(result, sizeof result, "texts:%ld:%016lx", sum.texts, (unsigned long)sum.digest);
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
    if (workload_given("load", argc, argv) && !load_thousandths)
        workload_usage_error("--load must be above 0; requests that arrive all at once are --interarrival 0");
}

int main(int argc, char** argv) {
    double service_us = 0;
    workload_init(&self, argc, argv);
    reject_contradictions(argc, argv);
    tweets = feed_create(tweet_count, hashtag_count, (double)zipf_thousandths * 1e-3);
    store = tables_create(tweets, table_count, bucket_count);
    request* all = create_requests();
    if (load_thousandths) {
        service_us = measure_service_us(all);
        interarrival_ns = lround(service_us * 1e6 / ((double)load_thousandths * serving_processors()));
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
