# SPDX-License-Identifier: Apache-2.0
#
# Each workload at its small size, in every variant, with few and with many threads.

include("${CMAKE_CURRENT_LIST_DIR}/common/runtime_tests.cmake")

function(test_workload program)
    if(NOT TARGET ${program})
        return()
    endif()
    string(JOIN "_" label ${program} ${ARGN})
    string(REPLACE "--" "" label "${label}")
    add_runtime_tests("${label}" ${program} --size small ${ARGN})
endfunction()

# The same with SETTING, VARIABLE=VALUE, in the environment; NAME is for the test's name.
function(test_workload_where name setting program)
    if(NOT TARGET ${program})
        return()
    endif()
    string(JOIN "_" label ${program} ${name} ${ARGN})
    string(REPLACE "--" "" label "${label}")
    add_runtime_tests("${label}" ${CMAKE_COMMAND} -E env ${setting} $<TARGET_FILE:${program}> --size small ${ARGN})
endfunction()

function(test_workload_with_priorities program)
    test_workload_where(priorities OMP_MAX_TASK_PRIORITY=3 ${program} ${ARGN})
endfunction()

function(test_workload_with_distributions program)
    test_workload(${program} ${ARGN})
    foreach(distribution fine coarse)
        test_workload_where(${distribution} OMP_DATA_DISTRIBUTION=${distribution} ${program} ${ARGN})
    endforeach()
endfunction()

foreach(variant all manual if final)
    test_workload(fib --variant ${variant})
endforeach()
foreach(variant manual if final)
    test_workload(nqueens --variant ${variant})
endforeach()
foreach(tasks tied untied)
    foreach(variant all manual if final)
        test_workload(strassen --variant ${variant} --tasks ${tasks})
        test_workload(floorplan --variant ${variant} --tasks ${tasks})
    endforeach()
    foreach(variant single for)
        test_workload(sparselu --variant ${variant} --tasks ${tasks})
        test_workload(alignment --variant ${variant} --tasks ${tasks})
    endforeach()
    test_workload_with_distributions(sparselu --variant depend --tasks ${tasks})
    foreach(dispatch sleep spin help)
        test_workload(hashtag --tasks ${tasks} --dispatch ${dispatch})
    endforeach()
    foreach(searches request none)
        test_workload_with_priorities(hashtag --tasks ${tasks} --wait taskgroup --searches ${searches})
    endforeach()
    test_workload_with_priorities(hashtag --tasks ${tasks} --searches none)
endforeach()
# By taskwait, with priorities of their own for the searches, on Teff alone: libgomp 12 crashes
# where a task waits for children whose priority is above 0 but below that of another task that
# could start.
if(WORKLOADS_RUNTIME_DIR)
    add_test(NAME workloads.teff.hashtag_priorities_taskwait COMMAND hashtag --size small)
    set_tests_properties(workloads.teff.hashtag_priorities_taskwait PROPERTIES TIMEOUT 30 LABELS workloads
        ENVIRONMENT_MODIFICATION
        "OMP_NUM_THREADS=set:2;OMP_MAX_TASK_PRIORITY=set:3;LD_LIBRARY_PATH=path_list_prepend:${WORKLOADS_RUNTIME_DIR}")
endif()
test_workload(hashtag --interarrival 0)
test_workload(hashtag --load 0.8)
test_workload(hashtag --tables 1 --buckets 1 --zipf 0 --requests 50)
foreach(dispatch sleep spin help)
    test_workload(hashtag --clients 3 --dispatch ${dispatch})
endforeach()
foreach(tasks tied untied)
    test_workload(hashtag --inserts 30 --tasks ${tasks} --buckets 2 --requests 100)
endforeach()
test_workload(hashtag --results 3 --inserts 10)
test_workload(hashtag --cutoff 4)
test_workload(hashtag --inserts 100)
test_workload_where(above OMP_MAX_TASK_PRIORITY=6 hashtag --searches above --wait taskgroup)
test_workload(alignment --length 8 --sequences 40 --open 0)
test_workload(floorplan --cells 1)
test_workload(floorplan --prune known)
foreach(tree binomial geometric)
    test_workload(uts --tree ${tree})
endforeach()
foreach(schedule static static-chunk dynamic dynamic-monotonic dynamic-nonmonotonic
                  guided guided-monotonic guided-nonmonotonic runtime auto)
    test_workload(mandelbrot --schedule ${schedule})
endforeach()
test_workload(sort)
test_workload(sort --quick 16 --insertion 1 --merge 8)
test_workload(fft)
test_workload(fft --cutoff 1 --combine 1)
foreach(name map reduction vecmul matmul jacobi)
    test_workload_with_distributions(${name})
endforeach()
# Smaller than a page, chains of tasks on the same data, blocks that do not divide the whole, and
# a single one.
test_workload(map --kib 1 --rounds 5)
test_workload(vecmul --kib 1 --rounds 3)
test_workload(reduction --kib 3 --depth 7)
test_workload(matmul --n 60 --block 6)
test_workload(matmul --n 32 --block 32)
test_workload(jacobi --n 100 --block 7 --iterations 30)
test_workload(jacobi --n 5 --block 9)
foreach(variant serial aes full fragments)
    test_workload(aes --variant ${variant})
    test_workload(aes --variant ${variant} --grouping rounds --kib 20)
endforeach()
# Less than a fragment, a short last fragment, fragments of a few blocks.
test_workload(aes --kib 3)
test_workload(aes --kib 50 --fragment 7)
test_workload(aes --kib 40 --fragment 1)
# Target regions, which run on the host here; tests/test_devices.py runs them on devices.
foreach(name heat gemm cholesky nbody)
    test_workload(${name})
endforeach()
test_workload(heat --rows 16 --columns 3 --iterations 1)
test_workload(gemm --n 32 --block 32 --place runtime)
test_workload(cholesky --n 30 --block 5)
test_workload(nbody --bodies 1 --steps 1)
foreach(pattern trivial no_comm stencil_1d stencil_1d_periodic fft tree nearest spread random)
    test_workload(taskbench --pattern ${pattern})
endforeach()
test_workload(taskbench --width 1 --steps 1 --grain 0 --bytes 8 --place runtime)
test_workload(bnb)
test_workload(bnb --prune none --n 14)

# The line that bench/compare reads.
foreach(name fib mandelbrot hashtag)
    if(TARGET ${name})
        add_test(NAME workloads.${name}.final_line COMMAND ${name})
        set_tests_properties(workloads.${name}.final_line PROPERTIES TIMEOUT 10 LABELS workloads
            PASS_REGULAR_EXPRESSION "(^|\n)${name} size=small time_s=[0-9.]+ result=[0-9a-z:]+ threads=[0-9]+ .*check=ok\n$")
    endif()
endforeach()

# What a user may get wrong is named, with the way to the help.
foreach(name fib mandelbrot)
    if(TARGET ${name})
        add_test(NAME workloads.${name}.unknown_argument COMMAND ${name} --no-such-thing 1)
        add_test(NAME workloads.${name}.missing_value COMMAND ${name} --size)
        add_test(NAME workloads.${name}.bad_size COMMAND ${name} --size huge)
        set_tests_properties(workloads.${name}.unknown_argument workloads.${name}.missing_value
            workloads.${name}.bad_size PROPERTIES
            TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "^${name}: .*see ${name} --help")
    endif()
endforeach()
add_test(NAME workloads.fib.out_of_range COMMAND fib --n 51)
set_tests_properties(workloads.fib.out_of_range PROPERTIES
    TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "--n must lie in 0\\.\\.50, not 51")
# As many tasks as the thesis counts for one megabyte: the number of the last of them, from 0, is
# 328575.
if(TARGET aes)
    add_test(NAME workloads.aes.tasks COMMAND aes --kib 1024)
    set_tests_properties(workloads.aes.tasks PROPERTIES
        TIMEOUT 30 LABELS workloads PASS_REGULAR_EXPRESSION " tasks=328576 .*check=ok")
endif()
if(TARGET matmul)
    add_test(NAME workloads.matmul.no_multiple COMMAND matmul --n 100 --block 30)
    set_tests_properties(workloads.matmul.no_multiple PROPERTIES
        TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "^matmul: --n must be a multiple of --block, not 100")
endif()
add_test(NAME workloads.reduction.too_deep COMMAND reduction --kib 1 --depth 8)
set_tests_properties(workloads.reduction.too_deep PROPERTIES
    TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "^reduction: --kib 1 has no element for each of 2\\^8 runs")
add_test(NAME workloads.fib.help COMMAND fib --help)
set_tests_properties(workloads.fib.help PROPERTIES
    TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "which Fibonacci number")

# expect_output(NAME REGEX ARGUMENT...): what hashtag prints for these arguments.
function(expect_output name regex)
    add_test(NAME workloads.hashtag.${name} COMMAND hashtag ${ARGN})
    set_tests_properties(workloads.hashtag.${name} PROPERTIES
        TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "${regex}")
endfunction()

expect_output(load_and_interarrival "^hashtag: --load and --interarrival exclude each other.*see hashtag --help"
    --load 0.5 --interarrival 3)
expect_output(clients_and_load "^hashtag: --clients excludes --interarrival and --load" --clients 2 --load 0.5)
expect_output(no_load "^hashtag: --load must be above 0" --load 0)
expect_output(not_a_number "^hashtag: --load wants a number, not 'much'" --load much)
expect_output(load_out_of_range "^hashtag: --load must lie in 0\\.\\.100, not 100\\.5" --load 100.5)
expect_output(two_forms "^hashtag: --csv and --json exclude each other" --csv --json)
expect_output(too_many_tables "^hashtag: --tables must lie in 1\\.\\.64, not 65" --tables 65)
expect_output(unknown_choice "^hashtag: --dispatch does not know 'nap'" --dispatch nap)
expect_output(flag_with_value "^hashtag: unknown argument '--csv=1'" --csv=1)
expect_output(help "microseconds from one request to the next.*0\\.\\.1000000; small 10" --help)
expect_output(table "priority 3 +46 .*priority 2 +150 .*priority 1 +304 .*all +500 .*hashtag size=small")
expect_output(csv "^threads,tasks,.*p99_us,[^\n]*,cutoff\n[0-9]+,untied,.*,3,46,[^\n]*\n.*,2,150,[^\n]*\n.*,1,304,[^\n]*\n$"
    --csv --tasks untied)
expect_output(json "^{\"program\": \"hashtag\", .*\"check\": \"ok\", \"priorities\": {\"3\": {\"requests\": 46, [^\n]*}}}\n$"
    --json)
