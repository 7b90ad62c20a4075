/**
 * Measures the HTTP service under load beside a plain echo, and prints the tables.
 *
 *   node server/run.ts [load limits] [--quick] [--tag NAME] [--publish]
 *
 * `--publish` writes the tables into docs/benchmarks.md.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runReport, type Part } from '../report/run-report.ts'
import { DATA } from '../speed/lib.mjs'
import { measureLimits, measureLoad, type LoadOptions } from './measure-load.ts'

const PARTS = new Map<string, Part<LoadOptions>>([
  ['load', { title: 'Under load', measure: measureLoad }],
  ['limits', { title: 'Over its limits', measure: measureLimits }],
])
const INTRODUCTION =
  'What does `spillway serve` bear? The tables are one run of `pnpm server` in `benchmarks/`: the service, the echo and the ' +
  'clients are processes of their own on the same machine, and share its cores.'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, tag: { type: 'string' }, publish: { type: 'boolean' } },
  allowPositionals: true,
})
const isQuick = values.quick === true
mkdirSync(DATA, { recursive: true })
await runReport({
  title: 'Server',
  parts: PARTS,
  names: positionals,
  options: { isQuick },
  remarks: isQuick ? ['A quick run: its figures prove nothing.'] : [],
  folder: isQuick ? DATA : import.meta.dirname,
  tag: values.tag,
  publish: values.publish === true ? { introduction: INTRODUCTION, before: 'Reproduce it' } : undefined,
})
