# Every release: V8's layouts and exports, one run as a smoke test, and what is done with a V8 that is not known
# (include()d by CMakeLists.txt).
set(main_versions 16.20.2 18.20.8 20.20.2 22.23.5 24.22.3 26.12.1)
set(smoke_versions 16.13.0 17.9.1 18.0.0 19.8.1 20.0.0 21.7.3 22.0.0 23.11.1 24.0.0 25.9.0 26.0.0)

add_executable(abi_symbols abi_symbols.c)
target_link_libraries(abi_symbols PRIVATE otelprof_runtime ${CMAKE_DL_LIBS})

function(otelprof_version_test name part node)
    add_test(NAME ${name} COMMAND ${NODE_TEST_PYTHON} -m unittest -v ${part}_test
             WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
        "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${node};OTELPROF_CXX=${CMAKE_CXX_COMPILER};OTELPROF_NODE_CACHE=${NODE_CACHE};PYTHONDONTWRITEBYTECODE=1"
        FIXTURES_REQUIRED node_binaries TIMEOUT 120)
endfunction()

foreach(version ${main_versions} ${smoke_versions})
    otelprof_version_test(node_${version}_abi abi ${NODE_CACHE}/node-${version}/bin/node)
endforeach()
foreach(version ${smoke_versions})
    otelprof_version_test(node_${version}_smoke smoke ${NODE_CACHE}/node-${version}/bin/node)
endforeach()
otelprof_version_test(node_unknown_v8 unknown_v8 ${NODE_CACHE}/node-20.20.2/bin/node)
