import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { machine, save } from '../speed/lib.mjs'
import { boundsTable } from './bounds-table.ts'
import { replaceSection } from './replace-section.ts'
import type { Bound, Section } from './section.ts'
import { TaskError } from './task-error.ts'

const DOCUMENT = join(import.meta.dirname, '../../docs/benchmarks.md')

/** One thing that is measured. */
export interface Part<Options> {
  readonly title: string
  measure(options: Options): Promise<Section>
}

/** What a run measures, and where its tables go. */
export interface Run<Options> {
  /** The title of the report, of its section in the document, and in lower case the name of its files. */
  readonly title: string
  readonly parts: ReadonlyMap<string, Part<Options>>
  /** Names of the parts to measure; all where there are none. */
  readonly names: readonly string[]
  readonly options: Options
  /** What is said of the run itself, such as how often things were measured. */
  readonly remarks: readonly string[]
  /** The folder of `results/`. */
  readonly folder: string
  readonly tag: string | undefined
  /** Set where the tables go into docs/benchmarks.md: what stands before them, and which section follows theirs. */
  readonly publish: { readonly introduction: string; readonly before: string } | undefined
}

/** Measure part by part, print the tables and keep them; returns the bounds. A part that fails says so in its place. */
export async function runReport<Options>(run: Run<Options>): Promise<readonly Bound[]> {
  const names = run.names.length === 0 ? [...run.parts.keys()] : run.names
  const parts = names.map((name) => ({ name, ...partOf(run, name) }))
  const before = machine()
  const start = performance.now()
  const seconds = (): number => Math.round((performance.now() - start) / 1_000)
  const measured: (Section & { readonly name: string; readonly title: string })[] = []
  for (const { name, title, measure } of parts) {
    measured.push({ name, title, ...(await measureOrTell(() => measure(run.options))) })
    console.error(`${name}: ${seconds()} s`)
  }
  const frame = [
    `Node.js ${before.node}, ${before.cpu}, ${before.cores} cores, load at the start ${before.load.toFixed(2)}, ${seconds()} s.`,
    ...run.remarks,
  ]
  const bounds = measured.flatMap((section) => section.bounds)
  const allBounds = bounds.length > 0 ? [boundsTable(bounds)] : []
  const report = [
    `# ${run.title}`,
    ...frame,
    ...allBounds.flatMap((text) => ['## Bounds', text]),
    ...measured.flatMap((section) => [`## ${section.title}`, section.text]),
  ].join('\n\n')
  console.log(report)
  const figures = Object.fromEntries(measured.map((section) => [section.name, section.figures]))
  const file = parts.length === run.parts.size ? run.title.toLowerCase() : names.join('-')
  save(file, { machine: before, bounds, ...figures }, report, run.tag, join(run.folder, 'results'))
  if (run.publish !== undefined) {
    const published = [
      run.publish.introduction,
      ...frame,
      ...allBounds,
      ...measured.flatMap((section) => [`### ${section.title}`, section.summary ?? section.text]),
    ].join('\n\n')
    const document = readFileSync(DOCUMENT, 'utf8')
    writeFileSync(DOCUMENT, replaceSection(document, run.title, published, run.publish.before))
  }
  return bounds
}

function partOf<Options>({ parts }: Run<Options>, name: string): Part<Options> {
  const part = parts.get(name)
  if (part === undefined) throw new Error(`There is no part ${name}. Parts: ${[...parts.keys()].join(', ')}.`)
  return part
}

async function measureOrTell(measure: () => Promise<Section>): Promise<Section> {
  try {
    return await measure()
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    return { text: `Not measured: ${error.message}`, bounds: [], figures: null }
  }
}
