import type { HistoryObstacle, HistoryReason } from '@spillway/history'
import { formatCount } from '../../format.ts'
import { inOptionNames } from '../../option-names.ts'
import type { MessageRow } from './message-row.ts'

const MAX_NUMBERS = 8

/**
 * Say which messages keep a history from its limit and why, those of one reason in one line.
 *
 * @param noSummary - Why the transcript cannot have a summary; undefined where it can.
 */
export function describeObstacles(
  obstacles: readonly HistoryObstacle[],
  rows: readonly MessageRow[],
  noSummary: string | undefined,
): readonly string[] {
  const byReason = new Map<HistoryReason, HistoryObstacle[]>()
  for (const obstacle of obstacles) byReason.set(obstacle.reason, [...(byReason.get(obstacle.reason) ?? []), obstacle])
  return [...byReason.values()].map((group) => {
    const tokens = group.reduce((sum, { tokens: { after } }) => sum + after, 0)
    const shown = group.slice(0, MAX_NUMBERS).map(({ index }) => nameOf(rows[index], index))
    const rest = group.length - shown.length
    const numbers = `${shown.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`
    const why = explainObstacle(group[0]!, noSummary)
    return `${group.length === 1 ? 'Message' : 'Messages'} ${numbers} (${formatCount(tokens)} tokens): ${why}`
  })
}

/** Say with options of the command line why a message is not smaller; a summary is not advised where there can be none. */
export function explainObstacle({ explanation }: HistoryObstacle, noSummary: string | undefined): string {
  const said = inOptionNames(explanation)
  if (noSummary === undefined || !said.includes('--model')) return said
  const kept = said.split(/(?<=\.) /).filter((sentence) => !sentence.includes('--model'))
  const advice = 'Lower --max-tool-message-tokens, or raise --max-total-tokens.'
  return [...kept, `It cannot be summarised, as ${noSummary}.`, advice].join(' ')
}

function nameOf(row: MessageRow | undefined, index: number): string {
  if (index < 0) return 'of the summary'
  return row?.line === undefined ? String(index + 1) : `${row.number} on line ${row.line}`
}
