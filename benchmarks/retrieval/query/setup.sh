#!/usr/bin/env bash
# Installs MiniSearch OUTSIDE the repository; context-mode comes with ../../speed/setup.sh. Re-runnable. Needs npm.
set -euo pipefail
PEERS=${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers}
mkdir -p "$PEERS/query"
cd "$PEERS/query"
echo '{"private":true,"type":"module","dependencies":{"minisearch":"7.2.0"}}' > package.json
npm install --no-audit --no-fund --ignore-scripts --loglevel=error
echo "peers ready in $PEERS; now: pnpm --filter spillway-benchmarks retrieval:query"
