import type { HistoryMessage, HistoryReason, HistoryRole, MessageStatistics, PlannedMessage } from '@spillway/history'
import { lineOf, type Transcript } from '../transcript/transcript.ts'

/** What became of one message, for people. */
export interface MessageRow {
  /** Its place in the history, from 1. */
  readonly number: number
  readonly line: number | undefined
  readonly role: HistoryRole
  /** The tools that it calls, or whose result it is; empty where there is none. */
  readonly tool: string
  readonly before: number
  /** Undefined where nobody knows it, as in a plan. */
  readonly after: number | undefined
  readonly reason: HistoryReason
  readonly what: string
}

/** What a table says of a message; empty where nothing was to be done. */
const WHAT: Readonly<Record<HistoryReason, string>> = {
  'within-limits': '',
  compacted: 'reference',
  compressed: 'in the summary',
  system: '',
  recent: 'stays: recent',
  request: 'stays: request',
  'not-tool-content': '',
  'already-compacted': 'reference already',
  'not-smaller': 'stays: no smaller',
  'not-storable': 'stays: not storable',
  'store-failed': 'stays: not stored',
  'no-summarize': '',
  'summary-failed': 'stays: no summary',
  'too-little': 'stays: too little',
}

/** Say what became of messages. */
export function rowsOf(
  transcript: Transcript,
  messages: readonly HistoryMessage[],
  statistics: readonly MessageStatistics[],
  isOver: boolean,
): readonly MessageRow[] {
  return statistics.map(({ index, role, tokens: { before, after }, reason }) => ({
    number: index + 1,
    line: lineOf(transcript, index),
    role,
    tool: toolsOf(messages[index]),
    before,
    after,
    reason,
    what: isOver ? whatOf(reason, before, after) : '',
  }))
}

/** Say what would become of messages. */
export function plannedRows(
  transcript: Transcript,
  messages: readonly HistoryMessage[],
  planned: readonly PlannedMessage[],
): readonly MessageRow[] {
  return planned.map(({ index, role, tokens, action, reason }) => ({
    number: index + 1,
    line: lineOf(transcript, index),
    role,
    tool: toolsOf(messages[index]),
    before: tokens,
    after: action === 'keep' ? tokens : action === 'compress' ? 0 : undefined,
    reason,
    what: WHAT[reason],
  }))
}

function whatOf(reason: HistoryReason, before: number, after: number): string {
  if (reason === 'system') return after > before ? 'has the summary' : ''
  // A reference stays one, whatever came of the summary.
  return after > 0 && after < before ? WHAT.compacted : WHAT[reason]
}

function toolsOf(message: HistoryMessage | undefined): string {
  const names = message?.parts.map((part) =>
    part.type === 'tool-call' ? part.name : part.type === 'tool-result' ? part.toolName : '',
  )
  return [...new Set(names)].filter((name) => name !== '').join(', ')
}
