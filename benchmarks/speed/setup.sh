#!/usr/bin/env bash
# Installs the pinned peers OUTSIDE the repository. Re-runnable. Needs npm.
set -euo pipefail
PEERS=${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers}
install() { npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps --loglevel=error; }

mkdir -p "$PEERS/gem"
cd "$PEERS"
echo '{"private":true,"type":"module","dependencies":{"@strands-agents/sdk":"1.19.0","zod":"4.1.12"}}' > package.json
install
cd "$PEERS/gem"
echo '{"private":true,"type":"module","dependencies":{"@google/gemini-cli-core":"0.61.0"}}' > package.json
install
echo "peers ready in $PEERS; now: pnpm --filter spillway-benchmarks speed"
