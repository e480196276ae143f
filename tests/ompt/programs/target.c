// SPDX-License-Identifier: Apache-2.0
// Target constructs, which run on the host: an immediate region, a deferred region, and constructs
// that only name data.
//
// count: target.region.begin 2
// count: target.region.end 2
// count: target.region_nowait.begin 1
// count: target.region_nowait.end 1
// count: target.enter_data.begin 1
// count: target.exit_data.end 1
// count: submit.begin 3
// count: submit.end 3

int main(void) {
    int sum = 0, later = 0, data[4] = {1, 2, 3, 4};
#pragma omp target enter data map(to : data)
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 4; ++i)
        sum += data[i];
#pragma omp target exit data map(from : data)
#pragma omp parallel
#pragma omp single
    {
#pragma omp target nowait map(tofrom : later)
        ++later;
#pragma omp taskwait
#pragma omp target map(tofrom : later)
        ++later;
    }
    return sum != 10 || later != 2;
}
