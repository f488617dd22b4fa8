# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the tests of the scripts share; sourced, not run. Leaves the shell in the repository's root, with a folder of its own
# in $folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect WHAT EXPECTED FOUND
expect() {
  [[ $2 == "$3" ]] || {
    printf '%s\n  expected: %q\n  found:    %q\n' "$1" "$2" "$3"
    exit 1
  }
}
