# Callers of functions that are just entered or left (include()d by CMakeLists.txt).
foreach(version 16.20.2 18.20.8 20.20.2 22.23.5 24.22.3 26.12.1)
    string(REGEX REPLACE "\\..*" "" major ${version})
    add_test(NAME node${major}_callers COMMAND ${NODE_TEST_PYTHON} -m unittest -v callers_test
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(node${major}_callers PROPERTIES
        ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${NODE_CACHE}/node-${version}/bin/node;PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED node_binaries TIMEOUT 240)
endforeach()
