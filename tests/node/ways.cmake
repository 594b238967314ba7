# Every way Node is run (include()d by CMakeLists.txt). The parts that depend most on Node's version run with each that
# has what they are about, the others with two or three of the six; all with all, and longer, if OTELPROF_SOAK=full was
# set when CMake ran.
add_test(NAME node_fetch_packages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fetch-packages.sh ${NODE_CACHE})
set_tests_properties(node_fetch_packages PROPERTIES FIXTURES_SETUP node_packages TIMEOUT 300)

set(ways_of_each ways_flags_test.Flags ways_test.Workers ways_test.Turmoil)
set(ways_16.20.2 ways_test.Ends ways_tools_test.Managers)
set(ways_18.20.8 ways_test.Depths ways_test.Families ways_tools_test.Heaps)
set(ways_20.20.2 ways_test.Ends ways_test.Depths)
set(ways_22.23.5 ways_test.Families ways_tools_test.Managers)
set(ways_24.22.3 ways_test.Ends ways_tools_test.Heaps)
set(ways_26.12.1 ways_test.Families ways_tools_test.Managers)

foreach(version 16.20.2 18.20.8 20.20.2 22.23.5 24.22.3 26.12.1)
    string(REGEX REPLACE "\\..*" "" major ${version})
    set(parts ${ways_of_each} ${ways_${version}})
    set(seconds 600)
    if("$ENV{OTELPROF_SOAK}" STREQUAL "full")
        set(parts ${ways_of_each} ways_test.Ends ways_test.Depths ways_test.Families ways_tools_test.Managers
            ways_tools_test.Heaps)
        set(seconds 1800)
    endif()
    if(major GREATER_EQUAL 18)
        list(APPEND parts ways_tools_test.Snapshots)
    endif()
    if(major GREATER_EQUAL 20)
        list(APPEND parts ways_tools_test.Executables ways_tools_test.Profilers)
    endif()
    add_test(NAME node${major}_ways COMMAND ${NODE_TEST_PYTHON} -m unittest -v ${parts}
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(node${major}_ways PROPERTIES
        ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${NODE_CACHE}/node-${version}/bin/node;PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED "node_binaries;node_packages" TIMEOUT ${seconds})
endforeach()
