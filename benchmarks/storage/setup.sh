#!/usr/bin/env bash
# Installs the pinned peers OUTSIDE the repository. Re-runnable. Needs npm.
# With WITH_SQLITE3=1, @keyv/sqlite is installed, too. Compiling its driver takes a C++ compiler two minutes.
set -euo pipefail
PEERS=${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers}/storage
mkdir -p "$PEERS"
cd "$PEERS"
cat > package.json <<'J'
{ "private": true, "type": "module",
  "dependencies": {
    "@aws-sdk/client-s3": "3.1169.0", "@strands-agents/sdk": "1.19.0", "zod": "4.1.12",
    "better-sqlite3": "13.2.0", "db0": "0.3.4", "ioredis": "5.8.2", "unstorage": "1.17.6",
    "@keyv/redis": "5.1.6", "@keyv/sqlite": "4.0.8", "keyv": "5.5.4", "keyv-file": "5.3.5"
  } }
J
npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps --loglevel=error
if [ "${WITH_SQLITE3:-}" = 1 ]; then
  cd node_modules/sqlite3
  [ -n "$(ls build/Release/*.node 2>/dev/null)" ] || npx --yes node-gyp rebuild --release -j 2
fi
echo "peers ready in $PEERS; now: pnpm --filter spillway-benchmarks storage"
