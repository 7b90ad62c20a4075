/**
 * Measures the HTTP service and a plain echo server under load, and prints the tables.
 *
 *   node server/run.ts [load limits calls processes] [--quick] [--tag NAME] [--publish]
 *
 * `--publish` shows the results in docs/benchmarks.md.
 */
import type { Part } from '../report/run-report.ts'
import { runSynthetic, type SyntheticOptions } from '../report/run-synthetic.ts'
import { measureCalls } from './measure-calls.ts'
import { measureLimits, measureLoad } from './measure-load.ts'
import { measureProcesses } from './measure-processes.ts'

const PARTS = new Map<string, Part<SyntheticOptions>>([
  ['load', { title: 'Under load', measure: measureLoad }],
  ['limits', { title: 'Over its limits', measure: measureLimits }],
  ['calls', { title: 'Single calls', measure: measureCalls }],
  ['processes', { title: 'Several processes', measure: measureProcesses }],
])

await runSynthetic({ title: 'Server', parts: PARTS, folder: import.meta.dirname })
