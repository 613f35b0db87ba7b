# SPDX-License-Identifier: Apache-2.0
# prepare.sh - shared by ./run and ./test: packages and the build directory.
# Sourced by bash in the root folder of the project.

say ()
{
  printf '\n\033[1m== %s\033[0m\n' "$*"
}
if ! [ -t 1 ] || [ "${TERM:-dumb}" = dumb ]; then
  say () { printf '\n== %s\n' "$*"; }
fi

# Prints the packages of packages.debian that apply to this release, one per line.
wanted_packages ()
{
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  sed 's/#.*//' packages.debian | while read -r package condition; do
    [ -n "$package" ] || continue
    condition=${condition//[\[\]]/}
    case "$condition" in
      '') ;;
      !*) case " ${condition#!} " in *" $codename "*) continue ;; esac ;;
      *) case " $condition " in *" $codename "*) ;; *) continue ;; esac ;;
    esac
    echo "$package"
  done
}

is_installed ()
{
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root ()
{
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs the packages of packages.debian that are missing.
install_packages ()
{
  local missing=() package
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is not a Debian system: install the packages that packages.debian lists by hand."
    return
  fi
  while read -r package; do
    is_installed "$package" || missing+=("$package")
  done < <(wanted_packages)
  [ ${#missing[@]} -gt 0 ] || return 0

  say "Installing ${missing[*]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "Installing packages needs root or sudo. As root, run:"
    echo "  apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
  # Non-interactive; keep existing configuration files.
  local quiet=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold)
  as_root "${quiet[@]}" update
  as_root "${quiet[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# configure FOLDER [MESON OPTION...]: sets up the build directory, or changes its
# options; recreates it if it was made by another version of Meson or moved.
configure ()
{
  local folder=$1
  shift
  # Hundreds of test programs are linked, each in a tenth of the time that GNU ld takes.
  if command -v mold >/dev/null; then
    local -x CC_LD=mold CXX_LD=mold
  fi
  if [ -f "$folder/build.ninja" ] && meson configure "$folder" "$@" >/dev/null 2>&1; then
    return
  fi
  rm -rf "$folder"
  meson setup "$folder" "$@"
}

# CI treats warnings as errors; elsewhere a newer compiler may have additional warnings.
strictness ()
{
  if [ -n "${CI:-}" ]; then echo -Dwerror=true; else echo -Dwerror=false; fi
}
