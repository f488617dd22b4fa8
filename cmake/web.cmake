# SPDX-License-Identifier: Apache-2.0
# telltale_embed_web(TARGET): the page of `telltale view`. Where web/ is there, npm builds it into web/dist whenever its
# sources change; the target gets the files of web/dist as a table (src/server/assets.h), empty without them.
option(TELLTALE_WEB "Build the page of `telltale view` into the program; needs npm" ON)

function(telltale_embed_web target)
  set(web ${CMAKE_SOURCE_DIR}/web)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/assets)
  set(built)
  if(TELLTALE_WEB AND EXISTS ${web}/package.json)
    # scripts/setup puts a Node there if the machine's is too old.
    set(node ${CMAKE_SOURCE_DIR}/build/node/bin)
    find_program(TELLTALE_NPM npm)
    if(NOT TELLTALE_NPM)
      message(FATAL_ERROR "npm was not found: run scripts/setup web, or configure with -DTELLTALE_WEB=OFF for a program "
                          "without its page")
    endif()
    set(npm ${CMAKE_COMMAND} -E env "PATH=${node}:$ENV{PATH}" ${TELLTALE_NPM})
    # Both stand in the source folder: every preset uses the same page, built once.
    set(installed ${web}/node_modules/.installed)
    set(built ${web}/dist/.built)
    # Not `npm ci`: that refuses a lock file without the parts for platforms that a registry does not carry.
    add_custom_command(OUTPUT ${installed} DEPENDS ${web}/package.json ${web}/package-lock.json
      COMMAND ${npm} install --no-save --no-audit --no-fund --loglevel=error
      COMMAND ${CMAKE_COMMAND} -E touch ${installed}
      WORKING_DIRECTORY ${web} COMMENT "Fetching the tools of the page (npm install)" VERBATIM)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/public/*)
    file(GLOB settings CONFIGURE_DEPENDS ${web}/index.html ${web}/*.ts ${web}/*.js ${web}/*.mjs ${web}/*.json)
    add_custom_command(OUTPUT ${built} DEPENDS ${installed} ${sources} ${settings}
      COMMAND ${npm} run --silent build
      COMMAND ${CMAKE_COMMAND} -E touch ${built}
      WORKING_DIRECTORY ${web} COMMENT "Building the page (npm run build)" VERBATIM)
    set(folder ${web}/dist)
  else()
    message(STATUS "Without the page of `telltale view`")
    set(folder ${out}/none)
  endif()
  add_custom_command(OUTPUT ${out}/asset_table.cpp DEPENDS ${built} ${CMAKE_SOURCE_DIR}/cmake/embed_assets.cmake
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUT=${out} -P ${CMAKE_SOURCE_DIR}/cmake/embed_assets.cmake
    COMMENT "Packing the page" VERBATIM)
  target_sources(${target} PRIVATE ${out}/asset_table.cpp)
endfunction()
