# Every way Node is run (include()d by CMakeLists.txt). What is cheap runs with every version; the rest with two or three
# of the six, unless OTELPROF_SOAK=full was set when CMake ran. The permission model, --watch and the like are only where
# Node has them.
add_test(NAME node_fetch_packages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fetch-packages.sh ${NODE_CACHE})
set_tests_properties(node_fetch_packages PROPERTIES FIXTURES_SETUP node_packages TIMEOUT 300)

set(ways_16.20.2 ways_test.Workers ways_flags_test.Flags)
set(ways_18.20.8 ways_test.Ends ways_test.Depths ways_tools_test.Snapshots ways_tools_test.Managers)
set(ways_20.20.2 ways_test.Workers ways_flags_test.Flags ways_tools_test.Executables ways_tools_test.Profilers)
set(ways_22.23.5 ways_test.Ends ways_test.Families ways_tools_test.Snapshots)
set(ways_24.22.3 ways_test.Workers ways_test.Depths ways_tools_test.Managers ways_tools_test.Profilers)
set(ways_26.12.1 ways_test.Ends ways_flags_test.Flags ways_tools_test.Executables ways_tools_test.Heaps)
set(ways_all ways_test.Ends ways_test.Workers ways_test.Depths ways_test.Families ways_flags_test.Flags
    ways_tools_test.Managers ways_tools_test.Heaps)

foreach(version 16.20.2 18.20.8 20.20.2 22.23.5 24.22.3 26.12.1)
    string(REGEX REPLACE "\\..*" "" major ${version})
    set(parts ${ways_${version}})
    if("$ENV{OTELPROF_SOAK}" STREQUAL "full")
        set(parts ${ways_all})
        if(major GREATER_EQUAL 18)
            list(APPEND parts ways_tools_test.Snapshots)
        endif()
        if(major GREATER_EQUAL 20)
            list(APPEND parts ways_tools_test.Executables ways_tools_test.Profilers)
        endif()
    endif()
    add_test(NAME node${major}_ways COMMAND /usr/bin/python3 -m unittest -v ways_test.Turmoil ${parts}
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(node${major}_ways PROPERTIES
        ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${NODE_CACHE}/node-${version}/bin/node;PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED "node_binaries;node_packages" TIMEOUT 1800)
endforeach()
