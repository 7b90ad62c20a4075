import { count, table } from '../../report/table.ts'
import { besideHighest, timesOf, type Comparison } from '../../report/comparison.ts'
import { bootstrap } from './bootstrap.ts'
import { CATEGORIES } from './cases.mjs'
import { METRICS, PRIMARY } from './score.mjs'

/** The scores of one preview of one case. */
export interface Row {
  readonly implementation: string
  readonly mode: 'forced' | 'default'
  readonly category: string
  readonly split: string
  readonly id: string
  readonly group: string
  /** Tokens of the preview; `undefined` for the oracle, which creates no preview. */
  readonly tokens?: number
  readonly scores: Readonly<Record<string, number | null>>
}

/** Cases of one category and one split. */
interface Part {
  readonly category: string
  readonly split: string
  readonly rows: readonly Row[]
}

const LABELS: Readonly<Record<string, string>> = {
  json: 'JSON',
  jsonmin: 'JSON, one line',
  csv: 'CSV',
  sql: 'SQL',
  html: 'HTML',
}
const METRIC_LABELS: Readonly<Record<string, string>> = {
  frac: 'all lines',
  noFrames: 'without stack frames',
  any: 'at least one line',
  all: 'every line',
  mid: 'answer in neither end',
  inPath: 'keys within their path',
  arrays: 'lengths of arrays',
  leaf: 'a random value',
  header: 'column names',
  rows: 'number of rows',
  precision: 'share that is main text',
  with: 'snippets people chose',
  title: 'title',
  placed: 'symbols beside their line number',
  lines: 'number of lines',
}
/** Splits by their significance for other data: highest if no rule was written with knowledge of the project. */
export const SPLITS: readonly string[] = ['unseen', 'made', 'seen']

/** Write the tables of a run. The first `own` implementations are ours. */
export function writeReport(rows: readonly Row[], implementations: readonly string[], own: number): string {
  const parts = partsOf(rows)
  const ours = implementations.slice(0, own)
  const peers = implementations.slice(own).filter((name) => name !== 'oracle')
  return [
    '### The whole replacement at the budget',
    forcedTable(parts, ours, peers),
    '### At default sizes',
    defaultTable(parts, ours),
    '### Logs and transcripts, more closely',
    linesTable(parts, ours.slice(0, 1), peers),
    '### Other scores',
    otherTable(parts, ours, peers),
  ].join('\n\n')
}

function partsOf(rows: readonly Row[]): readonly Part[] {
  return CATEGORIES.flatMap((category) =>
    SPLITS.map((split) => ({
      category,
      split,
      rows: rows.filter((row) => row.category === category && row.split === split),
    })),
  ).filter((part) => part.rows.length > 0)
}

/** Compare the first implementation with the best peer: main scores, and other scores in which Spillway is worse. */
export function compareScores(rows: readonly Row[], [own, ...peers]: readonly string[]): Comparison[] {
  return partsOf(rows).flatMap((part) => {
    const compare = (metric: string, label = ''): Comparison => {
      const share = (name: string): number => 100 * average(valuesOf(part, name, metric))
      const ours = share(own ?? '')
      const named = peers.map((name) => ({ name, value: share(name) }))
      return {
        what: `${labelOf(part)}, ${part.split}${label}`,
        unit: '%',
        ours,
        other: besideHighest(ours, named, 100),
      }
    }
    const others = metricsOf(part).map((metric) => compare(metric, `: ${metricLabel(metric)}`))
    return [compare(primaryOf(part)), ...others.filter((one) => timesOf(one) > 1)]
  })
}

function forcedTable(parts: readonly Part[], ours: readonly string[], peers: readonly string[]): string {
  const bodies = parts.map((part) => {
    const primary = primaryOf(part)
    return [
      ...namesOf(part),
      ...ours.flatMap((name) => [`**${meanOf(part, name, primary)}**`, intervalOf(part, name, primary)]),
      ...[...peers, 'oracle'].map((name) => meanOf(part, name, primary)),
    ]
  })
  // Of each category, this selects the split that is most significant for other data.
  const first = CATEGORIES.map((category) => parts.find((part) => part.category === category)).filter(
    (part) => part !== undefined,
  )
  const overall = (name: string): string =>
    percent(average(first.map((part) => average(valuesOf(part, name, primaryOf(part))))))
  const last = [
    'mean of kinds',
    'unseen, else seen',
    '',
    ...ours.flatMap((name) => [`**${overall(name)}**`, '']),
    ...[...peers, 'oracle'].map(overall),
  ]
  const heads = [...HEADS, ...ours.flatMap((name) => [name, '95 %']), ...peers, 'oracle']
  return table(heads, [...bodies, last], 3)
}

function defaultTable(parts: readonly Part[], ours: readonly string[]): string {
  const bodies = parts.map((part) => [
    ...namesOf(part),
    ...ours.flatMap((name) => {
      const rows = part.rows.filter((row) => row.implementation === name && row.mode === 'default')
      return [meanOf(part, name, primaryOf(part), 'default'), count(average(rows.map((row) => row.tokens ?? 0)))]
    }),
  ])
  return table([...HEADS, ...ours.flatMap((name) => [name, 'tokens'])], bodies, 3)
}

/** Write a table with our first implementation and the three best peers. */
function linesTable(parts: readonly Part[], ours: readonly string[], peers: readonly string[]): string {
  const metrics = ['frac', 'noFrames', 'any', 'all', 'mid']
  const bodies = parts
    .filter(({ category }) => category === 'logs' || category === 'transcripts')
    .flatMap((part) => {
      const share = (name: string): number => average(valuesOf(part, name, 'frac'))
      const best = peers.toSorted((one, other) => share(other) - share(one)).slice(0, 3)
      return [...ours, ...best].map((name) => [
        labelOf(part),
        part.split,
        name,
        ...metrics.map((metric) => {
          const counted = valuesOf(part, name, metric).length
          return `${meanOf(part, name, metric)}${metric === 'mid' ? ` (of ${counted})` : ''}`
        }),
      ])
    })
  const heads = metrics.map((metric) => METRIC_LABELS[metric] ?? '')
  return table(['content', 'projects', '', ...heads], bodies, 3)
}

function otherTable(parts: readonly Part[], ours: readonly string[], peers: readonly string[]): string {
  const bodies = parts
    .filter(({ category }) => category !== 'logs' && category !== 'transcripts')
    .flatMap((part) =>
      metricsOf(part).map((metric) => {
        const others = peers.map((name) => ({ name, value: average(valuesOf(part, name, metric)) }))
        const best = others.toSorted((one, other) => other.value - one.value).at(0)
        return [
          labelOf(part),
          part.split,
          metricLabel(metric),
          ...ours.map((name) => meanOf(part, name, metric)),
          best === undefined ? '' : `${percent(best.value)} (${best.name})`,
        ]
      }),
    )
  return table(['content', 'projects', 'score', ...ours, 'best other'], bodies, 3)
}

const HEADS = ['content', 'projects', 'cases (groups)']

function namesOf(part: Part): readonly string[] {
  const cases = new Set(part.rows.map(({ id }) => id)).size
  const groups = new Set(part.rows.map(({ group }) => group)).size
  return [labelOf(part), part.split, `${cases} (${groups})`]
}

/** Return all scores of a part except the main score. */
const metricsOf = (part: Part): readonly string[] =>
  ((METRICS as Readonly<Record<string, readonly string[]>>)[part.category] ?? []).filter(
    (metric) => metric !== primaryOf(part),
  )
const metricLabel = (metric: string): string =>
  metric === 'fact' ? 'a random cell, with its row' : (METRIC_LABELS[metric] ?? metric)
const labelOf = ({ category }: Part): string => LABELS[category] ?? category
const primaryOf = ({ category }: Part): string => (PRIMARY as Readonly<Record<string, string>>)[category] ?? ''

function valuesOf(part: Part, name: string, metric: string, mode: Row['mode'] = 'forced'): readonly number[] {
  return groupedOf(part, name, metric, mode).map(({ value }) => value)
}

function groupedOf(part: Part, name: string, metric: string, mode: Row['mode']): { group: string; value: number }[] {
  return part.rows
    .filter((row) => row.implementation === name && row.mode === mode)
    .flatMap(({ group, scores }) => (scores[metric] == null ? [] : [{ group, value: scores[metric] }]))
}

const meanOf = (part: Part, name: string, metric: string, mode?: Row['mode']): string =>
  percent(average(valuesOf(part, name, metric, mode)))

function intervalOf(part: Part, name: string, metric: string): string {
  const [low, high] = bootstrap(groupedOf(part, name, metric, 'forced'))
  return `${(low * 100).toFixed(0)} to ${(high * 100).toFixed(0)}`
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const percent = (share: number): string => (Number.isNaN(share) ? '–' : (share * 100).toFixed(1))
