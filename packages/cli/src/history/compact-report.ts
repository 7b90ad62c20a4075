import { basename } from 'node:path'
import type { HistoryObstacle } from '@spillway/history'
import { describeError, inOptionNames } from '../cli-error.ts'
import { countOf, formatBytes, formatCount, printable, style } from '../output.ts'
import type { Compacted, MessageRow } from './compact-transcript.ts'
import type { Transcript } from './transcript/transcript.ts'

/** Describe a compaction for people: token counts, and the reasons why a history exceeds its limit. */
export function compactReport(transcript: Transcript, compacted: Compacted, output: string | undefined): string {
  const lines = [heading(transcript), ...conclusion(compacted), ...whereTo(compacted, output)]
  return lines.map((line) => `${line}\n`).join('')
}

function heading({ path, format, layout, messages, lines, size, notes }: Transcript): string {
  const where = layout.kind === 'document' ? '' : ` on ${countOf(lines, 'line')}`
  const what = `${printable(basename(path))}: ${format.title}, ${countOf(messages.length, 'message')}${where}, ${formatBytes(size)}.`
  return [what, ...notes].join(' ')
}

function conclusion({ outcome, rows, noSummary }: Compacted): readonly string[] {
  const { before, after, limit } = outcome.tokens
  if (before <= limit)
    return [`${formatCount(before)} tokens: within the limit of ${formatCount(limit)}. Nothing needs to be done.`]
  const [isSame, room] = [outcome.applied.length === 0, `the limit of ${formatCount(limit)}`]
  const change = isSame
    ? `${formatCount(before)} tokens, and nothing that could be removed`
    : `${formatCount(before)} tokens became ${formatCount(after)}, ${Math.round((after / before) * 100)} %`
  if (outcome.fits) return [`${change}. It fits ${room}.`]
  return [
    `${change}. ${style('bold', `It does not fit ${room}.`)}`,
    ...describeObstacles(outcome.obstacles, rows, noSummary).map((line) => `  ${line}`),
  ]
}

function whereTo({ outcome }: Compacted, output: string | undefined): readonly string[] {
  const lines: string[] = []
  if (outcome.applied.length > 0) {
    const bytes = outcome.stored.reduce((sum, { size }) => sum + size, 0)
    const stored = `${countOf(outcome.stored.length, 'original')} of ${formatBytes(bytes)}`
    lines.push(
      output === undefined
        ? `Nothing is written. --output FILE stores ${stored} and writes the transcript.`
        : `Stored ${stored}. Written to ${printable(output)}.`,
    )
  } else if (output !== undefined) lines.push(`Written to ${printable(output)} unchanged.`)
  return lines
}

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

const MAX_NUMBERS = 8

/** Describe the messages that keep a history over its limit, one line for each reason. */
function describeObstacles(
  obstacles: readonly HistoryObstacle[],
  rows: readonly MessageRow[],
  noSummary: string | undefined,
): readonly string[] {
  return [...Map.groupBy(obstacles, ({ reason }) => reason).values()].map((group) => {
    const tokens = group.reduce((sum, { tokens: { after } }) => sum + after, 0)
    const visible = group.slice(0, MAX_NUMBERS).map(({ index }) => nameOf(rows[index], index))
    const rest = group.length - visible.length
    const numbers = `${visible.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`
    const why = explainObstacle(group[0]!, noSummary)
    return `${group.length === 1 ? 'Message' : 'Messages'} ${numbers} (${formatCount(tokens)} tokens): ${why}`
  })
}

/** Explain an obstacle in terms of command-line options. Suggests a summary only if one is possible. */
function explainObstacle({ explanation }: HistoryObstacle, noSummary: string | undefined): string {
  const said = inOptionNames(explanation)
  if (noSummary === undefined || !said.includes('--model')) return said
  const retained = said.split(/(?<=\.) /).filter((sentence) => !sentence.includes('--model'))
  const advice = 'Lower --max-tool-message-tokens, or raise --max-total-tokens.'
  return [...retained, `The history cannot be summarized, because ${noSummary}.`, advice].join(' ')
}

function nameOf(row: MessageRow | undefined, index: number): string {
  if (index < 0) return 'of the summary'
  return row?.line === undefined ? String(index + 1) : `${row.number} on line ${row.line}`
}
