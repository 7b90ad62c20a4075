// Loads the cases: { id, category, group, text, contentType, toolName, toolInput, gold }
import fs from 'node:fs'
import path from 'node:path'
import { dropImpossible } from './score.mjs'
import { goldUnits } from './text.mjs'

const utf8 = (f) => new TextDecoder('utf-8', { ignoreBOM: false }).decode(fs.readFileSync(f))
const json = (f) => (fs.existsSync(f) ? JSON.parse(utf8(f)) : [])

export const CATEGORIES = ['logs', 'transcripts', 'json', 'jsonmin', 'csv', 'sql', 'html', 'code', 'commands']

function logGold(e, text) {
  const g = e.gold
  const wholeWord = !!g.failed_tests
  let lines = [],
    opt = {}
  if (g.failed_tests) lines = Object.values(g.where).map((w) => w.needle)
  else if (g.findings) lines = g.findings.map((f) => f.message)
  else if (g.anchors) [lines, opt] = [g.anchors, { maxRepeat: 0 }]
  else if (g.line_ranges) {
    const L = text.split('\n')
    lines = g.line_ranges.flatMap(([a, b]) => L.slice(a - 1, b))
  }
  return { units: goldUnits(lines, text, opt), wholeWord }
}
export function logs(dir) {
  return json(path.join(dir, 'answers.json')).map((e) => {
    const text = utf8(path.join(dir, e.file))
    return {
      id: e.id,
      group: e.group_merged_into ?? e.group,
      isNew: e.project_in_dev === false,
      hasLicense: !/^none/i.test(e.source?.licence ?? 'none'),
      ranges: e.gold.line_ranges,
      text,
      contentType: 'text/plain',
      toolName: 'bash',
      gold: logGold(e, text),
      ruled: e.project_in_dev,
      sub: e.id.split('/')[0],
    }
  })
}

// ---- transcripts: build the steps again like the script in data.md, and compare them with steps.json
const str = (v) => (typeof v === 'string' ? v : JSON.stringify(v))
const flat = (c) =>
  c == null
    ? ''
    : typeof c === 'string'
      ? c
      : Array.isArray(c)
        ? c
            .map((b) => (typeof b === 'string' ? b : typeof b?.text === 'string' ? b.text : JSON.stringify(b)))
            .join('\n')
        : JSON.stringify(c)
function steps(file, source) {
  const raw = utf8(file),
    S = []
  const push = (kind, tool, text, input) => S.push({ kind, tool, text, input })
  if (source.startsWith('claude-code')) {
    const names = {}
    for (const l of raw.split('\n')) {
      if (!l.trim()) continue
      const d = JSON.parse(l),
        m = d.message
      if (!['user', 'assistant'].includes(d.type) || typeof m !== 'object' || !m) continue
      if (typeof m.content === 'string') {
        push('text', null, m.content)
        continue
      }
      for (const b of m.content ?? []) {
        if (b.type === 'text') push('text', null, b.text)
        else if (b.type === 'thinking') push('thinking', null, b.thinking ?? '')
        else if (b.type === 'tool_use') {
          names[b.id] = b
          push(
            'tool_use',
            b.name,
            Object.values(b.input ?? {})
              .map(str)
              .join('\n'),
          )
        } else if (b.type === 'tool_result')
          push('tool_result', names[b.tool_use_id]?.name ?? null, flat(b.content), names[b.tool_use_id]?.input)
      }
    }
  } else if (source === 'mini-swe-agent') {
    JSON.parse(raw).messages.forEach((m, i) =>
      push(
        m.role === 'user' && i >= 2 ? 'tool_result' : m.role === 'assistant' ? 'tool_use' : 'text',
        'bash',
        flat(m.content),
      ),
    )
  } else if (source === 'openhands') {
    for (const h of JSON.parse(raw).history) {
      if (h.observation) push('tool_result', h.observation, h.content ?? '')
      else if (h.action) push(h.source === 'agent' ? 'tool_use' : 'text', h.action, '')
    }
  } else if (source === 'swe-agent') {
    for (const t of JSON.parse(raw).trajectory) {
      push('tool_use', 'shell', '')
      push('tool_result', 'shell', t.observation ?? '')
    }
  } else if (source === 'who-and-when') {
    for (const h of JSON.parse(raw).history)
      push(
        ['WebSurfer', 'FileSurfer', 'ComputerTerminal'].includes(h.role) ? 'tool_result' : 'text',
        h.role,
        flat(h.content),
      )
  } else return null
  return S
}
const codePoints = (s) => {
  let n = 0
  for (const _ of s) n++
  return n
}
/** Return the last text of the user or the agent before a call. */
function purposeOf(S, step) {
  const before = S.slice(0, step)
  const call = before.at(-1)
  // These agents write one text that includes their command.
  if (call?.kind === 'tool_use' && call.tool === 'bash') return call.text
  return before.findLast(({ kind, text }) => kind === 'text' && text?.trim())?.text
}
function transcripts(dir) {
  const out = []
  for (const e of json(path.join(dir, 'index.json'))) {
    const st = json(path.join(dir, e.steps_file ?? e.id + '.steps.json'))
    if (!st.later_use?.length) continue
    const source = e.id.split('/')[0],
      S = steps(path.join(dir, e.file), source)
    if (!S) throw new Error(`no reader for ${source}`)
    for (const u of st.later_use) {
      const s = S[u.step]
      if (s?.kind !== 'tool_result' || codePoints(s.text) !== u.chars)
        throw new Error(`${e.id} step ${u.step}: text of ${s && codePoints(s.text)} characters, expected ${u.chars}`)
      const units = goldUnits(
        u.uses.map((x) => x.text),
        s.text,
        { cap: 0, maxRepeat: 0 },
      )
      out.push({
        id: `${e.id}#${u.step}`,
        group: e.group,
        text: s.text,
        contentType: 'text/plain',
        toolName: s.tool ?? 'tool',
        toolInput: s.input,
        purpose: purposeOf(S, u.step),
        gold: { units },
        sub: source,
      })
    }
  }
  return out
}

// ---- json
const kind = (v) => (v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v)
function isMap(o) {
  const vs = Object.values(o)
  if (vs.length < 10 || !vs.every((v) => kind(v) === 'object')) return false
  const first = new Set(Object.keys(vs[0]))
  const sim = vs.map((v) => {
    const k = Object.keys(v),
      both = k.filter((x) => first.has(x)).length
    return both / (k.length + first.size - both || 1)
  })
  return sim.reduce((a, b) => a + b, 0) / sim.length >= 0.5
}
export function shapePaths(v) {
  const paths = new Map() // path -> the keys on the path, without arrays, `*` for a key of a map
  ;(function walk(x, p, chain) {
    if (Array.isArray(x)) for (const y of x) walk(y, p + '[]', chain)
    else if (x && typeof x === 'object') {
      const map = isMap(x)
      for (const [k, y] of Object.entries(x)) {
        const q = map ? `${p}.*` : `${p}.${JSON.stringify(k)}`
        const to = [...chain, map ? '*' : k]
        if (!map && k) paths.set(q, to)
        walk(y, q, to)
      }
    }
  })(v, '$', [])
  return paths
}
export const topArrays = (v) =>
  (Array.isArray(v)
    ? [v.length]
    : Object.values(v)
        .filter(Array.isArray)
        .map((a) => a.length)
  ).filter((n) => n >= 5)
function jsonCases(dir, minify) {
  return json(path.join(dir, 'index.json')).map((e) => {
    const raw = utf8(path.join(dir, e.file)),
      v = JSON.parse(raw)
    return {
      id: e.id,
      group: e.group,
      text: minify ? JSON.stringify(v) : raw,
      contentType: 'application/json',
      toolName: 'http_get',
      gold: {
        paths: [...shapePaths(v).values()].map((keys) => keys.at(-1)),
        keyPaths: [...new Map([...shapePaths(v).values()].map((keys) => [keys.join('\u0000'), keys])).values()],
        arrays: topArrays(v),
        leaves: (e.facts ?? []).map((f) => String(f.value)),
      },
    }
  })
}

// ---- csv and sql
function csvHeader(text, sep) {
  const cols = []
  let cur = '',
    q = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (q) {
      if (c === '"') {
        if (text[i + 1] === '"') {
          cur += '"'
          i++
        } else q = false
      } else cur += c
    } else if (c === '"') q = true
    else if (c === sep) {
      cols.push(cur)
      cur = ''
    } else if (c === '\n' || c === '\r') break
    else cur += c
  }
  return [...cols, cur].map((c) => c.trim()).filter(Boolean)
}
function csvCases(dir, toolName) {
  return json(path.join(dir, 'index.json'))
    .filter((e) => e.shape?.rows)
    .map((e) => {
      const text = utf8(path.join(dir, e.file)),
        tsv = e.file.endsWith('.tsv')
      return {
        id: e.id,
        group: e.group,
        text,
        contentType: tsv ? 'text/tab-separated-values' : 'text/csv',
        toolName,
        gold: {
          header: csvHeader(text, tsv ? '\t' : ','),
          rows: e.shape.rows,
          lines: [e.shape.rows, e.shape.rows + 1, e.shape.rows + 2],
          facts: (e.facts ?? []).map((f) => [String(f.where_value), String(f.answer)]),
        },
      }
    })
}
function commandCases(dir) {
  return json(path.join(dir, 'index.json'))
    .filter((e) => e.facts?.length)
    .map((e) => {
      const text = utf8(path.join(dir, e.file)),
        n = text.split('\n').length
      const command = path.basename(e.file, '.txt').split('__')[1]
      return {
        id: e.id,
        group: e.group,
        text,
        contentType: 'text/plain',
        toolName: 'bash',
        toolInput: { command },
        gold: { lines: [n, n - 1], facts: e.facts.map((f) => [String(f.where_value), String(f.answer)]) },
      }
    })
}

// ---- html
function htmlCases(dir) {
  return json(path.join(dir, 'answers.json')).map((e) => ({
    id: e.id,
    group: e.group,
    text: utf8(path.join(dir, e.file)),
    contentType: 'text/html',
    toolName: 'web_fetch',
    toolInput: e.url ? { url: e.url } : undefined,
    gold: { main: e.gold.main_text, title: e.gold.title || null, with: e.gold.with ?? null },
    sub: e.id.split('/')[0],
  }))
}

// ---- code
const SKIP =
  /^(?:member|anonMember|field|variable|var|local|enumerator|enumConstant|property|alias|import|package|packageName|namespace|unknown|const|constant|define|macro|header|accessor|parameter|implementation)$/
/** Return the names that are scored, each with the lines that define it. */
export function outlineSymbols(tags, exact) {
  const names = outlineNames(tags, exact)
  const lines = Map.groupBy(tags, (tag) => tag.name)
  return names.map((name) => ({ name, lines: lines.get(name).map((tag) => tag.line) }))
}
export function outlineNames(tags, exact) {
  const t = tags.filter(
    (x) => x.name?.length >= 3 && !/^__anon|^anonymous/i.test(x.name) && (exact || !SKIP.test(x.kind)),
  )
  const depth = (x) => (x.scope ? x.scope.split(/::|\.|\\/).length : 0)
  for (let d = 0; ; d++) {
    const names = [...new Set(t.filter((x) => depth(x) <= d).map((x) => x.name))]
    if (names.length >= 8 || d > 8) return names
  }
}
function codeCases(dir) {
  return json(path.join(dir, 'index.json')).flatMap((e) => {
    const exact = fs.existsSync(path.join(dir, e.file + '.outline.json'))
    const tags = json(path.join(dir, e.file + (exact ? '.outline.json' : '.ctags.json')))
    if (!tags.length) return []
    return [
      {
        id: e.id,
        group: e.group,
        text: utf8(path.join(dir, e.file)),
        contentType: 'text/plain',
        toolName: 'read_file',
        toolInput: { path: path.basename(e.file).replace(/^.*?__/, '') },
        gold: { symbols: outlineNames(tags, exact), placed: outlineSymbols(tags, exact) },
      },
    ]
  })
}

const LOADERS = {
  logs,
  transcripts,
  json: (d) => jsonCases(d, false),
  jsonmin: (d) => jsonCases(d.replace(/jsonmin$/, 'json'), true),
  csv: (d) => csvCases(d, 'read_file'),
  sql: (d) => csvCases(d, 'sql_query'),
  html: htmlCases,
  code: codeCases,
  commands: commandCases,
}
const NEEDS = { logs: 'units', transcripts: 'units', code: 'symbols', commands: 'facts' }
export function loadCases(data, categories = CATEGORIES) {
  return categories.flatMap((category) => loadFolder(category, path.join(data, category)))
}
function loadFolder(category, folder) {
  return LOADERS[category](folder)
    .map((c) => ({ category, ...c }))
    .filter((c) => (dropImpossible(c), !NEEDS[category] || c.gold[NEEDS[category]]?.length))
}
/**
 * Return the cases of all folders, each with its split: `made` (planted faults), `seen` (rules were written with
 * knowledge of the file or its project), or `unseen` (the rest of `more/`).
 */
export function loadAllCases(data, categories = CATEGORIES) {
  const more = path.join(data, 'more')
  return [
    ...loadCases(data, categories).map((c) => ({ ...c, split: 'seen' })),
    ...loadCases(
      more,
      categories.filter((category) => fs.existsSync(path.join(more, category))),
    ).map((c) => ({
      ...c,
      split: c.ruled ? 'seen' : 'unseen',
    })),
    ...(categories.includes('logs') ? loadFolder('logs', path.join(data, 'made')) : []).map((c) => ({
      ...c,
      split: 'made',
    })),
  ]
}
