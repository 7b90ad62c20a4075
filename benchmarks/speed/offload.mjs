// The whole offload call (count -> store -> preview -> replacement) for one tool result, memory storage.
//   node offload.mjs [--ours MODULE] [--only NAME,...] [--tag NAME] [--publish]
import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as L from './lib.mjs'

const SELF = fileURLToPath(import.meta.url)
const A = L.args()
const SIZES = { '10 KB': 10240, '100 KB': 102400, '1 MB': 1 << 20, '10 MB': 10 << 20 }
const FORMS = ['text', 'utf8', 'json'] // ASCII log text; log text with some non-Latin characters (two-byte string in V8); an object in a JSON block
const LIMIT = 2500,
  PREVIEW = 1000

function input(form, size) {
  if (form !== 'json') {
    const b = fs.readFileSync(L.makeFile(form === 'text' ? 'log' : 'utf8', 10))
    let e = Math.min(size, b.length)
    while (e < b.length && (b[e] & 0xc0) === 0x80) e--
    const s = b.subarray(0, e)
    return form === 'text' ? s.latin1Slice() : s.utf8Slice()
  }
  const r = seededRandom(99),
    items = []
  let n = 0 // sized by its compact form
  for (let i = 0; n < size; i++) {
    const o = {
      id: i,
      name: 'user' + i,
      email: `u${Math.floor(r() * 1e6)}@example.com`,
      plan: r() < 0.3 ? 'pro' : 'free',
      tags: ['a' + Math.floor(r() * 50), 'b'],
      score: +r().toFixed(4),
    }
    items.push(o)
    n += JSON.stringify(o).length + 1
  }
  return { items, next_cursor: 'eyJvIjo4MDB9', status: 'partial' }
}
const IMPL = {
  // the result is bytes: one copy and one scan
  'floor memcpy+scan': async () => {
    let src,
      dst = Buffer.alloc(0)
    return {
      prep: (x) => {
        src = Buffer.from(typeof x === 'string' ? x : JSON.stringify(x))
      },
      run: () => {
        dst = Buffer.allocUnsafeSlow(src.length)
        src.copy(dst)
        return { n: src.indexOf(0), text: src.utf8Slice(0, PREVIEW * 4), bytes: dst.length }
      },
    }
  },
  // the same for a JS string, encoded into new memory; an object is first written as JSON
  'floor encode+scan': async () => {
    const m = new Map()
    let i = 0
    return {
      run: (x) => {
        const s = typeof x === 'string' ? x : JSON.stringify(x),
          b = Buffer.from(s, 'utf8')
        b.indexOf(0)
        m.clear()
        m.set(i++, b)
        return { text: s.slice(0, PREVIEW * 4), bytes: b.length }
      },
    }
  },
  // encode, and the minimum for a store with search: a newline count per 64 KB block, and a SHA-256 for the reference
  'floor encode+line index+sha256': async () => {
    const { hash } = await import('node:crypto')
    return {
      run: (x) => {
        const s = typeof x === 'string' ? x : JSON.stringify(x),
          b = Buffer.from(s, 'utf8')
        const idx = L.lineIndex((d, o, n, p) => b.copy(d, o, p, p + n), b.length)
        return { text: s.slice(0, PREVIEW * 4), bytes: b.length, h: hash('sha256', b), idx }
      },
    }
  },
  // the same work as ours: JSON indented by two spaces, a newline scan, a SHA-256
  'floor indent+encode+scan+sha256': async () => {
    const { hash } = await import('node:crypto')
    return {
      run: (x) => {
        const s = typeof x === 'string' ? x : JSON.stringify(x, null, 2),
          b = Buffer.from(s, 'utf8')
        let lines = 0
        for (let i = -1; (i = b.indexOf(10, i + 1)) >= 0;) lines++
        return { text: s.slice(0, PREVIEW * 4), bytes: b.length, h: hash('sha256', b), lines }
      },
    }
  },
  'strands ContextOffloader': async () => {
    const S = await L.strands()
    let i = 0
    return {
      run: async (x) => {
        const off = new S.ContextOffloader({
            storage: new S.InMemoryStorage(),
            maxResultTokens: LIMIT,
            previewTokens: PREVIEW,
          }),
          f = L.fakeAgent(S)
        off.initAgent(f.agent)
        const id = 'call_' + i++,
          ev = {
            agent: f.agent,
            toolUse: { name: 't', toolUseId: id },
            result: new S.ToolResultBlock({
              toolUseId: id,
              status: 'success',
              content: [typeof x === 'string' ? new S.TextBlock(x) : new S.JsonBlock({ json: x })],
            }),
          }
        await f.afterToolCall(ev)
        const text = ev.result.content[0].text ?? ''
        return { text, offloaded: text.startsWith('[Offloaded'), bytes: null }
      },
    }
  },
  // preview only (no store), and preview with its own file; text only
  'gemini-cli-core format only': async () => {
    const m = await L.peerFile('gem/node_modules/@google/gemini-cli-core/dist/src/utils/fileUtils.js')
    return {
      run: (x) => ({
        text: m.formatTruncatedToolOutput(typeof x === 'string' ? x : JSON.stringify(x), '/tmp/x', PREVIEW * 4),
        offloaded: true,
      }),
    }
  },
  'gemini-cli-core save+format (file)': async (c) => {
    const m = await L.peerFile('gem/node_modules/@google/gemini-cli-core/dist/src/utils/fileUtils.js')
    let i = 0
    return {
      run: async (x) => {
        const s = typeof x === 'string' ? x : JSON.stringify(x),
          r = await m.saveTruncatedToolOutput(s, 'tool', 'id' + (i++ % 3), c.dir, 'bench')
        return { text: m.formatTruncatedToolOutput(s, r.outputFile, PREVIEW * 4), offloaded: true }
      },
    }
  },
  // the previewer alone, to show its share of the time
  'ours, preview only': async (c) => {
    const M = await import(pathToFileURL(c.ours).href)
    let made
    return {
      run: async (x) => {
        made ??= typeof x === 'string' ? x : JSON.stringify(x, null, 2)
        return { text: await M.preview(made, PREVIEW) }
      },
    }
  },
  ours: async (c) => {
    const M = await import(pathToFileURL(c.ours).href)
    return {
      run: async (x, n) => {
        const s = await M.open('memory', {})
        const r = await M.offload(s, {
          session: 'bench',
          id: 'call_' + n,
          content: [typeof x === 'string' ? { type: 'text', text: x } : { type: 'json', json: x }],
          maxTokens: LIMIT,
          previewTokens: PREVIEW,
        })
        await s.close?.()
        return { text: r.text, offloaded: r.offloaded }
      },
    }
  },
}
async function childMain(c) {
  const x = input(c.form, c.size),
    impl = await IMPL[c.impl](c)
  await impl.prep?.(x)
  // Measure the peak memory of one call in a fresh process first, then the times.
  const base = L.resetPeak()
  const t0 = L.now()
  let r = await impl.run(x, 0)
  const first = L.now() - t0,
    peak1 = L.peakMB()
  let n = 1
  const t = await L.timeit(
    async () => {
      r = await impl.run(x, n++)
    },
    { min: 7, totalMs: 400, maxRuns: 3000 },
  )
  L.reply({
    med: t.med,
    iqr: t.iqr,
    p95: t.p95,
    n: t.n,
    first,
    base,
    peak1,
    peak: L.peakMB(),
    chars: r.text.length,
    offloaded: r.offloaded,
  })
}
async function main() {
  const names = Object.keys(IMPL).filter((n) => !A.only || A.only.some((x) => n.startsWith(x)))
  if (names.some((n) => /^(strands|gemini)/.test(n))) L.requirePeers()
  const T0 = L.now(),
    R = { machine: L.machine(), forms: {} },
    dir = path.join(L.DATA, 'offload')
  fs.rmSync(dir, { recursive: true, force: true })
  fs.mkdirSync(dir, { recursive: true })
  const { useBuiltPackages } = await import('../built-packages.ts')
  if (!A.ours) useBuiltPackages()
  const ours = A.ours ?? path.join(L.HERE, 'ours.ts')
  for (const k of ['log', 'utf8']) await L.child(SELF, { make: [k, 10] })
  for (const form of FORMS)
    for (const [label, size] of Object.entries(SIZES))
      for (const n of names) {
        const r = await L.child(SELF, { form, size, impl: n, dir, ours }, { killMs: 60_000 })
        ;((R.forms[form] ??= {})[n] ??= {})[label] = r
        if (r.error || r.killed) console.error(form, label, n, r)
      }
  // Measure the floor with the largest text again: the ratio shows the drift of the machine's speed.
  const again = await L.child(SELF, { form: 'text', size: SIZES['10 MB'], impl: 'floor encode+scan', dir })
  R.drift = again.med / (R.forms.text['floor encode+scan']?.['10 MB']?.med ?? NaN)
  fs.rmSync(dir, { recursive: true, force: true })
  R.seconds = (L.now() - T0) / 1000
  // This import is dynamic, so that measured processes do not load the module.
  const { compareOffload } = await import('./compare-offload.ts')
  const comparisons = compareOffload(R.forms)
  L.save('offload', { title: 'Offload', bounds: [], comparisons, ...R }, report(R), A.tag)
  console.log(report(R))
  if (A.publish) (await import('../report/publish.ts')).publish()
}
function report(R) {
  const out = [
    '# Offload call',
    '',
    `node ${R.machine.node}, load at start ${R.machine.load.toFixed(2)}; run took ${R.seconds.toFixed(0)} s; drift of the floor over the run x${R.drift.toFixed(2)}. Median ms of >= 7 warm calls; xN = ratio to "floor encode+scan". "+MB" = peak RSS of the first call in a fresh process over the RSS just before it (the input itself is in the base). Strands: limit 2,500 tokens, preview 1,000 tokens, its own token heuristic, unified InMemoryStorage.`,
    '',
  ]
  for (const [form, g] of Object.entries(R.forms)) {
    const fl = g['floor encode+scan']
    out.push(
      `## ${form}`,
      '',
      L.table(
        ['impl', ...Object.keys(SIZES).flatMap((s) => [s, 'first call', '+MB'])],
        Object.entries(g).map(([n, r]) => [
          n,
          ...Object.keys(SIZES).flatMap((s) => {
            const x = r[s]
            return x.error || x.killed
              ? ['error', '', '']
              : [
                  `${L.f1(x.med)}${fl === undefined ? '' : ` x${(x.med / fl[s].med).toFixed(1)}`}${x.offloaded === false ? ' (kept inline)' : ''}`,
                  L.f1(x.first),
                  (x.peak1 - x.base).toFixed(0),
                ]
          }),
        ]),
      ),
      '',
    )
  }
  return out.join('\n')
}
if (A.child?.make) L.reply({ file: L.makeFile(...A.child.make) })
else if (A.child) await childMain(A.child)
else await main()
