/**
 * Measures the MCP proxy and the server behind it, and prints the tables.
 *
 *   node mcp/run.ts [overhead large clients] [--quick] [--tag NAME] [--publish]
 *
 * `--publish` shows the results in docs/benchmarks.md.
 */
import type { Part } from '../report/run-report.ts'
import { runSynthetic, type SyntheticOptions } from '../report/run-synthetic.ts'
import { measureClients } from './measure-clients.ts'
import { measureLarge } from './measure-large.ts'
import { measureOverhead } from './measure-overhead.ts'

const PARTS = new Map<string, Part<SyntheticOptions>>([
  ['overhead', { title: 'Small results', measure: measureOverhead }],
  ['large', { title: 'Large results', measure: measureLarge }],
  ['clients', { title: 'Several clients', measure: measureClients }],
])

await runSynthetic({ title: 'MCP', parts: PARTS, folder: import.meta.dirname })
