// Upper bounds: the best possible score of a program that knows the gold (README, "Oracle").
import { countTokens, headTokens } from './tokens.mjs'
import { mean, score } from './score.mjs'
import { need } from './text.mjs'

/** join as many units as fit into the budget, the shortest first */
function pack(units, budget, sep = '\n') {
  const sized = [...new Set(units)].map((u) => [u, countTokens(u + sep)]).sort((a, b) => a[1] - b[1])
  const out = []
  let left = budget
  for (const [u, n] of sized)
    if (n <= left) {
      out.push(u)
      left -= n
    }
  return out.join(sep)
}
export function oracle(c, budget) {
  const g = c.gold
  const on = (text, ...keys) => {
    const s = score(c, text, budget)
    return Object.fromEntries(keys.map((k) => [k, s[k]]))
  }
  switch (c.category) {
    case 'logs':
    case 'transcripts':
      return on(pack(g.units.map(need), budget), 'frac', 'any', 'all', 'mid')
    case 'json':
    case 'jsonmin': {
      const count = new Map()
      for (const k of g.paths) count.set(k, (count.get(k) ?? 0) + 1)
      const sized = [...count].map(([k, n]) => [k, countTokens(' ' + k), n]).sort((a, b) => b[2] / b[1] - a[2] / a[1])
      let left = budget,
        text = ''
      for (const [k, n] of sized)
        if (n <= left) {
          text += ' ' + k
          left -= n
        }
      return {
        ...on(text, 'shape'),
        ...on(g.arrays.map((n) => `${n} items`).join('\n'), 'arrays'),
        ...on(pack(g.leaves ?? [], budget), 'leaf'),
      }
    }
    case 'csv':
    case 'sql': {
      const head = `${g.rows} rows\n${g.header.join('\n')}`
      return {
        ...on(headTokens(head, budget), 'headrow', 'header', 'rows'),
        ...on(
          pack(
            (g.facts ?? []).map(([k, a]) => `${k} | ${a}`.replace(/\n/g, ' ')),
            budget,
          ),
          'fact',
        ),
      }
    }
    case 'html': {
      const t = headTokens(g.main, budget)
      return {
        ...on(t, 'recall', 'precision'),
        ...on(pack(g.with ?? [], budget), 'with'),
        ...on(g.title ?? '', 'title'),
      }
    }
    case 'code':
      return {
        ...on(pack(g.symbols, budget, ' '), 'symbols'),
        ...on(
          pack(
            g.placed.map(({ name, lines }) => `${lines[0]} ${name}`),
            budget,
          ),
          'placed',
        ),
      }
    case 'commands':
      return {
        ...on(
          pack(
            g.facts.map((f) => f.join(' ')),
            budget,
          ),
          'fact',
        ),
        lines: 1,
      }
  }
}
export { mean }
