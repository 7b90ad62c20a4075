import type { HistoryMessage } from '../history-message.ts'
import { conversationUnits, cutBeforeUnit } from './conversation-units.ts'

/**
 * Return where the last `keepRecent` messages begin, system messages not counted, and calls not parted from results.
 *
 * Unless none are kept, results that no model has seen are among them, however many messages follow them.
 */
export function recentStart(messages: readonly HistoryMessage[], keepRecent: number): number {
  if (keepRecent === 0) return messages.length
  let start = messages.length
  for (let left = keepRecent; left > 0 && start > 0;) {
    start -= 1
    if (messages[start]?.role !== 'system') left -= 1
  }
  const answered = messages.findLastIndex(({ role }) => role === 'assistant')
  const unseen = messages.findIndex(({ parts }, index) => index > answered && parts.some(isResult))
  return cutBeforeUnit(conversationUnits(messages), unseen < 0 ? start : Math.min(start, unseen))
}

const isResult = ({ type }: HistoryMessage['parts'][number]): boolean => type === 'tool-result'
