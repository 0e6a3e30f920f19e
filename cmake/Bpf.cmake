# SPDX-License-Identifier: Apache-2.0
#
# Compiles src/record/bpf/*.bpf.c to BPF with clang, and generates a header for each with bpftool: the object as bytes,
# and its maps and programs by name. record/kernel/kernel_side.cc includes it as "record/bpf/NAME.skel.h".
find_program(FLARESTACK_BPF_CLANG NAMES clang-14 clang REQUIRED)
find_program(FLARESTACK_BPFTOOL bpftool PATHS /usr/sbin /sbin REQUIRED)
find_program(FLARESTACK_PYTHON python3 REQUIRED)
flarestack_find_library(libbpf bpf/libbpf.h LIBRARY bpf)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(FLARESTACK_BPF_ARCH x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(FLARESTACK_BPF_ARCH arm64)
else()
  message(FATAL_ERROR "the recorder supports x86-64 and arm64, not ${CMAKE_SYSTEM_PROCESSOR}")
endif()

function(flarestack_add_bpf_programs target)
  set(generated "${CMAKE_BINARY_DIR}/generated/bpf")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/record/bpf/*.bpf.c")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/record/bpf/*.h")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    set(object "${generated}/${name}.bpf.o")
    set(skeleton "${generated}/record/bpf/${name}.skel.h")
    add_custom_command(OUTPUT "${skeleton}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${generated}/record/bpf"
      # Blocks stay in the order of the source: tools/check_bpf.py says why.
      COMMAND "${FLARESTACK_BPF_CLANG}" -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter
        -mllvm -disable-block-placement
        "-D__TARGET_ARCH_${FLARESTACK_BPF_ARCH}" -I "${CMAKE_SOURCE_DIR}/src" -I "${libbpf_INCLUDE_DIR}"
        "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=." -c "${source}" -o "${object}"
      COMMAND "${FLARESTACK_PYTHON}" "${CMAKE_SOURCE_DIR}/tools/check_bpf.py" "${object}"
      # clang-tidy analyses generated code too if a file of ours calls it.
      COMMAND "${CMAKE_COMMAND}" -E echo "// NOLINTBEGIN" > "${skeleton}"
      COMMAND "${FLARESTACK_BPFTOOL}" gen skeleton "${object}" name "${name}_bpf" >> "${skeleton}"
      COMMAND "${CMAKE_COMMAND}" -E echo "// NOLINTEND" >> "${skeleton}"
      DEPENDS "${source}" ${headers} "${CMAKE_SOURCE_DIR}/tools/check_bpf.py"
      COMMENT "BPF ${name}" VERBATIM)
    list(APPEND skeletons "${skeleton}")
  endforeach()
  add_custom_target(${target}_bpf DEPENDS ${skeletons})
  add_dependencies(${target} ${target}_bpf)
  target_include_directories(${target} SYSTEM PRIVATE "${generated}")
endfunction()
