/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of a run of the service, and their three forms: a table for people; CSV, with a line
 * per priority that can be combined with lines of other runs; and JSON, one object. One thread uses
 * these functions, after the parallel part.
 */
#ifndef HASHTAG_FIGURES_H
#define HASHTAG_FIGURES_H

#include <stdint.h>

#include "../common/workload.h"

enum { PRIORITIES = 3 };

/*
 * Times of the requests of one priority, from their arrival to the answer, and from their arrival
 * to the start of their task. The N-th percentile is the time that N percent do not exceed.
 */
typedef struct response {
    long requests;
    double mean_us, median_us, p90_us, p99_us;
    double begin_mean_us, begin_median_us;
} response;

typedef struct figures {
    const char *tasks, *dispatch, *wait, *searches; /* the choices of these options */
    long tweets, hashtags, requests, tables, buckets, seed, clients, inserts, results, cutoff;
    int max_task_priority, most_priority; /* the latter: of all tasks */
    double interarrival_us, service_us;   /* the latter is 0 where it was not measured */
    double time_s, late_us;               /* to the last answer; how late requests became tasks on average */
    response of[PRIORITIES + 1];          /* by priority; 0 is all of them */
} figures;

static inline int compare_times(const void* a, const void* b) {
    const int64_t left = *(const int64_t*)a, right = *(const int64_t*)b;
    return (left > right) - (left < right);
}

/* The nearest rank, which is a time that was measured. */
static inline double percentile_us(const int64_t* sorted_ns, long count, long percent) {
    return (double)sorted_ns[(count * percent + 99) / 100 - 1] * 1e-3;
}

/* Sorts the times, and returns their mean. */
static inline double sort_times(int64_t* times_ns, long count) {
    double sum = 0;
    qsort(times_ns, (size_t)count, sizeof *times_ns, compare_times);
    for (long i = 0; i < count; ++i)
        sum += (double)times_ns[i] * 1e-3;
    return sum / (double)count;
}

/* Sorts both. */
static inline response summarise(int64_t* times_ns, int64_t* begins_ns, long count) {
    if (!count) return (response){0};
    const double mean_us = sort_times(times_ns, count), begin_mean_us = sort_times(begins_ns, count);
    return (response){.requests = count,
                      .mean_us = mean_us,
                      .median_us = percentile_us(times_ns, count, 50),
                      .p90_us = percentile_us(times_ns, count, 90),
                      .p99_us = percentile_us(times_ns, count, 99),
                      .begin_mean_us = begin_mean_us,
                      .begin_median_us = percentile_us(begins_ns, count, 50)};
}

static inline void print_table(const figures* f) {
    printf("%s tasks, dispatcher %ss, ", f->tasks, f->dispatch);
    if (f->clients) printf("%ld clients that wait for their answers\n", f->clients);
    else
        printf("mean time between arrivals %.3f us, requests become tasks %.1f us late\n", f->interarrival_us,
               f->late_us);
    if (f->service_us > 0) printf("a request takes %.3f us on one processor\n", f->service_us);
    if (f->max_task_priority < f->most_priority)
        printf("the runtime keeps to priorities up to %d: OMP_MAX_TASK_PRIORITY=%d lets it see them all\n",
               f->max_task_priority, f->most_priority);
    puts("response, us   requests        mean      median        90 %        99 %  begin: mean      median");
    for (int priority = PRIORITIES; priority >= 0; --priority) {
        const response* r = &f->of[priority];
        if (priority) printf("priority %-4d", priority);
        else printf("%-13s", "all");
        printf("%10ld %11.1f %11.1f %11.1f %11.1f %12.1f %11.1f\n", r->requests, r->mean_us, r->median_us, r->p90_us,
               r->p99_us, r->begin_mean_us, r->begin_median_us);
    }
}

static inline void print_csv(const figures* f) {
    puts("threads,tasks,dispatch,wait,searches,tweets,requests,tables,buckets,seed,max_task_priority,interarrival_us,"
         "service_us,time_s,"
         "late_us,priority,priority_requests,mean_us,median_us,p90_us,p99_us,begin_mean_us,begin_median_us,"
         "clients,inserts,results,cutoff");
    for (int priority = PRIORITIES; priority > 0; --priority) {
        const response* r = &f->of[priority];
        printf("%d,%s,%s,%s,%s,%ld,%ld,%ld,%ld,%ld,%d,%.3f,%.3f,%.6f,%.3f,", WORKLOAD_THREADS(), f->tasks, f->dispatch,
               f->wait, f->searches, f->tweets, f->requests, f->tables, f->buckets, f->seed, f->max_task_priority,
               f->interarrival_us, f->service_us, f->time_s, f->late_us);
        printf("%d,%ld,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,", priority, r->requests, r->mean_us, r->median_us, r->p90_us,
               r->p99_us, r->begin_mean_us, r->begin_median_us);
        printf("%ld,%ld,%ld,%ld\n", f->clients, f->inserts, f->results, f->cutoff);
    }
}

static inline void print_json(const figures* f, const char* result, long tasks) {
    printf("{\"program\": \"%s\", \"threads\": %d, \"tasks\": \"%s\", \"dispatch\": \"%s\", \"wait\": \"%s\", "
           "\"searches\": \"%s\", ",
           workload_self->name, WORKLOAD_THREADS(), f->tasks, f->dispatch, f->wait, f->searches);
    printf("\"tweets\": %ld, \"hashtags\": %ld, \"requests\": %ld, \"tables\": %ld, \"buckets\": %ld, \"seed\": %ld, ",
           f->tweets, f->hashtags, f->requests, f->tables, f->buckets, f->seed);
    printf("\"clients\": %ld, \"inserts\": %ld, \"results\": %ld, \"cutoff\": %ld, ", f->clients, f->inserts,
           f->results, f->cutoff);
    printf("\"max_task_priority\": %d, \"interarrival_us\": %.3f, \"service_us\": %.3f, \"time_s\": %.6f, ",
           f->max_task_priority, f->interarrival_us, f->service_us, f->time_s);
    printf("\"late_us\": %.3f, \"result\": \"%s\", \"task_count\": %ld, \"peak_rss_kib\": %ld, \"check\": \"%s\", ",
           f->late_us, result, tasks, workload_peak_rss_kib(), workload_check_wanted() ? "ok" : "skipped");
    printf("\"priorities\": {");
    for (int priority = PRIORITIES; priority > 0; --priority) {
        const response* r = &f->of[priority];
        printf(
            "\"%d\": {\"requests\": %ld, \"mean_us\": %.3f, \"median_us\": %.3f, \"p90_us\": %.3f, \"p99_us\": %.3f, ",
            priority, r->requests, r->mean_us, r->median_us, r->p90_us, r->p99_us);
        printf("\"begin_mean_us\": %.3f, \"begin_median_us\": %.3f}%s", r->begin_mean_us, r->begin_median_us,
               priority > 1 ? ", " : "}}\n");
    }
}

#endif
