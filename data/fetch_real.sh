#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes files of real data from Debian packages, for script/real-data and scan-bench: fetched by apt
# from wherever it is set up to fetch, installed nowhere, never committed. README.md tells what is
# in them. Needs Debian 12 or later, and no root.
set -euo pipefail

usage='usage: data/fetch_real.sh [DIRECTORY]
  DIRECTORY   where the files go (default: build/real-data); nothing is done if it is there'

case ${1-} in
  -*) printf '%s\n' "$usage"; [[ $1 == -h || $1 == --help ]] && exit 0; exit 2 ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
result=${1-$here/../build/real-data}
packages=(ferret-datasets tor-geoipdb bowtie-examples mecab-ipadic wordnet-base)
matrices=(Mongoose/Matrix/NotreDame_www.mtx CSparse/Matrix/bcsstk16)

fail() {
  printf 'data/fetch_real.sh: %s\n' "$*" >&2
  exit 1
}

# The first python3 that has NumPy: the first on the PATH may be bare.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail 'no python3 with NumPy found; script/bootstrap installs python3-numpy'
}

# Downloads the source package suitesparse into the folder. Sources of packages are seldom set up, so
# the distribution's own entries are read as entries of sources, apart from the system's lists.
download_sources() {
  local file name entries=(-o Dir::Etc::SourceList=- -o Dir::Etc::SourceParts="$work/sources"
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=)
  mkdir -p "$work/sources" "$work/lists/partial" "$work/cache/archives/partial"
  while read -r file; do
    name=$(basename "$file")
    [[ $name == *.sources ]] || name=${name%.list}.list
    sed 's/^Types:.*/Types: deb-src/; s/^deb[[:blank:]]/deb-src /' "$file" >"$work/sources/$name"
  done < <(apt-get indextargets --format '$(SOURCESENTRY)' 'Created-By: Packages' \
             "Origin: $origin" | sed 's/:[0-9]*$//' | sort -u)
  apt-get "${entries[@]}" -qq update
  apt-get "${entries[@]}" -qq source --download-only suitesparse
}

[[ ! -d $result ]] || exit 0
for program in apt-get dpkg-deb awk xz; do
  command -v "$program" >/dev/null || fail "no $program here: real data come from Debian packages"
done
origin=$(. /etc/os-release && echo "${NAME%% *}")
python=$(find_python)
mkdir -p "$(dirname "$result")"
result=$(cd "$(dirname "$result")" && pwd)/$(basename "$result")
work=$result.part
rm -rf "$work"
mkdir -p "$work/made"
trap 'rm -rf "$work"' EXIT
cd "$work"

apt-get -qq -o APT::Sandbox::User= download "${packages[@]}" ||
  fail "apt-get could not download ${packages[*]}; 'apt-get update' may help"
download_sources || fail 'apt-get could not download the source of suitesparse'
for file in ./*.deb; do
  dpkg-deb -x "$file" extracted
  dpkg-deb -W --showformat='${Package} ${Version}\n' "$file" >>made/versions.txt
done
sources=(suitesparse_*.orig.tar.xz)
version=$(basename suitesparse_*.dsc .dsc)
echo "suitesparse ${version#*_}" >>made/versions.txt
tar -xf "${sources[0]}" --wildcards --strip-components=1 "${matrices[@]/#/*/}"

share=extracted/usr/share
"$python" "$here/make_elevation.py" --full "$share/ferret-vis/data/etopo5.cdf" made/etopo5.npy
grep -v '^#' "$share/tor/geoip" | awk -F, '{printf "%s,%.0f\n", $0, $2 - $1 + 1}' >made/geoip.csv
zcat "$share/doc/bowtie/examples/genomes/NC_008253.fna.gz" | grep -v '^>' | tr -d '\n' \
  >made/genome.raw
tail -n +2 "$share/mecab/dic/ipadic/matrix.def" >made/connections.txt
"$python" "$here/make_wordnet.py" "$share/wordnet" made/wordnet.mtx made/wordnet.txt
cp Mongoose/Matrix/NotreDame_www.mtx made/
# The lower triangle, rows and columns from 0.
awk '{ line[NR] = $1 + 1 " " $2 + 1 " " $3; if ($1 >= n) n = $1 + 1 }
     END { print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, NR
           for (i = 1; i <= NR; ++i) print line[i] }' CSparse/Matrix/bcsstk16 >made/bcsstk16.mtx
mv made "$result"
printf '%s:\n' "$result"
(cd "$result" && ls -l)
