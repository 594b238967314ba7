# Debian's Node has V8 in a shared library, and libuv, OpenSSL, ICU and zlib each in their own (include()d by
# CMakeLists.txt). Only Debian 12's apt has these packages.
file(STRINGS /etc/os-release bookworm REGEX "^VERSION_CODENAME=bookworm")
if(NOT bookworm)
    message(STATUS "This is not Debian 12: its Node is not tested")
    return()
endif()

add_library(debian_files MODULE debian_files.c)
target_link_libraries(debian_files PRIVATE ${CMAKE_DL_LIBS})
set(DEBIAN_NODE_ROOT ${NODE_CACHE}/debian-nodejs-18.20.4)
set(DEBIAN_FILES ${CMAKE_CURRENT_BINARY_DIR}/libdebian_files.so)
configure_file(debian_node.in ${CMAKE_CURRENT_BINARY_DIR}/debian_node @ONLY USE_SOURCE_PERMISSIONS)

add_test(NAME node_fetch_debian COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fetch-debian-node.sh ${NODE_CACHE})
set_tests_properties(node_fetch_debian PROPERTIES FIXTURES_SETUP debian_node TIMEOUT 300)

add_test(NAME node_debian COMMAND ${NODE_TEST_PYTHON} -m unittest -v smoke_test debian_test
         WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(node_debian PROPERTIES
    ENVIRONMENT "OTELPROF_BUILD_DIR=${CMAKE_BINARY_DIR};OTELPROF_NODE=${CMAKE_CURRENT_BINARY_DIR}/debian_node;PYTHONDONTWRITEBYTECODE=1"
    FIXTURES_REQUIRED debian_node TIMEOUT 120)
