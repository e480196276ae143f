// SPDX-License-Identifier: Apache-2.0
// A league on the host. The tool sees the league as a region, whose teams start with initial tasks.
//
// count: parallel_begin.league 1
// count: parallel_end.league 1
// count: parallel_begin.team 2
// count: initial.begin 1+2
// count: initial.end 1+2

int main(void) {
    int sum = 0;
#pragma omp teams num_teams(2) reduction(+ : sum)
    {
#pragma omp parallel reduction(+ : sum)
        sum += 1;
    }
    return sum < 2;
}
