#!/bin/sh
# Installs the program that runs Workers on this machine, outside of the repository: it has 127 MB.
set -eu
folder="${SPILLWAY_WORKERD:-${TMPDIR:-/tmp}/spillway-workerd}"
mkdir -p "$folder"
npm install --prefix "$folder" --no-audit --no-fund --save-exact miniflare@4.20260730.0
