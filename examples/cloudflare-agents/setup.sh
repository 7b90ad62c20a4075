#!/bin/sh
# Installs what runs Workers on this machine, outside the repository: its binary alone has 127 MB.
set -eu
folder="${SPILLWAY_WORKERD:-${TMPDIR:-/tmp}/spillway-workerd}"
mkdir -p "$folder"
npm install --prefix "$folder" --no-audit --no-fund --save-exact miniflare@4.20260730.0
