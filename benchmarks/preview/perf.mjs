#!/usr/bin/env node
// Latency per MB and peak memory of each implementation on the biggest inputs; one child process per measurement.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { machine, save } from '../speed/lib.mjs'
import { dataFolder } from './lib/data.mjs'

const { values: opt } = parseArgs({
  options: {
    data: { type: 'string' },
    impl: { type: 'string', default: 'all' },
    ours: { type: 'string' },
    publish: { type: 'boolean' },
    budget: { type: 'string', default: '1000' },
    child: { type: 'string' },
    file: { type: 'string' },
    type: { type: 'string' },
  },
})
const ALL = [
  'head',
  'tail',
  'headtail',
  'headtail2080',
  'strands',
  'gemini',
  'pi-head',
  'pi-tail',
  'deepagents',
  'codex-emulated',
  'claude-code-emulated',
  'easy',
]

if (opt.child) {
  const m = await import(opt.child === 'ours' ? pathToFileURL(path.resolve(opt.ours)).href : `./impl/${opt.child}.mjs`)
  const preview = m.preview ?? m.default.preview
  const run = (text) => preview({ text, contentType: opt.type, toolName: 'bash', budgetTokens: Number(opt.budget) })
  await run(
    opt.type === 'application/json'
      ? JSON.stringify({ a: Array(3000).fill('some words') })
      : 'some words on a line\n'.repeat(3000),
  ) // load and warm
  const bytes = fs.readFileSync(opt.file)
  const text = bytes.toString('utf8') // Node.js decodes once; the text stays in memory during all runs
  globalThis.gc?.()
  const before = process.resourceUsage().maxRSS * 1024
  const times = []
  for (let i = 0; i < 3; i++) {
    const t = performance.now()
    await run(text)
    times.push(performance.now() - t)
  }
  const after = process.resourceUsage().maxRSS * 1024
  console.log(
    JSON.stringify({
      first: times[0],
      median: [...times].sort((a, b) => a - b)[1],
      before,
      after,
      bytes: bytes.length,
    }),
  )
} else {
  const data = dataFolder(opt.data)
  const { loadCases } = await import('./lib/cases.mjs')
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spillway-perf-'))
  const cases = loadCases(data, ['logs', 'json'])
  const biggest = (k) => cases.filter((c) => c.category === k).sort((a, b) => b.text.length - a.text.length)[0]
  const logs = cases
    .filter((c) => c.category === 'logs')
    .map((c) => c.text)
    .join('\n')
  const grow = (s, mb) => s.repeat(Math.ceil((mb * 1e6) / Buffer.byteLength(s))).slice(0, mb * 1e6)
  const records = JSON.parse(
    cases
      .filter((c) => c.category === 'json' && c.text.startsWith('['))
      .sort((a, b) => b.text.length - a.text.length)[0].text,
  )
  const one = JSON.stringify(records).slice(1, -1)
  const inputs = [
    ['biggest log', 'text/plain', biggest('logs').text],
    ['biggest JSON', 'application/json', biggest('json').text],
    ['10 MB of logs', 'text/plain', grow(logs, 10)],
    [
      '10 MB JSON in one line',
      'application/json',
      `[${Array(Math.ceil(1e7 / Buffer.byteLength(one)))
        .fill(one)
        .join(',')}]`,
    ],
    ['50 MB of logs', 'text/plain', grow(logs, 50)],
  ].map(([name, type, text], i) => {
    const file = path.join(dir, `${i}.txt`)
    fs.writeFileSync(file, text)
    return { name, type, file, bytes: fs.statSync(file).size }
  })
  const before = machine()
  const names = opt.impl === 'all' ? [...ALL, ...(opt.ours ? ['ours'] : [])] : opt.impl.split(',')
  const out = []
  for (const name of names)
    for (const input of inputs) {
      const r = spawnSync(
        process.execPath,
        [
          ...process.execArgv,
          '--expose-gc',
          fileURLToPath(import.meta.url),
          '--child',
          name,
          '--file',
          input.file,
          '--type',
          input.type,
          '--budget',
          opt.budget,
          ...(opt.ours ? ['--ours', opt.ours] : []),
        ],
        { encoding: 'utf8', timeout: 300_000 },
      )
      out.push({
        impl: name,
        input: input.name,
        ...(r.status === 0
          ? JSON.parse(r.stdout.trim().split('\n').at(-1))
          : { error: (r.stderr || String(r.error ?? r.signal)).trim().split('\n').at(-1) }),
      })
    }
  fs.rmSync(dir, { recursive: true })
  const row = (...c) => `| ${c.join(' | ')} |`
  const cell = (r) =>
    r.error
      ? `error: ${r.error}`
      : `${(r.median / (r.bytes / 1e6)).toFixed(2)} ms/MB; +${Math.max(0, (r.after - r.before) / 1e6).toFixed(0)} (${(r.after / 1e6).toFixed(0)}) MB`
  const md = [
    `# Latency and memory, budget ${opt.budget}, node ${process.version}, ${os.cpus().length} x ${os.cpus()[0]?.model ?? '?'}`,
    '',
    'Median of 3 calls in a child process of its own, after a warm-up on a small input; peak resident memory above that before the first big call (in brackets: peak in all, runtime and input included).',
    '',
    row('implementation', ...inputs.map((i) => `${i.name} (${(i.bytes / 1e6).toFixed(2)} MB)`)),
    row(...Array(inputs.length + 1).fill('---')),
    ...names.map((n) => row(n, ...inputs.map((i) => cell(out.find((r) => r.impl === n && r.input === i.name))))),
  ].join('\n')
  console.log(md)
  if (opt.publish) {
    // This import is dynamic, so that measured processes do not load the module.
    const { comparePerf } = await import('./compare-perf.ts')
    const results = { title: 'Previews', machine: before, bounds: [], comparisons: comparePerf(out), figures: out }
    save('perf', results, md, undefined, path.join(import.meta.dirname, 'results'))
    ;(await import('../report/publish.ts')).publish()
  }
}
