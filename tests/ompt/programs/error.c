// SPDX-License-Identifier: Apache-2.0
// A warning of the error directive.
//
// count: error.warning 1
// stderr: mind the gap

int main(void) {
#pragma omp error at(execution) severity(warning) message("mind the gap")
    return 0;
}
