import * as aiSdk from './overhead/ai-sdk.ts'
import * as anthropic from './overhead/anthropic.ts'
import * as claudeAgentSdk from './overhead/claude-agent-sdk.ts'
import * as core from './overhead/core.ts'
import * as genkit from './overhead/genkit.ts'
import * as googleAdk from './overhead/google-adk.ts'
import * as langchain from './overhead/langchain.ts'
import * as mastra from './overhead/mastra.ts'
import * as llamaindex from './overhead/llamaindex.ts'
import type { OverheadCase } from './overhead/overhead-case.ts'
import * as openaiAgents from './overhead/openai-agents.ts'
import * as strands from './overhead/strands.ts'
import * as voltagent from './overhead/voltagent.ts'

const FRAMEWORKS = [
  core,
  aiSdk,
  langchain,
  anthropic,
  claudeAgentSdk,
  googleAdk,
  strands,
  openaiAgents,
  genkit,
  voltagent,
  mastra,
  llamaindex,
]

/** The kind of {@link smallResults} that is used in whole runs. */
export const SHOWN_RESULT = 'text, 2,000 characters'

const lines = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `2026-01-01T00:00:${index % 60} INFO payments request ${index} took 12 ms\n`,
  ).join('')

/** A result that is offloaded. */
export const LARGE_RESULT = 'text, 20,000 characters'
export const largeResult = (): string => lines(360)

/** Results that are not offloaded: lines of a log, or records. */
export function smallResults(): Readonly<Record<string, string | object>> {
  const record = (id: number): object => ({ id, name: `user${id}`, plan: 'free', tags: ['a', 'b'], seen: null })
  return {
    'text, 200 characters': lines(4),
    'text, 2,000 characters': lines(38),
    'text, 5,000 characters': lines(94),
    'JSON, 200 characters': Array.from({ length: 3 }, (_, id) => record(id)),
    'JSON, 2,000 characters': Array.from({ length: 28 }, (_, id) => record(id)),
  }
}

/** Cases that call the hooks of the adapters directly, and cases that call the same code without the hooks. */
export function directCases(output: string | object): readonly OverheadCase[] {
  return FRAMEWORKS.flatMap((framework) => framework.directCases(output))
}

/** Cases of whole runs with several small results each. `history` is the number of messages before the run. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  return FRAMEWORKS.flatMap((framework) => framework.loopCases(history, output))
}
