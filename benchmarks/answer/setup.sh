#!/usr/bin/env bash
# Installs context-mode OUTSIDE the repository, for `pnpm answer`. Re-runnable. Needs npm.
set -euo pipefail
PEERS=${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers}
mkdir -p "$PEERS/context-mode"
cd "$PEERS/context-mode"
echo '{"private":true,"type":"module","dependencies":{"context-mode":"1.0.169"}}' > package.json
# context-mode uses node:sqlite, so nothing has to be compiled.
npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps --loglevel=error
echo "context-mode is in $PEERS"
