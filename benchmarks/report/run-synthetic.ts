import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { useBuiltPackages } from '../built-packages.ts'
import { DATA } from '../speed/lib.mjs'
import { runReport, type Part } from './run-report.ts'

/** How much is measured. */
export interface SyntheticOptions {
  /** Whether a run only shows that everything works. */
  readonly isQuick: boolean
}

/** A benchmark that makes up what it measures with. */
export interface SyntheticRun {
  readonly title: string
  readonly parts: ReadonlyMap<string, Part<SyntheticOptions>>
  /** The folder of `results/`; a quick run writes to that of temporary data. */
  readonly folder: string
}

/** Run a benchmark as its arguments say: `[part…] [--quick] [--tag NAME] [--publish]`. */
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
