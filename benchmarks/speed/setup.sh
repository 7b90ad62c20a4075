#!/usr/bin/env bash
# Installs the pinned peers OUTSIDE the repository. Re-runnable. Needs npm.
# With WITH_RE2=1, native re2 is compiled, too, which takes a C++ compiler a minute.
set -euo pipefail
PEERS=${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers}
install() { npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps --loglevel=error; }

mkdir -p "$PEERS"/{gem,cm}
cd "$PEERS"
echo '{"private":true,"type":"module","dependencies":{"@strands-agents/sdk":"1.19.0","zod":"4.1.12"}}' > package.json
install
cd "$PEERS/gem"
echo '{"private":true,"type":"module","dependencies":{"@google/gemini-cli-core":"0.61.0"}}' > package.json
install
# context-mode uses node:sqlite, so nothing has to be compiled.
cd "$PEERS/cm"
echo '{"private":true,"type":"module","dependencies":{"context-mode":"1.0.131"}}' > package.json
install
if [ "${WITH_RE2:-}" = 1 ]; then
  mkdir -p "$PEERS/re2"
  cd "$PEERS/re2"
  echo '{"private":true,"dependencies":{"re2":"1.27.1"}}' > package.json
  install
  cd node_modules/re2
  [ -f build/Release/re2.node ] || npx --yes node-gyp rebuild --release -j 2
fi
echo "peers ready in $PEERS; now: pnpm --filter spillway-benchmarks speed, or retrieval"
