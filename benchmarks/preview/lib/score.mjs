// Scores one preview of one case; every value is from 0 to 1, or null (not defined for this case).
import { shareInPath, sharePlaced } from './strict.mjs'
import { LINE_WORD, MAX_GOLD, hasWord, need, norm, shingles, stated, stripTags, words } from './text.mjs'

export const PRIMARY = {
  logs: 'frac',
  transcripts: 'frac',
  json: 'shape',
  jsonmin: 'shape',
  csv: 'headrow',
  sql: 'headrow',
  html: 'recall',
  code: 'symbols',
  commands: 'fact',
}
export const METRICS = {
  logs: ['frac', 'noFrames', 'any', 'all', 'mid'],
  transcripts: ['frac', 'any', 'all', 'mid'],
  json: ['shape', 'inPath', 'arrays', 'leaf'],
  jsonmin: ['shape', 'inPath', 'arrays', 'leaf'],
  csv: ['headrow', 'header', 'rows', 'fact'],
  sql: ['headrow', 'header', 'rows', 'fact'],
  html: ['recall', 'precision', 'with', 'title'],
  code: ['symbols', 'placed'],
  commands: ['fact', 'lines'],
}
export const mean = (a) => (a.length ? a.reduce((x, y) => x + y, 0) / a.length : null)
const share = (a, f) => (a?.length ? a.filter(f).length / a.length : null)

const has = (p, unit, wholeWord) => (wholeWord && unit.length <= MAX_GOLD ? hasWord(p, unit) : p.includes(need(unit)))
const mids = new WeakMap()
/** is every gold unit far from both ends? */
function isMid(c, budget) {
  if (!mids.has(c)) mids.set(c, findMid(c, budget))
  return mids.get(c)
}
function findMid(c, budget) {
  const n = budget * 4
  if (c.text.length <= 2 * n) return false
  const ends = [norm(c.text.slice(0, n)), norm(c.text.slice(-n))]
  return !c.gold.units.some((u) => ends.some((e) => has(e, u, c.gold.wholeWord)))
}
/** A frame of a stack trace: JVM, .NET, JavaScript, Python, Ruby, PHP, Rust, Go, native. */
export const FRAME =
  /^(?:\[\w+\] |==\d+== +)?(?:at:? .*(?:[(:/]|<anonymous>)|File ".+", line \d+(?:, in .*)?$|from \S+:\d+:in|\S+:\d+:in [`'][^']*'$|#\d+ |\d+: 0x|\.\.\. \d+ more|\S+@\S+:\d+:\d+$|\/\S+:\d+$|\S+\.go:\d+ \+0x)/
function lines(c, preview, budget) {
  const p = norm(preview)
  const frac = share(c.gold.units, (u) => has(p, u, c.gold.wholeWord))
  const noFrames = share(
    c.gold.units.filter((u) => !FRAME.test(u)),
    (u) => has(p, u, c.gold.wholeWord),
  )
  return { frac, noFrames, any: +(frac > 0), all: +(frac === 1), mid: isMid(c, budget) ? frac : null }
}
const IDENT = /^[\w$-]+$/
function json(c, preview) {
  const toks = new Set([...(preview.match(/[\w$-]+/g) ?? []), ...(preview.match(/[\w$]+/g) ?? [])])
  const hasKey = (k) =>
    IDENT.test(k) ? toks.has(k) : hasWord(preview, k) || preview.includes(JSON.stringify(k).slice(1, -1))
  return {
    shape: share(c.gold.paths, hasKey),
    inPath: shareInPath(preview, c.gold.keyPaths),
    arrays: share(c.gold.arrays, (n) => stated(preview, n)),
    leaf: share(c.gold.leaves, (v) => preview.includes(v) || preview.includes(JSON.stringify(v).slice(1, -1))),
  }
}
const hasCell = (line, v) => line.includes(norm(v)) || line.includes(norm(v).replace(/"/g, '""'))
function csv(c, preview) {
  const p = norm(preview),
    L = p.split('\n')
  const header = share(c.gold.header, (h) => hasWord(p, norm(h)) || hasWord(p, norm(h).replace(/"/g, '""')))
  const rows = +(stated(p, c.gold.rows) || c.gold.lines.some((n) => stated(p, n, LINE_WORD)))
  return {
    header,
    rows,
    headrow: (header + rows) / 2,
    fact: share(c.gold.facts, (f) => L.some((l) => f.every((v) => hasCell(l, v)))),
  }
}
function commands(c, preview) {
  const p = norm(preview)
  return {
    fact: share(c.gold.facts, ([k, a]) => p.includes(norm(k).trim()) && hasWord(p, norm(a).trim())),
    lines: +c.gold.lines.some((n) => stated(p, n, LINE_WORD)),
  }
}
const goldShingles = new WeakMap()
function html(c, preview) {
  let g = goldShingles.get(c)
  if (!g) goldShingles.set(c, (g = shingles(words(c.gold.main))))
  const raw = shingles(words(preview)),
    bare = shingles(words(stripTags(preview)))
  const title = c.gold.title && words(c.gold.title).join(' ')
  const bareText = ` ${words(stripTags(preview)).join(' ')} ${words(preview).join(' ')} `
  return {
    recall: share([...g], (s) => raw.has(s) || bare.has(s)),
    precision: raw.size ? share([...raw], (s) => g.has(s)) : 0,
    with: share(c.gold.with, (s) => bareText.includes(` ${words(s).join(' ')}`)),
    title: title ? +bareText.includes(` ${title} `) : null,
  }
}
const code = (c, preview) => ({
  symbols: share(c.gold.symbols, (s) => hasWord(preview, s)),
  placed: sharePlaced(preview, c.gold.placed),
})

const FN = { logs: lines, transcripts: lines, json, jsonmin: json, csv, sql: csv, html, code, commands }
export const score = (c, preview, budget) => FN[c.category](c, preview, budget)

/** Drops gold that even the full output lacks (cells with several lines, other snippets). Returns the number. */
export function dropImpossible(c) {
  const before = JSON.stringify(c.gold).length
  const keep = (key, metric) => {
    if (!c.gold[key]?.length) return
    const kept = c.gold[key].filter((x) => score({ ...c, gold: { ...c.gold, [key]: [x] } }, c.text, 1000)[metric] === 1)
    c.gold[key] = kept.length ? kept : null
  }
  if (c.gold.units) keep('units', 'frac')
  if (c.gold.facts) keep('facts', 'fact')
  if (c.gold.with) keep('with', 'with')
  if (c.gold.leaves) keep('leaves', 'leaf')
  return before - JSON.stringify(c.gold).length
}
