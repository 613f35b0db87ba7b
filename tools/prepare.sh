# SPDX-License-Identifier: Apache-2.0
# prepare.sh - what ./run and ./test share: packages and the build directory.
# Sourced by bash, with the project's root as the current folder.

say ()
{
  printf '\n\033[1m== %s\033[0m\n' "$*"
}
if ! [ -t 1 ] || [ "${TERM:-dumb}" = dumb ]; then
  say () { printf '\n== %s\n' "$*"; }
fi

# The packages of packages.debian that hold for this release, one a line.
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

# Installs what packages.debian lists and this machine lacks.
install_packages ()
{
  local missing=() package
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is no Debian: packages.debian lists what has to be installed by hand."
    return
  fi
  while read -r package; do
    is_installed "$package" || missing+=("$package")
  done < <(wanted_packages)
  [ ${#missing[@]} -gt 0 ] || return 0

  say "Installing ${missing[*]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "Neither root nor sudo here. Please let somebody who may run:"
    echo "  apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
  # No questions: a configuration file that is there already stays.
  local quiet=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold)
  as_root "${quiet[@]}" update
  as_root "${quiet[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# configure FOLDER [MESON OPTION...]: sets the build directory up, or changes its
# options; starts it afresh where it was made by another Meson or moved here.
configure ()
{
  local folder=$1
  shift
  if [ -f "$folder/build.ninja" ] && meson configure "$folder" "$@" >/dev/null 2>&1; then
    return
  fi
  rm -rf "$folder"
  meson setup "$folder" "$@"
}

# CI treats warnings as errors; a stranger's newer compiler may know more of them.
strictness ()
{
  if [ -n "${CI:-}" ]; then echo -Dwerror=true; else echo -Dwerror=false; fi
}
