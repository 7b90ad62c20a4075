/**
 * Measures the MCP proxy beside the server that it stands in front of, and prints the tables.
 *
 *   node mcp/run.ts [overhead large] [--quick] [--tag NAME] [--publish]
 *
 * `--publish` writes the tables into docs/benchmarks.md.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runReport, type Part } from '../report/run-report.ts'
import { DATA } from '../speed/lib.mjs'
import { measureLarge } from './measure-large.ts'
import { measureOverhead } from './measure-overhead.ts'

const PARTS = new Map<string, Part<{ readonly isQuick: boolean }>>([
  ['overhead', { title: 'Small results', measure: measureOverhead }],
  ['large', { title: 'Large results', measure: measureLarge }],
])
const INTRODUCTION =
  'What does `spillway mcp proxy` cost? The tables are one run of `pnpm mcp` in `benchmarks/`, with the server, the client ' +
  'and the transport of the MCP SDK 1 on either side of it.'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, tag: { type: 'string' }, publish: { type: 'boolean' } },
  allowPositionals: true,
})
const isQuick = values.quick === true
mkdirSync(DATA, { recursive: true })
await runReport({
  title: 'MCP',
  parts: PARTS,
  names: positionals,
  options: { isQuick },
  remarks: isQuick ? ['A quick run: its figures prove nothing.'] : [],
  folder: isQuick ? DATA : import.meta.dirname,
  tag: values.tag,
  publish: values.publish === true ? { introduction: INTRODUCTION, before: 'Reproduce it' } : undefined,
})
