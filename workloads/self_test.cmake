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
endforeach()
test_workload(alignment --length 8 --sequences 40 --open 0)
test_workload(floorplan --cells 1)
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
test_workload(bnb)
test_workload(bnb --prune none --n 14)

# The line that bench/compare reads.
foreach(name fib mandelbrot)
    if(TARGET ${name})
        add_test(NAME workloads.${name}.final_line COMMAND ${name})
        set_tests_properties(workloads.${name}.final_line PROPERTIES TIMEOUT 10 LABELS workloads
            PASS_REGULAR_EXPRESSION "^${name} size=small time_s=[0-9.]+ result=[0-9]+ threads=[0-9]+ .*check=ok\n$")
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
add_test(NAME workloads.fib.help COMMAND fib --help)
set_tests_properties(workloads.fib.help PROPERTIES
    TIMEOUT 10 LABELS workloads PASS_REGULAR_EXPRESSION "which Fibonacci number")
