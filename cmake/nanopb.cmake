# Debian's nanopb (generator) and libnanopb-dev (runtime); both are required.
find_program(PROTOC protoc REQUIRED)
find_program(NANOPB_PLUGIN protoc-gen-nanopb REQUIRED)
find_library(NANOPB_LIBRARY NAMES libprotobuf-nanopb.a REQUIRED)
find_library(ZLIB_STATIC NAMES libz.a REQUIRED)
find_library(IBERTY_STATIC NAMES libiberty.a REQUIRED)

# nanopb_generate(TARGET FILE.proto...): a static library of the generated code, usable with #include "FILE.pb.h".
function(nanopb_generate target)
    set(generated)
    foreach(proto ${ARGN})
        get_filename_component(stem ${proto} NAME_WE)
        set(out ${CMAKE_CURRENT_BINARY_DIR}/${stem}.pb)
        add_custom_command(
            OUTPUT ${out}.c ${out}.h
            COMMAND ${PROTOC} --plugin=protoc-gen-nanopb=${NANOPB_PLUGIN}
                    -I ${CMAKE_CURRENT_SOURCE_DIR} --nanopb_out=-I${CMAKE_CURRENT_SOURCE_DIR}:${CMAKE_CURRENT_BINARY_DIR}
                    ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
            DEPENDS ${proto} ${stem}.options
            WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
            VERBATIM)
        list(APPEND generated ${out}.c)
    endforeach()
    add_library(${target} STATIC ${generated})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
    target_compile_options(${target} PRIVATE -w)
    target_link_libraries(${target} PUBLIC ${NANOPB_LIBRARY})
endfunction()
