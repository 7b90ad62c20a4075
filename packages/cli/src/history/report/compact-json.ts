import { describeError } from '../../cli-error.ts'
import type { Compacted } from '../compact-transcript.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { explainObstacle } from './message-row.ts'

/** Describe a compaction for scripts. Messages are numbered from 1. A message that compaction created has no number. */
export function compactJson(
  transcript: Transcript,
  compacted: Compacted,
  output: string | undefined,
): Record<string, unknown> {
  const { rows, outcome, noSummary } = compacted
  const common = { file: transcript.path, format: transcript.format.name, layout: transcript.layout.kind }
  const messages = rows.map(({ number, line, role, tool, before, after, reason }) => ({
    number,
    line: line ?? null,
    role,
    tool: tool === '' ? null : tool,
    before,
    after,
    reason,
  }))
  const { applied, tokens, fits, obstacles, unchanged, stored, failures } = outcome
  return {
    ...common,
    applied,
    tokens,
    fits,
    obstacles: obstacles.map((obstacle) => ({
      number: numberOf(obstacle.index),
      line: rows[obstacle.index]?.line ?? null,
      tokens: obstacle.tokens.after,
      reason: obstacle.reason,
      explanation: explainObstacle(obstacle, noSummary),
    })),
    unchanged,
    stored: stored.map(({ index, ...item }) => ({ ...item, number: numberOf(index) })),
    failures: failures.map((failure) => ({
      step: failure.step,
      number: numberOf(failure.index),
      ...(failure.step === 'summarize' && { reason: failure.reason }),
      ...(failure.error !== undefined && { error: describeError(failure.error).message }),
    })),
    output: output ?? null,
    messages,
  }
}

const numberOf = (index: number): number | null => (index < 0 ? null : index + 1)
