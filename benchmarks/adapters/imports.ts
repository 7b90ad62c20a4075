import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { quantile } from '../report/quantile.ts'

/** Time and modules for loading an entry point. */
export interface ImportRow {
  readonly entry: string
  readonly modules: number
  readonly milliseconds: number
  /** Loaded packages by name, with their numbers of modules. */
  readonly packages: Readonly<Record<string, number>>
}

/** Each framework, and the entry points of its adapter. */
const ENTRIES: readonly (readonly string[])[] = [
  ['@spillway/core'],
  ['ai'],
  ['ai', '@spillway/ai-sdk'],
  ['langchain'],
  ['langchain', '@spillway/langchain'],
  ['deepagents'],
  ['deepagents', '@spillway/langchain/deepagents'],
  ['@mastra/core/agent'],
  ['@mastra/core/agent', '@spillway/mastra'],
  ['@google/adk'],
  ['@google/adk', '@spillway/google-adk'],
  ['@anthropic-ai/sdk'],
  ['@anthropic-ai/sdk', '@spillway/anthropic'],
  ['@anthropic-ai/claude-agent-sdk'],
  ['@anthropic-ai/claude-agent-sdk', '@spillway/claude-agent-sdk'],
  ['@spillway/claude-agent-sdk/hook'],
  ['@strands-agents/sdk'],
  ['@strands-agents/sdk', '@spillway/strands'],
  ['@openai/agents'],
  ['@openai/agents', '@spillway/openai-agents'],
  ['genkit'],
  ['genkit', '@spillway/genkit'],
  ['@voltagent/core'],
  ['@voltagent/core', '@spillway/voltagent'],
  ['@llamaindex/workflow'],
  ['@llamaindex/workflow', '@spillway/core', '@spillway/core/adapter'],
]

/** Load each entry point in fresh processes. Returns medians. */
export async function measureImports(rounds: number): Promise<readonly ImportRow[]> {
  const script = join(import.meta.dirname, 'imports-process.mjs')
  const samples = new Map<string, ImportRow[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const specifiers of ENTRIES) {
      const { stdout } = await promisify(execFile)(process.execPath, [script, ...specifiers])
      const entry = specifiers.join(' and ')
      const sample = { entry, ...(JSON.parse(stdout) as Omit<ImportRow, 'entry'>) }
      samples.set(entry, [...(samples.get(entry) ?? []), sample])
    }
  }
  return [...samples.values()].flatMap((rows) => {
    const [row] = rows
    return row === undefined
      ? []
      : [
          {
            ...row,
            milliseconds: quantile(
              rows.map((one) => one.milliseconds),
              0.5,
            ),
          },
        ]
  })
}

/** Return the packages that only the first row has. */
export function addedPackages(row: ImportRow, base: ImportRow): readonly string[] {
  return Object.keys(row.packages).filter((name) => !(name in base.packages))
}
