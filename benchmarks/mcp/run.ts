/**
 * Measures the MCP proxy beside the server that it stands in front of, and prints the tables.
 *
 *   node mcp/run.ts [overhead large] [--quick] [--tag NAME] [--publish]
 *
 * `--publish` writes the tables into docs/benchmarks.md.
 */
import type { Part } from '../report/run-report.ts'
import { runSynthetic, type SyntheticOptions } from '../report/run-synthetic.ts'
import { measureLarge } from './measure-large.ts'
import { measureOverhead } from './measure-overhead.ts'

const PARTS = new Map<string, Part<SyntheticOptions>>([
  ['overhead', { title: 'Small results', measure: measureOverhead }],
  ['large', { title: 'Large results', measure: measureLarge }],
])
const INTRODUCTION =
  'What does `spillway mcp proxy` cost? The tables are one run of `pnpm mcp` in `benchmarks/`, with the server, the client ' +
  'and the transport of the MCP SDK 1 on either side of it.'

await runSynthetic({ title: 'MCP', parts: PARTS, introduction: INTRODUCTION, folder: import.meta.dirname })
