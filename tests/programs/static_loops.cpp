// SPDX-License-Identifier: Apache-2.0
// Static loops of C++: in templates, over iterators and ranges, in members, in a lambda, with
// exceptions. The program writes which thread ran which iteration.
#include <omp.h>

#include <cstdio>
#include <vector>

template <class T, class F> static void apply(std::vector<T> &values, F f) {
#pragma omp parallel for
    for (T i = 0; i < static_cast<T>(values.size()); ++i)
        values[i] = f(i);
}

template <class It> static void over_iterators(It begin, It end) {
#pragma omp parallel for schedule(static, 3)
    for (It p = begin; p < end; ++p)
        *p = omp_get_thread_num();
}

struct Values {
    std::vector<int> v = std::vector<int>(50);

    void over_a_range() {
#pragma omp parallel for
        for (int &x : v)
            x = omp_get_thread_num();
    }

    ~Values() {
#pragma omp parallel for schedule(static, 2)
        for (std::size_t i = 0; i < v.size(); ++i)
            v[i] += 10 * omp_get_thread_num();
        for (int x : v)
            std::printf("%d ", x);
        std::puts("");
    }
};

template <class T> static void write_out(const std::vector<T> &values) {
    for (const T &value : values)
        std::printf("%ld ", static_cast<long>(value));
    std::puts("");
}

int main() {
    const auto thread = [](auto) { return omp_get_thread_num(); };
    std::vector<int> a(40);
    std::vector<unsigned long> b(40);
    std::vector<short> c(40);
    apply(a, thread), apply(b, thread), apply(c, thread);
    write_out(a), write_out(b), write_out(c);
    over_iterators(a.begin(), a.end());
    over_iterators(&b[0], &b[0] + 37);
    write_out(a), write_out(b);
    Values().over_a_range();
    double sum = 0;
    const auto with_exceptions = [&sum](int n) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < n; ++i) {
            try {
                if (i % 9 == 5) throw i;
                sum += i;
            } catch (int x) {
                sum += 100 * x;
            }
        }
    };
    with_exceptions(100);
    std::printf("%.0f\n", sum);
}
