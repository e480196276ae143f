// SPDX-License-Identifier: Apache-2.0
//
// Tests user-defined reductions over classes, on regions, loops and taskloops, and as task
// reductions. Every copy is destroyed.
#include "check.h"
#include <algorithm>
#include <atomic>
#include <vector>

static std::atomic<int> alive{0};

class Bag {
  public:
    Bag() { alive++; }
    Bag(const Bag& other) : values(other.values) { alive++; }
    Bag& operator=(const Bag&) = default;
    ~Bag() { alive--; }
    void add(int value) { values.push_back(value); }
    void merge(const Bag& other) { values.insert(values.end(), other.values.begin(), other.values.end()); }
    void check_holds_each_once(int n) {
        CHECK_EQ(values.size(), n);
        std::sort(values.begin(), values.end());
        for (int i = 0; i < n; i++)
            CHECK_EQ(values[i], i);
        values.clear();
    }

  private:
    std::vector<int> values;
};

#pragma omp declare reduction(merge:Bag : omp_out.merge(omp_in)) initializer(omp_priv = Bag())

int main() {
    enum { N = 300 };
    {
        Bag bag;
#pragma omp parallel for reduction(merge : bag) schedule(dynamic, 7)
        for (int i = 0; i < N; i++)
            bag.add(i);
        bag.check_holds_each_once(N);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(merge : bag) grainsize(10)
        for (int i = 0; i < N; i++)
            bag.add(i);
        bag.check_holds_each_once(N);
#pragma omp parallel reduction(task, merge : bag)
#pragma omp master
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(merge : bag)
            bag.add(i);
        }
        bag.check_holds_each_once(N);
    }
    CHECK_EQ(alive, 0);
}
