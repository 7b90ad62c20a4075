// Shared helpers of the speed benchmarks. They have no dependencies except Node.js.
import fs from 'node:fs'
import path from 'node:path'
import os from 'node:os'
import { spawn, spawnSync } from 'node:child_process'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { seededRandom } from '@spillway-internal/test-run/seeded-random'

export const PEERS = process.env.SPILLWAY_BENCH_PEERS ?? path.join(os.tmpdir(), 'spillway-bench-peers')
export const DATA = process.env.SPILLWAY_BENCH_DATA ?? path.join(os.tmpdir(), 'spillway-bench-data')
export const HERE = path.dirname(fileURLToPath(import.meta.url))
// ---------- command line ----------
export function args() {
  const a = process.argv.slice(2),
    o = { ours: null, only: null, quick: false, publish: false, tag: undefined, child: undefined }
  for (let i = 0; i < a.length; i++) {
    if (a[i] === '--ours') o.ours = path.resolve(a[++i])
    else if (a[i] === '--only') o.only = a[++i].split(',')
    else if (a[i] === '--quick') o.quick = true
    else if (a[i] === '--publish') o.publish = true
    else if (a[i] === '--tag') o.tag = a[++i]
    else if (a[i] === '--child') o.child = JSON.parse(a[++i])
  }
  return o
}

// ---------- peers ----------
export const peerFile = (rel) => import(pathToFileURL(path.join(PEERS, rel)).href)
/** If the peers are missing, end the process with a message about installing them. */
export function requirePeers() {
  if (fs.existsSync(path.join(PEERS, SDK))) return
  console.error(
    `There are no peers in ${PEERS}. Install them with benchmarks/speed/setup.sh, or measure without them: --only floor,ours`,
  )
  process.exit(1)
}
const SDK = 'node_modules/@strands-agents/sdk/dist/src/'
/** Modules of Strands 1.19.0, loaded by file so that they share one module instance. */
export async function strands() {
  const [plugin, mem, file, s3, sandbox, msgs, model, legacy] = await Promise.all(
    [
      'vended-plugins/context-offloader/plugin.js',
      'storage/in-memory-storage.js',
      'storage/local-file-storage.js',
      'storage/s3-storage.js',
      'sandbox/not-a-sandbox-local-environment.js',
      'types/messages.js',
      'models/model.js',
      'vended-plugins/context-offloader/storage.js',
    ].map((f) => peerFile(SDK + f)),
  )
  return {
    ContextOffloader: plugin.ContextOffloader,
    InMemoryStorage: mem.InMemoryStorage,
    LocalFileStorage: file.LocalFileStorage,
    S3Storage: s3.S3Storage,
    Sandbox: sandbox.NotASandboxLocalEnvironment,
    TextBlock: msgs.TextBlock,
    JsonBlock: msgs.JsonBlock,
    ToolResultBlock: msgs.ToolResultBlock,
    Model: model.Model,
    LegacyFileStorage: legacy.FileStorage,
  }
}
/** A fake agent with Strands' own default sandbox and default token count. */
export function fakeAgent(S) {
  const hooks = []
  const countTokens = S.Model.prototype.countTokens
  const agent = {
    addHook: (_e, f) => {
      hooks.push(f)
    },
    metrics: { cycleCount: 0 },
    sandbox: new S.Sandbox(),
    model: { countTokens: (m) => countTokens.call(agent.model, m) },
  }
  return { agent, afterToolCall: (ev) => hooks[0](ev) }
}
// ---------- timing ----------
export const now = () => Number(process.hrtime.bigint()) / 1e6
export function stats(xs) {
  const a = [...xs].sort((x, y) => x - y),
    n = a.length
  const q = (p) => a[Math.min(n - 1, Math.floor(p * n))]
  const med = n % 2 ? a[n >> 1] : (a[n / 2 - 1] + a[n / 2]) / 2
  return { n, med, min: a[0], max: a[n - 1], p95: q(0.95), iqr: q(0.75) - q(0.25) }
}
/** Median of at least `min` runs. There are fewer runs only if one exceeds `longMs`, which the number `n` shows. */
export async function timeit(fn, { min = 5, totalMs = 250, longMs = 8000, maxRuns = 40, before } = {}) {
  const xs = []
  let sum = 0,
    last
  while (xs.length < min || (sum < totalMs && xs.length < maxRuns)) {
    if (before) await before()
    const t = now()
    last = fn()
    if (last && typeof last.then === 'function') last = await last
    const d = now() - t
    xs.push(d)
    sum += d
    if (d > longMs) break
    if (sum > longMs * 2 && xs.length >= 3) break
  }
  return { ...stats(xs), first: xs[0], last }
}

// ---------- memory and I/O of this process ----------
const statusKB = (k) =>
  +(new RegExp(`^${k}:\\s+(\\d+) kB`, 'm').exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0)
export const rssMB = () => statusKB('VmRSS') / 1024
export const peakMB = () => statusKB('VmHWM') / 1024
/** Resets VmHWM (the peak memory) of this process. Returns the current resident memory. */
export function resetPeak() {
  globalThis.gc?.()
  globalThis.gc?.()
  try {
    fs.writeFileSync('/proc/self/clear_refs', '5')
  } catch (error) {
    throw new Error('the peak of a process can be measured on Linux only', { cause: error })
  }
  return rssMB()
}
/** Bytes that this process has read so far with read() and pread(), from files and sockets. */
const bytesRead = () => +/^rchar: (\d+)/m.exec(fs.readFileSync('/proc/self/io', 'utf8'))[1]
/** Runs `fn`, and counts the bytes that this process reads, without the bytes that the counting itself reads. */
export async function countRead(fn) {
  const first = bytesRead(),
    start = bytesRead()
  const result = await fn()
  return { result, bytes: Math.max(0, bytesRead() - start - (start - first)) }
}
// ---------- children ----------
/** Runs SCRIPT --child JSON in a fresh node process; returns the JSON after the marker, or {killed|error}. */
export function child(script, payload, { killMs = 90_000, nodeArgs = [] } = {}) {
  return new Promise((resolve) => {
    const p = spawn(
      process.execPath,
      ['--expose-gc', '--no-warnings', ...nodeArgs, script, '--child', JSON.stringify(payload)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = '',
      err = '',
      killed = false
    const k = setTimeout(() => {
      killed = true
      p.kill('SIGKILL')
    }, killMs)
    p.stdout.on('data', (d) => {
      out += d
    })
    p.stderr.on('data', (d) => {
      err += d
    })
    p.on('close', (code, sig) => {
      clearTimeout(k)
      if (killed) return resolve({ killed: true, killMs })
      const i = out.lastIndexOf('\u0001RESULT')
      if (i < 0) return resolve({ error: `exit ${code} ${sig ?? ''}: ${(err || out).slice(0, 900)}` })
      resolve(JSON.parse(out.slice(i + 7)))
    })
  })
}
export const reply = (o) => {
  process.stdout.write('\u0001RESULT' + JSON.stringify(o), () => process.exit(0))
}
/** Whether a command is on the path. */
export const hasCommand = (name) => spawnSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' }).status === 0
const COMMAND = { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 << 20, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
/** Runs an external program: elapsed ms including its start, exit status, and output. */
export function runCommand(name, argv, { killMs = 20_000 } = {}) {
  const start = now()
  const { status, stdout, error } = spawnSync(name, argv, { ...COMMAND, timeout: killMs, killSignal: 'SIGKILL' })
  return { ms: now() - start, status, out: String(stdout ?? ''), killed: error?.code === 'ETIMEDOUT' }
}
/** Peak memory of a command in MB, by GNU time; undefined if GNU time is not installed. */
export function commandPeakMB(name, argv) {
  const tmp = path.join(os.tmpdir(), `spillway-bench-time-${process.pid}`)
  if (spawnSync('/usr/bin/time', ['-f', '%M', '-o', tmp, name, ...argv], COMMAND).error !== undefined) return undefined
  const lines = fs.readFileSync(tmp, 'utf8').trim().split('\n')
  fs.rmSync(tmp)
  return +lines.at(-1) / 1024
}
/** Bytes that read calls of a command return, by strace; undefined if strace is not installed. */
export function commandBytesRead(name, argv) {
  const tmp = path.join(os.tmpdir(), `spillway-bench-strace-${process.pid}`)
  const calls = ['-f', '-qq', '-e', 'trace=read,pread64,readv,preadv', '-o', tmp]
  if (spawnSync('strace', [...calls, name, ...argv], { ...COMMAND, stdio: 'ignore' }).error !== undefined)
    return undefined
  let bytes = 0
  for (const line of fs.readFileSync(tmp, 'utf8').split('\n')) bytes += +(/= (\d+)$/.exec(line)?.[1] ?? 0)
  fs.rmSync(tmp)
  return bytes
}

// ---------- deterministic content ----------
export const NEEDLE = 'FATAL payments: payment gateway refused: order=998877 code=E7731'
const SERVICES = ['api-gateway', 'billing', 'catalog', 'search', 'auth', 'ledger', 'mailer', 'worker-7']
const VERBS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE']
const WORDS = [
  'timeout',
  'upstream',
  'retrying',
  'connection',
  'reset',
  'cache',
  'miss',
  'shard',
  'replica',
  'lag',
  'queue',
  'drained',
  'token',
  'expired',
]
/** One log entry (1 to 5 lines joined by nl). */
function entry(r, i, nl, uni) {
  const ms = i * 37 + Math.floor(r() * 30),
    d = new Date(1773484800000 + ms).toISOString()
  const s = SERVICES[Math.floor(r() * SERVICES.length)],
    id = Math.floor(r() * 0xffffffff)
      .toString(16)
      .padStart(8, '0'),
    k = r()
  const u = uni && k < 0.01 ? ' client=„Zoë — 東京 🚚“' : ''
  if (k < 0.8) {
    const q = r()
    const st = q < 0.93 ? 200 : q < 0.97 ? 304 : q < 0.993 ? 404 : 500 + Math.floor(r() * 4)
    return `${d} INFO  ${s} req=${id} ${VERBS[Math.floor(r() * 6)]} /v1/items/${Math.floor(r() * 99999)}?page=${Math.floor(r() * 40)} status=${st} bytes=${Math.floor(r() * 40000)} dur=${(r() * 400).toFixed(1)}ms${u}`
  }
  if (k < 0.9)
    return `${d} WARN  ${s} req=${id} ${WORDS[Math.floor(r() * 14)]} ${WORDS[Math.floor(r() * 14)]} attempt=${1 + Math.floor(r() * 5)} backoff=${Math.floor(r() * 3000)}ms${u}`
  if (k < 0.96)
    return `{"ts":"${d}","level":"debug","service":"${s}","req":"${id}","span":{"id":"${id.slice(0, 6)}","ms":${Math.floor(r() * 900)}},"msg":"${WORDS[Math.floor(r() * 14)]} ${WORDS[Math.floor(r() * 14)]}"}`
  if (k < 0.98)
    return [
      `${d} ERROR ${s} req=${id} TypeError: cannot read properties of undefined (reading 'id')`,
      `    at Ledger.post (/srv/app/src/ledger.ts:${10 + Math.floor(r() * 300)}:13)`,
      '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      `    at async handler (/srv/app/src/routes/${s}.ts:${1 + Math.floor(r() * 200)}:9)`,
    ].join(nl)
  if (k < 0.9802) return `${d} ERROR kubelet pod=${s}-${id} container exited: OOMKilled (137)`
  return `${d} DEBUG ${s} req=${id} gc pause=${(r() * 12).toFixed(2)}ms heap=${Math.floor(r() * 900)}MB ${WORDS[Math.floor(r() * 14)]}`
}
/** Writes the content to disk once. kind: log | crlf | utf8 | json1. The needle is at about 10, 50, and 90 %. */
export function makeFile(kind, mb) {
  fs.mkdirSync(DATA, { recursive: true })
  const f = path.join(DATA, `${kind}-${mb}.txt`),
    want = mb * 1048576
  if (fs.existsSync(f) && fs.statSync(f).size >= want * 0.99) return f
  const r = seededRandom(1234 + mb),
    nl = kind === 'crlf' ? '\r\n' : '\n',
    part = `${f}.${process.pid}.part`,
    fd = fs.openSync(part, 'w')
  let bytes = 0,
    chunk = [],
    cb = 0,
    i = 0
  const marks = [0.1, 0.5, 0.9].map((x) => x * want),
    json = kind === 'json1'
  const put = (s) => {
    chunk.push(s)
    cb += s.length
    if (cb > 1 << 20) flush()
  }
  const flush = () => {
    const b = Buffer.from(chunk.join(''), 'utf8')
    fs.writeSync(fd, b)
    bytes += b.length
    chunk = []
    cb = 0
  }
  if (json) put('{"items":[')
  while (bytes + cb < want - 200) {
    if (marks.length && bytes + cb > marks[0]) {
      marks.shift()
      put(json ? `{"id":${i},"name":"user${i}","note":"${NEEDLE}"},` : NEEDLE + nl)
      continue
    }
    if (json)
      put(
        `{"id":${i},"name":"user${i}","email":"u${Math.floor(r() * 1e6)}@example.com","plan":"${r() < 0.3 ? 'pro' : 'free'}","tags":["a${Math.floor(r() * 50)}","b"],"score":${r().toFixed(4)}},`,
      )
    else put(entry(r, i, nl, kind === 'utf8') + nl)
    i++
  }
  if (json) put('{"id":-1}],"next_cursor":"eyJvIjo4MDB9","status":"partial"}')
  flush()
  fs.closeSync(fd)
  fs.renameSync(part, f)
  return f
}
export const BLOCK = 1 << 16
/** Number of newlines before each block of BLOCK bytes: 8 bytes of index per block. */
export function lineIndex(readAt, size) {
  const idx = new Float64Array(Math.ceil(size / BLOCK) + 1),
    buf = Buffer.allocUnsafe(BLOCK)
  let n = 0
  for (let k = 0, o = 0; o < size; k++, o += BLOCK) {
    idx[k] = n
    const got = readAt(buf, 0, Math.min(BLOCK, size - o), o)
    const v = got < BLOCK ? buf.subarray(0, got) : buf
    for (let i = -1; (i = v.indexOf(10, i + 1)) >= 0;) n++
  }
  idx[idx.length - 1] = n
  return idx
}
// ---------- output ----------
export const f1 = (x) =>
  x == null || Number.isNaN(x)
    ? '–'
    : x >= 1000
      ? Math.round(x).toLocaleString('en-US')
      : x >= 100
        ? x.toFixed(0)
        : x >= 10
          ? x.toFixed(1)
          : x >= 0.1
            ? x.toFixed(2)
            : x.toFixed(4)
export const table = (head, rows) =>
  [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...rows.map((r) => `| ${r.join(' | ')} |`)].join(
    '\n',
  )
export function machine() {
  return {
    node: process.version,
    cpu: os.cpus()[0].model,
    cores: os.cpus().length,
    memGB: Math.round(os.totalmem() / 2 ** 30),
    load: os.loadavg()[0] ?? 0,
  }
}
export function save(name, json, md, tag, dir = path.join(HERE, 'results')) {
  fs.mkdirSync(dir, { recursive: true })
  const base = path.join(dir, tag ? `${name}-${tag}` : name)
  fs.writeFileSync(
    base + '.json',
    JSON.stringify(json, (k, v) => (typeof v === 'number' && !Number.isInteger(v) ? +v.toPrecision(5) : v), 1) + '\n',
  )
  fs.writeFileSync(base + '.md', md + '\n')
  console.log(`saved ${base}.{json,md}`)
}
