/** Writes saved results into docs/benchmarks.md without measuring: `node report/publish.ts`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { count, table } from './table.ts'
import { f1 } from '../speed/lib.mjs'
import { ratioOf, timesOf, worstFirst, type Beside, type Comparison } from './comparison.ts'
import type { Bound } from './section.ts'

/** The saved results of one part of a benchmark. */
export interface Results {
  /** The title of the full tables. */
  readonly title: string
  /** The machine. Absent if the figures are the same on any machine. */
  readonly machine?: { readonly node: string; readonly cpu: string; readonly cores: number; readonly load?: number }
  readonly bounds: readonly Bound[]
  readonly comparisons: readonly Comparison[]
}

const ROOT = join(import.meta.dirname, '../..')
/** Maximum numbers of rows: of a section, of the list of the worst, and of one section in that list. */
const ROWS = 13
const WORST_ROWS = 12
const WORST_OF_SECTION = 3

const FIGURES = /(?<=<!-- figures: (.+) -->\n)[^]*?(?=<!-- end of figures -->)/
const WORST = /(?<=<!-- worst figures -->\n)[^]*?(?=<!-- end of figures -->)/

/** Write the saved results of all benchmarks into docs/benchmarks.md. Throws if the page has no mark for `wanted`. */
export function publish(wanted: readonly string[] = []): void {
  const file = join(ROOT, 'docs/benchmarks.md')
  const document = readFileSync(file, 'utf8')
  writeFileSync(file, withFigures(document, readResults))
  const marked = new Set(
    [...document.matchAll(new RegExp(FIGURES, 'g'))].flatMap(([, names = '']) => names.split(', ')),
  )
  const unmarked = wanted.filter((name) => !marked.has(name))
  if (unmarked.length > 0)
    throw new Error(`docs/benchmarks.md has no mark for ${unmarked.join(', ')}, and does not show it.`)
}

/** Read `benchmarks/FOLDER/results/NAME.json` by the name `FOLDER/NAME`; `undefined` if the file is missing. */
export function readResults(name: string): Results | undefined {
  const file = join(ROOT, `${pathOf(name)}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : undefined
}

const pathOf = (name: string): string => `benchmarks/${name.replace('/', '/results/')}`

/** Replace the figures between the marks of a document. A mark names the results in its section. */
export function withFigures(document: string, read: (name: string) => Results | undefined): string {
  const worst: string[][] = []
  const all: { readonly section: string; readonly comparison: Comparison }[] = []
  const sections = document.split(/^(?=## )/m).map((section) =>
    section.replace(FIGURES, (_, names: string) => {
      const heading = section.slice(3, section.indexOf('\n'))
      const found = names.split(', ').flatMap((name) => {
        const results = read(name)
        return results === undefined ? [] : [{ name, ...results }]
      })
      const comparisons = worstFirst(found.flatMap((results) => results.comparisons))
      const link = `[${heading}](benchmarks.md#${heading.toLowerCase().replaceAll(' ', '-')})`
      all.push(...comparisons.slice(0, WORST_OF_SECTION).map((comparison) => ({ section: link, comparison })))
      return `\n${writeFigures(found, comparisons)}\n\n`
    }),
  )
  const lost = all.filter(({ comparison }) => timesOf(comparison) > 1)
  for (const { section, comparison } of lost.toSorted((a, b) => timesOf(b.comparison) - timesOf(a.comparison))) {
    const { what, unit, ours, floor, other } = comparison
    const best = [floor, other].find((beside) => beside !== undefined && ratioOf(beside) === timesOf(comparison))
    worst.push([section, escaped(what), written(ours, unit), writeBeside(best, unit), writeTimes(best)])
  }
  const list = table(
    ['benchmark', 'measured', 'Spillway', 'floor or best other', 'times'],
    worst.slice(0, WORST_ROWS),
    2,
  )
  return sections.join('').replace(WORST, () => `\n${list}\n\n`)
}

function writeFigures(
  results: readonly (Results & { readonly name: string })[],
  comparisons: readonly Comparison[],
): string {
  const hasFloor = comparisons.some(({ floor }) => floor !== undefined)
  const hasOther = comparisons.some(({ other }) => other !== undefined)
  const rows = comparisons
    .slice(0, ROWS)
    .map(({ what, unit, ours, floor, other }) => [
      escaped(what),
      written(ours, unit),
      ...(hasFloor ? [writeBeside(floor, unit), writeTimes(floor)] : []),
      ...(hasOther ? [writeBeside(other, unit), writeTimes(other)] : []),
    ])
  const heads = [
    'measured',
    'Spillway',
    ...(hasFloor ? ['floor', 'times'] : []),
    ...(hasOther ? ['best other', 'times'] : []),
  ]
  const links = results.map(({ name, title }) => `[${title}](../${pathOf(name)}.md)`)
  const sentences = [
    ...(comparisons.length > ROWS
      ? [`Rows that are left out because they are better: ${comparisons.length - ROWS}.`]
      : []),
    ...writeBounds(results),
    ...writeMachines(results),
    `Full tables: ${links.join(', ')}.`,
  ]
  return `${table(heads, rows)}\n\n${sentences.join(' ')}`
}

function writeBounds(results: readonly Results[]): readonly string[] {
  const bounds = results.flatMap((one) => one.bounds).filter(({ value }) => value !== undefined)
  const missed = bounds.filter(({ value = 0, most }) => value > most)
  if (bounds.length === 0) return []
  if (missed.length === 0) return [`All ${bounds.length} limits of the benchmark hold.`]
  const texts = missed.map(
    ({ name, value = 0, most, where, unit }) =>
      `${escaped(name)}: ${written(value, unit)}, limit ${written(most, unit)}${where === '' ? '' : ` (${escaped(where)})`}`,
  )
  return [`Missed ${missed.length} of ${bounds.length} limits of the benchmark: ${texts.join('; ')}.`]
}

function writeMachines(results: readonly Results[]): readonly string[] {
  const machines = results.flatMap(({ machine }) => machine ?? [])
  const byName = Map.groupBy(machines, ({ node, cores, cpu }) => `Node.js ${node} on ${cores} cores of ${cpu}`)
  return [...byName].map(([name, own]) => {
    const loads = new Set(own.flatMap(({ load }) => load?.toFixed(2) ?? []))
    return `Measured with ${name}${loads.size > 0 ? `, load at the start ${[...loads].join(', ')}` : ''}.`
  })
}

const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`)

function writeBeside(beside: Beside | undefined, unit: string): string {
  return beside === undefined ? '' : `${written(beside.value, unit)} (${escaped(beside.name)})`
}

function writeTimes(beside: Beside | undefined): string {
  if (beside === undefined) return ''
  const times = ratioOf(beside)
  if (times === Infinity) return '∞'
  return times >= 100 ? count(times) : times.toFixed(times >= 10 ? 1 : 2)
}

function written(value: number, unit = ''): string {
  const number = unit === '%' ? value.toFixed(1) : Number.isInteger(value) ? count(value) : f1(value)
  return unit === '' ? number : `${number} ${unit}`
}

if (import.meta.main) publish()
