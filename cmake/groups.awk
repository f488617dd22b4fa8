# SPDX-License-Identifier: Apache-2.0
# usage: awk -v size=N -f cmake/groups.awk FILE…
# Files that can be compiled as one, N at most: a line for each file, the number of its group in front. No two files of a
# group define the same name at the beginning of a line, outside of classes and functions, as far as one can see without
# compiling: Type Name(, Type kName =, struct Name, #define NAME; nor do they use the names of different enumerations.
function name_of(line) {
  if (match(line, /^using [A-Za-z0-9_]+ =/)) line = substr(line, 1, RLENGTH - 2)
  else if (line ~ /^(using|namespace|return|template|friend)[^A-Za-z0-9_]/) return ""
  else if (match(line, /^(struct|class|enum|enum class|union) +[A-Za-z0-9_]+/) || match(line, /^#define +[A-Za-z0-9_]+/)) {
    line = substr(line, 1, RLENGTH)
  } else if (match(line, /^[A-Za-z_][A-Za-z0-9_:<>,&* ]*[ &*>][A-Za-z0-9_]+(\[\])? *[({=;]/)) {
    line = substr(line, 1, RLENGTH)
    sub(/(\[\])? *[({=;]$/, "", line)
  } else {
    return ""
  }
  sub(/.*[^A-Za-z0-9_]/, "", line)
  return line
}

function fits(group, file,   i) {
  if (members[group] >= size) return 0
  if (enums[file] != "" && group_enums[group] != "" && enums[file] != group_enums[group]) return 0
  for (i = 1; i <= count[file]; ++i) if ((group, names[file, i]) in taken) return 0
  return 1
}

FNR == 1 { files[++file] = FILENAME }
/^using enum / { enums[file] = enums[file] $0 }
{
  name = name_of($0)
  if (name != "") names[file, ++count[file]] = name
}

END {
  for (f = 1; f <= file; ++f) {
    for (group = 1; !fits(group, f); ++group) {}
    ++members[group]
    if (enums[f] != "") group_enums[group] = enums[f]
    for (i = 1; i <= count[f]; ++i) taken[group, names[f, i]]
    print group, files[f]
  }
}
