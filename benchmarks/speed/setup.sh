#!/usr/bin/env bash
# Installs the pinned peers and Node 24 OUTSIDE the repository. Re-runnable.
# Usage: ./setup.sh     needs npm, a C++ toolchain (for sqlite3 and re2) and, where missing, apt for ripgrep, redis-server, strace, time
# Then:  pnpm --filter spillway-benchmarks speed     (peers in ${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers})
set -euo pipefail
PEERS=${SPILLWAY_BENCH_PEERS:-${TMPDIR:-/tmp}/spillway-bench-peers}
mkdir -p "$PEERS"/{node24,cm,gem,re2}

for b in rg redis-server strace time; do
  [ -x "$(type -P $b || true)" ] || apt-get install -y --no-install-recommends "$([ $b = rg ] && echo ripgrep || echo $b)" >/dev/null
done

# Node 24: binary and headers come inside npm packages
cd "$PEERS/node24"; [ -f package.json ] || echo '{"private":true}' > package.json
[ -x node_modules/node/bin/node ] || npm i --no-audit --no-fund node@24.21.0
NODEDIR=$(dirname "$(find "$PEERS/node24" -path '*node-linux-*/include' -type d | head -1)")
ln -sf "$NODEDIR/bin/node" "$PEERS/node"
"$PEERS/node" -e 'if(+process.versions.node.split(".")[0]!==24) process.exit(1)'
export PATH="$NODEDIR/bin:$PATH" npm_config_nodedir="$NODEDIR"
get() { npm i --no-audit --no-fund --ignore-scripts --legacy-peer-deps; }
build() { [ -n "$(ls build/Release/*.node 2>/dev/null)" ] || npx --yes node-gyp rebuild --release --nodedir="$NODEDIR" -j 2; }

# Peers that share one tree (better-sqlite3 13 brings its binary in the package)
cd "$PEERS"
cat > package.json <<'J'
{ "private": true, "type": "module",
  "dependencies": {
    "@strands-agents/sdk": "1.19.0", "zod": "4.1.12", "@aws-sdk/client-s3": "3.1169.0",
    "re2js": "2.10.0", "ioredis": "5.8.2", "better-sqlite3": "13.2.0",
    "unstorage": "1.17.6", "db0": "0.3.4",
    "keyv": "5.5.4", "@keyv/redis": "5.1.6", "@keyv/sqlite": "4.0.8", "keyv-file": "5.3.5"
  } }
J
get
(cd node_modules/sqlite3 && build) || echo "sqlite3 (for @keyv/sqlite) did not build: that row will say error"

# Peers with their own trees. context-mode uses node:sqlite on Node 24, so nothing is compiled for it.
cd "$PEERS/cm";  echo '{"private":true,"type":"module","dependencies":{"context-mode":"1.0.131"}}' > package.json; get
cd "$PEERS/gem"; echo '{"private":true,"type":"module","dependencies":{"@google/gemini-cli-core":"0.61.0"}}' > package.json; get
cd "$PEERS/re2"; echo '{"private":true,"dependencies":{"re2":"1.27.1"}}' > package.json; get
(cd node_modules/re2 && build) || echo "re2 did not build: the re2-native rows are left out"
"$PEERS/node" -v; echo "peers ready in $PEERS"
