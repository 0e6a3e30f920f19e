# SPDX-License-Identifier: Apache-2.0
#
# Install rules of `cmake --install` and CPack for a Debian package (`./dev package`). packaging/README.md describes the parts.
if(NOT TARGET flarestack)
  return()
endif()

set(packaging "${CMAKE_SOURCE_DIR}/packaging")
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

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flarestack)
set(CPACK_PACKAGE_VENDOR Flarestack)
set(CPACK_PACKAGE_CONTACT "The Flarestack authors <maintainers@flarestack.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenTelemetry profiles: record, receive, convert, compare and show them")
set(CPACK_PACKAGE_DESCRIPTION "One program that records the profiles of a host, receives and keeps profiles, traces, \
logs and metrics of OpenTelemetry, and converts, compares and checks profiles of many formats. No service is started \
by the installation.")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_STRIP_FILES ON)
# /etc is outside the prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${packaging}/debian/postinst" "${packaging}/debian/prerm" "${packaging}/debian/postrm"
  "${packaging}/debian/conffiles")
include(CPack)
