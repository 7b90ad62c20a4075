import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { useBuiltPackages } from '../built-packages.ts'
import { DATA } from '../speed/lib.mjs'
import { runReport, type Part } from './run-report.ts'

/** The size of a run. */
export interface SyntheticOptions {
  /** Whether the run only checks that everything works. */
  readonly isQuick: boolean
}

/** A benchmark with generated inputs. */
export interface SyntheticRun {
  readonly title: string
  readonly parts: ReadonlyMap<string, Part<SyntheticOptions>>
  /** The folder of `results/`. A quick run writes to a temporary folder instead. */
  readonly folder: string
}

/** Run a benchmark according to its arguments: `[part…] [--quick] [--tag NAME] [--publish]`. */
export async function runSynthetic({ title, parts, folder }: SyntheticRun): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean' }, tag: { type: 'string' }, publish: { type: 'boolean' } },
    allowPositionals: true,
  })
  const isQuick = values.quick === true
  if (!isQuick) useBuiltPackages()
  mkdirSync(DATA, { recursive: true })
  await runReport({
    title,
    parts,
    names: positionals,
    options: { isQuick },
    remarks: isQuick ? ['A quick run: its figures prove nothing.'] : [],
    folder: isQuick ? DATA : folder,
    tag: values.tag,
    isPublished: values.publish === true,
  })
}
