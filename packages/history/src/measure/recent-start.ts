import type { HistoryMessage } from '../history-message.ts'

/** Return the start of the last `keepRecent` messages without system messages, or of earlier unseen results. */
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

interface ConversationUnit {
  readonly start: number
  readonly end: number
}

/**
 * Split a history into units, the smallest groups that must stay together: calls with results, and reasoning with its
 * message.
 *
 * If ids repeat, a result belongs to the latest call before it. If results are missing, all messages with that id stay
 * together.
 */
export function conversationUnits(messages: readonly HistoryMessage[]): ConversationUnit[] {
  // For each message, the position of the last message that must stay with the message.
  const reach = Array.from(messages, (_, index) => index)
  const link = (from: number, to: number): void => void (reach[from] = Math.max(reach[from]!, to))
  for (const [index, { role, parts }] of messages.entries()) {
    // In some APIs, reasoning is a separate item before its message.
    const isThought = role === 'assistant' && parts.length > 0 && parts.every(({ type }) => type === 'reasoning')
    if (isThought && messages[index + 1]?.role === 'assistant') link(index, index + 1)
    // In some APIs, parallel calls are separate items.
    else if (callsOnly(messages[index]) && callsOnly(messages[index + 1])) link(index, index + 1)
  }
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
  for (const uses of usesById(messages).values()) {
    for (const { call, results } of uses) if (call !== undefined) link(call, results.at(-1) ?? call)
    const isIncomplete = uses.some(
      ({ call, results }) => call === undefined || (results.length === 0 && call < lastAnswer),
    )
    const [first, last] = [uses[0]!, uses.at(-1)!]
    if (isIncomplete) link(first.call ?? first.results[0]!, last.results.at(-1) ?? last.call ?? 0)
  }
  const units: ConversationUnit[] = []
  for (let start = 0; start < messages.length;) {
    let last = start
    for (let index = start; index <= last; index++) last = Math.max(last, reach[index] ?? index)
    units.push({ start, end: last + 1 })
    start = last + 1
  }
  return units
}

interface CallUse {
  readonly call: number | undefined
  readonly results: number[]
}

function usesById(messages: readonly HistoryMessage[]): ReadonlyMap<string, readonly CallUse[]> {
  const uses = new Map<string, CallUse[]>()
  for (const [index, { parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue
      const id = part.type === 'tool-call' ? part.id : part.callId
      const usesOfId = uses.get(id) ?? []
      uses.set(id, usesOfId)
      if (part.type === 'tool-call') usesOfId.push({ call: index, results: [] })
      else if (usesOfId.length === 0) usesOfId.push({ call: undefined, results: [index] })
      else usesOfId.at(-1)!.results.push(index)
    }
  }
  return uses
}

const callsOnly = (message: HistoryMessage | undefined): boolean =>
  message !== undefined && message.parts.length > 0 && message.parts.every(({ type }) => type === 'tool-call')

/** If a cut would split a unit, move it to the start of the unit. */
export function cutBeforeUnit(units: readonly ConversationUnit[], at: number): number {
  return units.find(({ start, end }) => start < at && at < end)?.start ?? at
}
