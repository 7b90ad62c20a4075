/**
 * Measures the HTTP service under load beside a plain echo, and prints the tables.
 *
 *   node server/run.ts [load limits] [--quick] [--tag NAME] [--publish]
 *
 * `--publish` writes the tables into docs/benchmarks.md.
 */
import type { Part } from '../report/run-report.ts'
import { runSynthetic, type SyntheticOptions } from '../report/run-synthetic.ts'
import { measureLimits, measureLoad } from './measure-load.ts'

const PARTS = new Map<string, Part<SyntheticOptions>>([
  ['load', { title: 'Under load', measure: measureLoad }],
  ['limits', { title: 'Over its limits', measure: measureLimits }],
])
const INTRODUCTION =
  'What does `spillway serve` bear? The tables are one run of `pnpm server` in `benchmarks/`: the service, the echo and the ' +
  'clients are processes of their own on the same machine, and share its cores.'

await runSynthetic({ title: 'Server', parts: PARTS, introduction: INTRODUCTION, folder: import.meta.dirname })
