const pct = (x) => (x === null || x === undefined ? '–' : (100 * x).toFixed(1))

/** 95% interval of the mean, resampling groups; pairs = [group, value] */
export function bootstrap(pairs, n = 1000, seed = 20260822) {
  if (!pairs.length) return [null, null]
  let s = seed >>> 0
  const rnd = () => {
    s = (s + 0x6d2b79f5) >>> 0
    let t = s
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const groups = [...Map.groupBy(pairs, (p) => p[0]).values()].map((g) => [g.reduce((a, p) => a + p[1], 0), g.length])
  const means = [...Array(n)]
    .map(() => {
      let sum = 0,
        k = 0
      for (let i = 0; i < groups.length; i++) {
        const g = groups[Math.floor(rnd() * groups.length)]
        sum += g[0]
        k += g[1]
      }
      return sum / k
    })
    .sort((a, b) => a - b)
  return [means[Math.floor(n * 0.025)], means[Math.floor(n * 0.975)]]
}

export function toMarkdown(r, categories, METRICS, PRIMARY) {
  const impls = Object.keys(r.scores),
    out = []
  const line = (...c) => out.push(`| ${c.join(' | ')} |`)
  const table = (head) => {
    line(...head)
    line(...head.map(() => '---'))
  }
  out.push(`# Answer-in-preview: ${r.data}, budget ${r.budget} tokens (o200k_base)`, '')
  out.push(
    `${r.casesUsed} of ${r.casesLoaded} cases (full text above ${r.minTokens} tokens). Values in %. \`fitted\` = each implementation's size setting raised or lowered per case until the final text just fits the budget; \`native\` = as set by 4 characters a token; \`strict\` = native, cut to the budget. Emulated ones are named so. The oracle knows the gold.`,
    '',
  )
  out.push('## Primary score per category, fitted (equal tokens)', '')
  table([
    'implementation',
    ...categories.filter((k) => r.n[k]).map((k) => `${k} ${PRIMARY[k]} (n=${r.n[k]})`),
    'macro fitted',
    'macro native',
    'macro strict',
    'mean tokens native',
  ])
  for (const i of impls) {
    const s = r.scores[i]
    line(
      i,
      ...categories.filter((k) => r.n[k]).map((k) => `${pct(s.fitted[k]?.[PRIMARY[k]])}`),
      pct(r.macro[i].fitted),
      pct(r.macro[i].native),
      pct(r.macro[i].strict),
      s.native?.tokens ?? '–',
    )
  }
  for (const k of categories) {
    if (!r.n[k]) continue
    const any = r.scores[impls[0]].fitted[k]
    out.push('', `## ${k} (n=${r.n[k]}${any.mid_n !== undefined ? `, mid n=${any.mid_n}` : ''})`, '')
    table([
      'implementation',
      ...METRICS[k].map((m) => (m === PRIMARY[k] ? `**${m}**` : m)),
      '95% CI',
      'native: ' + PRIMARY[k],
      'native tokens',
      'native over budget',
      'strict: ' + PRIMARY[k],
    ])
    for (const i of impls) {
      const f = r.scores[i].fitted[k],
        n = r.scores[i].native?.[k],
        s = r.scores[i].strict?.[k]
      line(
        i,
        ...METRICS[k].map((m) => pct(f[m])),
        f.ci95.map(pct).join('–'),
        pct(n?.[PRIMARY[k]]),
        n?.tokens ?? '–',
        n ? pct(n.over) : '–',
        pct(s?.[PRIMARY[k]]),
      )
    }
  }
  out.push('', '## By source (primary, fitted)', '')
  table(['source', 'n', ...impls])
  for (const [k, v] of Object.entries(r.bySource)) line(k, v.n, ...impls.map((i) => pct(v[i])))
  if (r.errors.length)
    out.push(
      '',
      `${r.errors.length} previews failed (scored as empty): ${[...new Set(r.errors.map((e) => `${e.impl}: ${e.error}`))].slice(0, 8).join('; ')}`,
    )
  return out.join('\n') + '\n'
}
