#!/usr/bin/env bash
# Sees to it that what the build (and, for `test`, the tests) need is on the machine. Installs missing Debian packages when
# it may; otherwise prints the one line to run.
set -euo pipefail

need=()
command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.95 or newer with rustup, then run this again" >&2; exit 3; }
command -v gcc >/dev/null || need+=(gcc libc6-dev)
command -v g++ >/dev/null || need+=(g++)
command -v cmake >/dev/null || need+=(cmake)
[ -e /usr/include/simde/simde-common.h ] || need+=(libsimde-dev)
python3 -m pip --version >/dev/null 2>&1 || need+=(python3 python3-pip)
command -v npm >/dev/null || need+=(nodejs npm)
if [ "${1:-build}" = test ] && [ -z "${UI4A_CHROMIUM:-}" ]; then
  command -v chromium >/dev/null || need+=(chromium)
fi
[ ${#need[@]} -eq 0 ] && exit 0

install="apt-get install -y --no-install-recommends ${need[*]}"
if ! command -v apt-get >/dev/null; then
  echo "missing: ${need[*]}" >&2
  echo "Install them with this system's package manager (UI4A_CHROMIUM may name a test browser), then run this again." >&2
  exit 3
elif [ "$(id -u)" -eq 0 ]; then
  echo "installing: ${need[*]}" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  $install >/dev/null
elif sudo -n true 2>/dev/null; then
  echo "installing: ${need[*]}" >&2
  sudo apt-get update -qq
  sudo DEBIAN_FRONTEND=noninteractive $install >/dev/null
else
  echo "Some system packages are missing. Run this once, then run make again:" >&2
  echo "  sudo apt-get update && sudo $install" >&2
  exit 3
fi
