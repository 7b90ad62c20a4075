import type { HistoryMessage, HistoryObstacle, HistoryReason, HistoryRole, MessageStatistics } from '@spillway/history'
import { inOptionNames } from '../../cli-error.ts'
import { formatCount } from '../../output.ts'
import { lineOf, type Transcript } from '../transcript/transcript.ts'

export interface MessageRow {
  /** Number of the message, from 1. */
  readonly number: number
  readonly line: number | undefined
  readonly role: HistoryRole
  /** The called tools, or the tool of the result. Empty if the message has neither. */
  readonly tool: string
  readonly before: number
  readonly after: number
  readonly reason: HistoryReason
}

export function rowsOf(
  transcript: Transcript,
  messages: readonly HistoryMessage[],
  statistics: readonly MessageStatistics[],
): readonly MessageRow[] {
  return statistics.map(({ index, role, tokens: { before, after }, reason }) => {
    const line = lineOf(transcript, index)
    return { number: index + 1, line, role, tool: toolsOf(messages[index]), before, after, reason }
  })
}

function toolsOf(message: HistoryMessage | undefined): string {
  const names = message?.parts.map((part) =>
    part.type === 'tool-call' ? part.name : part.type === 'tool-result' ? part.toolName : '',
  )
  return [...new Set(names)].filter((name) => name !== '').join(', ')
}

const MAX_NUMBERS = 8

/** Describe the messages that keep a history over its limit, one line for each reason. */
export function describeObstacles(
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
export function explainObstacle({ explanation }: HistoryObstacle, noSummary: string | undefined): string {
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
