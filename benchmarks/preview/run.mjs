#!/usr/bin/env node
// Answer-in-preview benchmark. See README.md.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { dataFolder } from './lib/data.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const { values: opt } = parseArgs({
  options: {
    data: { type: 'string' },
    budget: { type: 'string', default: '1000' },
    impl: { type: 'string', default: 'all' },
    ours: { type: 'string' },
    out: { type: 'string' },
    categories: { type: 'string' },
    limit: { type: 'string' },
    dump: { type: 'string' },
    'per-case': { type: 'boolean' },
    'min-tokens': { type: 'string', default: '2000' },
  },
})
const data = dataFolder(opt.data)
const { CATEGORIES, loadCases } = await import('./lib/cases.mjs')
const { METRICS, PRIMARY, mean, score } = await import('./lib/score.mjs')
const { countTokens, headTokens, longerThan } = await import('./lib/tokens.mjs')
const { oracle } = await import('./lib/oracle.mjs')
const { bootstrap, toMarkdown } = await import('./lib/report.mjs')

const budget = Number(opt.budget)
const ORDER = [
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
const names = opt.impl === 'all' ? [...ORDER, ...(opt.ours ? ['ours'] : [])] : opt.impl.split(',')
const impls = []
for (const name of names) {
  if (name === 'ours' && !opt.ours) throw new Error('--impl ours needs --ours PATH')
  let m
  try {
    m = await import(name === 'ours' ? pathToFileURL(path.resolve(opt.ours)).href : `./impl/${name}.mjs`)
  } catch (error) {
    if (opt.impl !== 'all' || !error.message.startsWith('peers not found')) throw error
    console.error(`${name} left out: ${error.message}`)
    continue
  }
  const preview = m.preview ?? m.default?.preview
  if (typeof preview !== 'function') throw new Error(`${name}: no preview() exported`)
  impls.push({ name, preview, sized: !!m.sized })
}

const categories = opt.categories?.split(',') ?? CATEGORIES
let cases = loadCases(data, categories)
const loaded = cases.length
const least = Math.max(Number(opt['min-tokens']), budget)
cases = cases.filter((c) => longerThan(c.text, least))
if (opt.limit) cases = categories.flatMap((k) => cases.filter((c) => c.category === k).slice(0, Number(opt.limit)))

/** largest size setting whose final text has at most `budget` tokens */
async function fit(im, input) {
  let lo = 0,
    hi = budget * 12,
    best = await im.preview({ ...input, chars: 0 })
  while (hi - lo > 8) {
    const mid = Math.floor((lo + hi) / 2),
      p = await im.preview({ ...input, chars: mid })
    if (countTokens(p) <= budget) [lo, best] = [mid, p]
    else hi = mid
  }
  return countTokens(best) <= budget ? best : headTokens(best, budget)
}

const rows = [] // {case, impl, mode, tokens, scores}
const errors = []
for (const c of cases) {
  rows.push({ c, impl: 'oracle', mode: 'fitted', tokens: null, s: oracle(c, budget) })
  for (const im of impls) {
    const input = {
      text: c.text,
      contentType: c.contentType,
      toolName: c.toolName,
      toolInput: c.toolInput,
      budgetTokens: budget,
    }
    let native
    try {
      native = await im.preview({ ...input })
      if (typeof native !== 'string') throw new TypeError(`preview returned ${typeof native}`)
    } catch (e) {
      errors.push({ id: c.id, impl: im.name, error: String(e?.message ?? e).slice(0, 300) })
      native = ''
    }
    const tokens = countTokens(native)
    const strict = tokens > budget ? headTokens(native, budget) : native
    const fitted = im.sized ? await fit(im, input) : strict
    rows.push({ c, impl: im.name, mode: 'native', tokens, s: score(c, native, budget) })
    rows.push({
      c,
      impl: im.name,
      mode: 'strict',
      tokens: Math.min(tokens, budget),
      s: strict === native ? rows.at(-1).s : score(c, strict, budget),
    })
    rows.push({ c, impl: im.name, mode: 'fitted', tokens: countTokens(fitted), s: score(c, fitted, budget) })
    if (opt.dump) {
      const f = path.join(opt.dump, im.name, `${c.category}__${c.id.replace(/[^\w.-]+/g, '_')}.txt`)
      fs.mkdirSync(path.dirname(f), { recursive: true })
      fs.writeFileSync(f, fitted)
    }
  }
}

// ---- aggregate
const defined = (a) => a.filter((x) => x !== null && x !== undefined)
const round = (x, d = 4) => (x === null || x === undefined ? null : Number(x.toFixed(d)))
const result = {
  data: path.basename(data),
  budget,
  minTokens: least,
  casesLoaded: loaded,
  casesUsed: cases.length,
  errors,
  versions: JSON.parse(fs.readFileSync(path.join(here, 'peers.json'), 'utf8')).dependencies,
  node: process.version,
  n: Object.fromEntries(categories.map((k) => [k, cases.filter((c) => c.category === k).length])),
  scores: {},
  macro: {},
  bySource: {},
}
const all = ['oracle', ...impls.map((i) => i.name)]
for (const impl of all) {
  for (const mode of ['fitted', 'native', 'strict']) {
    const mine = rows.filter((r) => r.impl === impl && r.mode === mode)
    if (!mine.length) continue
    const at = ((result.scores[impl] ??= {})[mode] = {})
    for (const k of categories) {
      const rs = mine.filter((r) => r.c.category === k)
      if (!rs.length) continue
      const o = (at[k] = {})
      for (const m of METRICS[k]) {
        const v = defined(rs.map((r) => r.s[m]))
        o[m] = round(mean(v))
        if (v.length !== rs.length) o[m + '_n'] = v.length
      }
      if (mode === 'fitted')
        o.ci95 = bootstrap(rs.map((r) => [r.c.group, r.s[PRIMARY[k]]]).filter((x) => x[1] !== null)).map((x) =>
          round(x, 3),
        )
      o.tokens = round(mean(defined(rs.map((r) => r.tokens))), 0)
      o.over = round(mean(rs.map((r) => +(r.tokens > budget))), 3)
    }
    ;(result.macro[impl] ??= {})[mode] = round(mean(categories.filter((k) => at[k]).map((k) => at[k][PRIMARY[k]])))
    at.tokens = round(mean(defined(mine.map((r) => r.tokens))), 0)
  }
}
for (const k of ['logs', 'html', 'transcripts']) {
  for (const sub of [...new Set(cases.filter((c) => c.category === k).map((c) => c.sub))]) {
    const key = `${k}/${sub}`
    result.bySource[key] = { n: cases.filter((c) => c.category === k && c.sub === sub).length }
    for (const impl of all)
      result.bySource[key][impl] = round(
        mean(
          rows
            .filter((r) => r.impl === impl && r.mode === 'fitted' && r.c.category === k && r.c.sub === sub)
            .map((r) => r.s[PRIMARY[k]]),
        ),
        3,
      )
  }
}
if (opt['per-case']) {
  result.perCase = { order: all, cases: {} }
  for (const c of cases)
    result.perCase.cases[`${c.category}:${c.id}`] = all.map((i) =>
      round(rows.find((r) => r.c === c && r.impl === i && r.mode === 'fitted').s[PRIMARY[c.category]], 3),
    )
}
const md = toMarkdown(result, categories, METRICS, PRIMARY)
if (opt.out) {
  fs.mkdirSync(path.dirname(path.resolve(opt.out)), { recursive: true })
  fs.writeFileSync(opt.out + '.md', md)
  // one line per leaf object (and per case) keeps the file small and diffable
  const oneLine = (m) => (m.length < 1500 ? m.replace(/\n\s*/g, ' ') : m)
  fs.writeFileSync(
    opt.out + '.json',
    JSON.stringify(result, null, 1)
      .replace(/\[\n[^{}[\]]*?\]/g, oneLine)
      .replace(/\{\n[^{}]*?\}/g, oneLine) + '\n',
  )
}
console.log(md)
if (errors.length) console.error(`${errors.length} errors, first: ${JSON.stringify(errors[0])}`)
