# Real applications from npm, with and without the library (include()d by CMakeLists.txt). Their packages come from
# fetch-apps.sh. In the short form each version has two of them, see apps_test.py.
add_test(NAME node_apps_fetch COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fetch-apps.sh ${NODE_CACHE})
set_tests_properties(node_apps_fetch PROPERTIES FIXTURES_SETUP node_apps TIMEOUT 600)

set(app_versions 20.20.2 22.23.5 24.22.3)
if("$ENV{OTELPROF_SOAK}" STREQUAL "full")
    list(APPEND app_versions 18.20.8 26.12.1)
endif()
foreach(version ${app_versions})
    string(REGEX REPLACE "\\..*" "" major ${version})
    add_test(NAME node${major}_apps COMMAND /usr/bin/python3 -m unittest -v apps_test
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(node${major}_apps PROPERTIES
        ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${NODE_CACHE}/node-${version}/bin/node;OTELPROF_CACHE=${NODE_CACHE};PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED "node_binaries;node_apps" TIMEOUT 900)
endforeach()
