import { join } from 'node:path'
import { machine, save } from '../speed/lib.mjs'
import { boundsTable } from './bounds-table.ts'
import { publish } from './publish.ts'
import type { Section } from './section.ts'
import { TaskError } from './task-error.ts'

/** One thing that is measured. */
export interface Part<Options> {
  readonly title: string
  measure(options: Options): Promise<Section>
}

/** What a run measures, and where its tables go. */
export interface Run<Options> {
  readonly title: string
  readonly parts: ReadonlyMap<string, Part<Options>>
  /** Names of the parts to measure. An empty list selects all parts. */
  readonly names: readonly string[]
  readonly options: Options
  /** Sentences about the run itself, such as how often things were measured. */
  readonly remarks: readonly string[]
  /** The folder of `results/`, where each part has a file of its name. */
  readonly folder: string
  readonly tag: string | undefined
  /** Whether docs/benchmarks.md shows the results. */
  readonly isPublished: boolean
}

/** Measure part by part, print the tables and save them. Prints the error of a part that fails, and saves nothing of it. */
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
