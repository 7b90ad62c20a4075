/**
 * Measures retrieval beside others and prints the tables.
 *
 *   node retrieval/run.ts [PART...] [--quick] [--ours MODULE] [--tag NAME] [--publish]
 *
 * `--publish` writes the main tables into docs/benchmarks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../adapters/table.ts'
import { machine, save } from '../speed/lib.mjs'
import { cleanUp } from './contents.ts'
import { measureAgain } from './measure-again.ts'
import { measureHostile } from './measure-hostile.ts'
import { measureIndex } from './measure-index.ts'
import { measureLarge } from './measure-large.ts'
import { measureOneLine } from './measure-one-line.ts'
import { measurePatterns } from './measure-patterns.ts'
import { measureRange } from './measure-range.ts'
import { measureSearch } from './measure-search.ts'
import { replaceSection } from './replace-section.ts'
import { runOptions, type RunOptions } from './run-options.ts'
import type { Bound, Section } from './section.ts'
import { TaskError } from './tasks.ts'

interface Part {
  readonly title: string
  measure(options: RunOptions): Promise<Section>
}

const PARTS = new Map<string, Part>([
  ['search', { title: 'Search', measure: measureSearch }],
  ['large', { title: 'Search of a gigabyte', measure: measureLarge }],
  ['index', { title: 'Search by an index', measure: measureIndex }],
  ['patterns', { title: 'Generated patterns', measure: measurePatterns }],
  ['range', { title: 'Lines', measure: measureRange }],
  ['one-line', { title: 'Hits in JSON on one line', measure: measureOneLine }],
  ['again', { title: 'A second question', measure: measureAgain }],
  ['hostile', { title: 'Hostile patterns', measure: measureHostile }],
])

const DOCUMENT = join(import.meta.dirname, '../../docs/benchmarks.md')
/** What stands before the tables in the document, and the section that follows them. */
const INTRODUCTION =
  'How long does a search of stored content take, what does it hold in memory and what does it read, beside other ways? ' +
  'The tables are one run of `pnpm retrieval` in `benchmarks/`; [how to read them](../benchmarks/retrieval/README.md).'
const NEXT_SECTION = 'Reproduce it'

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    ours: { type: 'string' },
    tag: { type: 'string' },
    publish: { type: 'boolean' },
  },
  allowPositionals: true,
})
const names = positionals.length === 0 ? [...PARTS.keys()] : positionals
const parts = names.map((name) => {
  const part = PARTS.get(name)
  if (part === undefined) throw new Error(`There is no part ${name}. Parts: ${[...PARTS.keys()].join(', ')}.`)
  return { name, ...part }
})
const options = runOptions(values.quick === true, resolve(values.ours ?? join(import.meta.dirname, 'ours.ts')))
const before = machine()
const start = performance.now()
const measured: (Section & { readonly name: string; readonly title: string })[] = []
try {
  for (const { name, title, measure } of parts) {
    measured.push({ name, title, ...(await measureOrTell(measure)) })
    console.error(`${name}: ${seconds()} s`)
  }
} finally {
  cleanUp()
}
const frame = [
  `Node.js ${before.node}, ${before.cpu}, ${before.cores} cores, load at the start ${before.load.toFixed(2)}, ${seconds()} s. ` +
    (options.isQuick ? 'A quick run: its figures prove nothing.' : `Medians of ${options.rounds}.`),
  ...(options.missing.length > 0 ? [`Not installed and left out: ${options.missing.join(', ')}.`] : []),
]
const bounds = measured.flatMap((section) => section.bounds)
const allBounds = bounds.length > 0 ? [boundsTable(bounds)] : []
const report = [
  '# Retrieval',
  ...frame,
  ...allBounds.flatMap((text) => ['## Bounds', text]),
  ...measured.flatMap((section) => [`## ${section.title}`, section.text]),
].join('\n\n')
console.log(report)
const results = join(import.meta.dirname, 'results')
const figures = Object.fromEntries(measured.map((section) => [section.name, section.figures]))
const title = parts.length === PARTS.size ? 'retrieval' : names.join('-')
save(title, { machine: before, bounds, ...figures }, report, values.tag, results)
if (values.publish === true) {
  const published = [
    INTRODUCTION,
    ...frame,
    ...allBounds,
    ...measured.flatMap((section) => [`### ${section.title}`, section.summary ?? section.text]),
  ].join('\n\n')
  writeFileSync(DOCUMENT, replaceSection(readFileSync(DOCUMENT, 'utf8'), 'Retrieval', published, NEXT_SECTION))
}

function seconds(): number {
  return Math.round((performance.now() - start) / 1_000)
}

/** A part that could not be measured says so in its place. */
async function measureOrTell(measure: Part['measure']): Promise<Section> {
  try {
    return await measure(options)
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    return { text: `Not measured: ${error.message}`, bounds: [], figures: null }
  }
}

function boundsTable(all: readonly Bound[]): string {
  const rows = all.map(({ name, most, value, where, unit }) => {
    const written = (number: number): string =>
      `${Number(number.toPrecision(3))}${unit === undefined ? '' : ` ${unit}`}`
    const verdict = value === undefined ? '' : value <= most ? 'holds' : '**missed**'
    return [name, where, value === undefined ? 'not measured' : written(value), written(most), verdict]
  })
  return table(['bound', 'worst', 'measured', 'at most', ''], rows, 2)
}
