import { join } from 'node:path'
import { machine, save } from '../speed/lib.mjs'
import { boundsTable } from './bounds-table.ts'
import { publish } from './publish.ts'
import type { Section } from './section.ts'
import { TaskError } from './task-error.ts'

/** One part of a benchmark. */
export interface Part<Options> {
  readonly title: string
  measure(options: Options): Promise<Section>
}

/** The parts of a run, and the place of its tables. */
export interface Run<Options> {
  readonly title: string
  readonly parts: ReadonlyMap<string, Part<Options>>
  /** Names of the parts to measure. An empty list means all parts. */
  readonly names: readonly string[]
  readonly options: Options
  /** Sentences about the run itself, for example the number of repetitions. */
  readonly remarks: readonly string[]
  /** The folder of `results/`, with one file for each part. */
  readonly folder: string
  readonly tag: string | undefined
  /** Whether docs/benchmarks.md shows the results. */
  readonly isPublished: boolean
}

/** Measure the parts one by one, print the tables, and save them. The error of a part that fails is only printed. */
export async function runReport<Options>(run: Run<Options>): Promise<void> {
  const names = run.names.length === 0 ? [...run.parts.keys()] : run.names
  for (const { name, title, measure } of names.map((name) => ({ name, ...partOf(run, name) }))) {
    const before = machine()
    const start = performance.now()
    const section = await measureOrTell(title, () => measure(run.options))
    if (section === undefined) continue
    const { text, bounds, comparisons = [], figures } = section
    const seconds = Math.round((performance.now() - start) / 1_000)
    const report = [
      `# ${run.title}: ${title}`,
      `Node.js ${before.node}, ${before.cpu}, ${before.cores} cores, load at the start ${before.load.toFixed(2)}, ${seconds} s.`,
      ...run.remarks,
      ...(bounds.length > 0 ? [boundsTable(bounds)] : []),
      text,
    ].join('\n\n')
    console.log(report)
    const results = {
      title: run.tag === undefined ? title : `${title}, ${run.tag}`,
      machine: before,
      bounds,
      comparisons,
      figures,
    }
    save(name, results, report, run.tag, join(run.folder, 'results'))
  }
  const file = (name: string): string => (run.tag === undefined ? name : `${name}-${run.tag}`)
  if (run.isPublished) publish(names.map((name) => `${run.title.toLowerCase()}/${file(name)}`))
}

function partOf<Options>({ parts }: Run<Options>, name: string): Part<Options> {
  const part = parts.get(name)
  if (part === undefined) throw new Error(`There is no part ${name}. Parts: ${[...parts.keys()].join(', ')}.`)
  return part
}

async function measureOrTell(title: string, measure: () => Promise<Section>): Promise<Section | undefined> {
  try {
    return await measure()
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    console.log(`Not measured: ${title}: ${error.message}`)
    return undefined
  }
}
