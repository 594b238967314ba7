# Our stacks of JavaScript, against those of v8::CpuProfiler for the same ticks (include()d by CMakeLists.txt).
get_target_property(preload_sources otelprof_preload SOURCES)
list(TRANSFORM preload_sources PREPEND ${CMAKE_SOURCE_DIR}/preload/)
add_library(cpu_profiler_oracle SHARED cpu_profiler_oracle.c ${preload_sources})
set_target_properties(cpu_profiler_oracle PROPERTIES C_VISIBILITY_PRESET hidden)
target_compile_options(cpu_profiler_oracle PRIVATE "SHELL:-iquote ${CMAKE_SOURCE_DIR}/preload" -fno-stack-protector
    -U_FORTIFY_SOURCE)
target_link_libraries(cpu_profiler_oracle PRIVATE otelprof_runtime)
target_link_options(cpu_profiler_oracle PRIVATE -Wl,-Bsymbolic-functions -Wl,--exclude-libs,ALL -Wl,-z,defs
    -Wl,--wrap=sampler_handle -Wl,--wrap=ring_commit -Wl,--wrap=frames_stack -Wl,--wrap=v8_abi_find)

foreach(version 16.20.2 18.20.8 20.20.2 22.23.5 24.22.3 26.12.1)
    string(REGEX REPLACE "\\..*" "" major ${version})
    add_test(NAME node${major}_cpu_profiler COMMAND ${NODE_TEST_PYTHON} -m unittest -v cpu_profiler_test
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(node${major}_cpu_profiler PROPERTIES
        ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${NODE_CACHE}/node-${version}/bin/node;\
OTELPROF_TYPESCRIPT=${NODE_CACHE}/typescript-5.4.5;PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED node_binaries TIMEOUT 240)
endforeach()
