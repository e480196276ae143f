// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations wait for each other. The tool sees the dependences as dependences of the
// implicit tasks. The first iteration has none, because there is no iteration before it.
//
// count: work.loop*.begin T
// count: work.loop*.end T
// count: dependences 2*60-1

int value[61];

int main(void) {
#pragma omp parallel
#pragma omp for ordered(1) schedule(dynamic, 4)
    for (int i = 1; i <= 60; ++i) {
#pragma omp ordered depend(sink : i - 1)
        value[i] = value[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    return value[60] != 60;
}
