// SPDX-License-Identifier: Apache-2.0
//
// A program that uses MPI itself: its ranks are not devices.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int count, char** words) {
    int rank, ranks, on_host = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();
    printf("rank %d of %d: %d devices, %s\n", rank, ranks, omp_get_num_devices(), on_host ? "on the host" : "elsewhere");
    MPI_Finalize();
    return 0;
}
