# Decoding of inlined functions, against V8's own account of the same code (include()d by CMakeLists.txt).
add_library(inlining_probe SHARED inlining_probe.c)
target_link_libraries(inlining_probe PRIVATE otelprof_runtime ${CMAKE_DL_LIBS})
target_link_options(inlining_probe PRIVATE -Wl,--exclude-libs,ALL)

foreach(version 16.20.2 18.20.8 20.20.2 22.23.5 24.22.3 26.12.1)
    string(REGEX REPLACE "\\..*" "" major ${version})
    add_test(NAME node${major}_inlining COMMAND /usr/bin/python3 -m unittest -v inlining_test
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(node${major}_inlining PROPERTIES
        ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${NODE_CACHE}/node-${version}/bin/node;PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED node_binaries TIMEOUT 240)
endforeach()
