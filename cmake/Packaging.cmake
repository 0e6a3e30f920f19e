# SPDX-License-Identifier: Apache-2.0
#
# Install rules of `cmake --install` and CPack for the Debian packages (`./dev package`). packaging/README.md describes the parts.
# Component `runtime` is the package flarestack, `dev` is flarestack-dev.
if(NOT TARGET flarestack)
  return()
endif()

set(packaging "${CMAKE_SOURCE_DIR}/packaging")
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
install(TARGETS flarestack RUNTIME DESTINATION bin)
install(FILES "${packaging}/systemd/flarestack.service" "${packaging}/systemd/flarestack-agent.service"
  DESTINATION lib/systemd/system)
install(FILES "${packaging}/etc/server.env" "${packaging}/etc/agent.env" DESTINATION /etc/flarestack
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
install(FILES README.md CHANGELOG.md "${packaging}/debian/copyright" DESTINATION share/doc/flarestack)
install(FILES "${packaging}/kubernetes/agent-daemonset.yaml" DESTINATION share/doc/flarestack/examples)

# The program generates its own completion scripts.
install(CODE "
  foreach(place IN ITEMS
      bash=share/bash-completion/completions/flarestack
      zsh=share/zsh/vendor-completions/_flarestack
      fish=share/fish/vendor_completions.d/flarestack.fish)
    string(REPLACE \"=\" \";\" words \"\${place}\")
    list(GET words 0 shell)
    list(GET words 1 file)
    execute_process(COMMAND \"$<TARGET_FILE:flarestack>\" completion \${shell}
      OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${file}\" \"\${script}\")
  endforeach()")

if(TARGET flarestack_preload)
  include(CMakePackageConfigHelpers)
  # Programs link by the name of the first; LD_PRELOAD gives the path of the second.
  install(TARGETS flarestack_profiler EXPORT FlarestackTargets
    LIBRARY DESTINATION lib COMPONENT runtime NAMELINK_COMPONENT dev)
  install(TARGETS flarestack_preload LIBRARY DESTINATION lib/flarestack)
  install(TARGETS flarestack_profiler_static EXPORT FlarestackTargets ARCHIVE DESTINATION lib COMPONENT dev)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/flarestack" DESTINATION include COMPONENT dev)
  install(EXPORT FlarestackTargets NAMESPACE Flarestack:: DESTINATION lib/cmake/Flarestack COMPONENT dev)
  configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/FlarestackConfig.cmake.in"
    "${CMAKE_BINARY_DIR}/FlarestackConfig.cmake" INSTALL_DESTINATION lib/cmake/Flarestack)
  write_basic_package_version_file("${CMAKE_BINARY_DIR}/FlarestackConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_BINARY_DIR}/FlarestackConfig.cmake" "${CMAKE_BINARY_DIR}/FlarestackConfigVersion.cmake"
    DESTINATION lib/cmake/Flarestack COMPONENT dev)
  # The prefix is known when the file is installed.
  install(CODE "
    set(PROJECT_VERSION \"${PROJECT_VERSION}\")
    configure_file(\"${packaging}/pkgconfig/flarestack-profiler.pc.in\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/pkgconfig/flarestack-profiler.pc\" @ONLY)" COMPONENT dev)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flarestack)
set(CPACK_PACKAGE_VENDOR Flarestack)
set(CPACK_PACKAGE_CONTACT "The Flarestack authors <maintainers@flarestack.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenTelemetry profiles: record, receive, convert, compare and show them")
set(CPACK_PACKAGE_DESCRIPTION "One program that records the profiles of a host, receives and keeps profiles, traces, \
logs and metrics of OpenTelemetry, and converts, compares and checks profiles of many formats. No service is started \
by the installation.")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME flarestack)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME flarestack-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "flarestack (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and libraries of the in-process profiler of Flarestack")
set(CPACK_STRIP_FILES ON)
# /etc is outside the prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${packaging}/debian/postinst" "${packaging}/debian/prerm" "${packaging}/debian/postrm"
  "${packaging}/debian/conffiles")
include(CPack)
