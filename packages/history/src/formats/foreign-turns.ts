import type {
  HistoryMessage,
  HistoryPart,
  HistoryReasoning,
  HistoryRole,
  HistoryToolCall,
  HistoryToolResult,
} from '../history-message.ts'

/** A part of a message of another format, and where it stands. */
export interface PlacedPart<Part = HistoryPart> {
  readonly part: Part
  /** Such as `messages[3].parts[0]`, for errors. */
  readonly place: string
}

/** A part of what somebody has said. */
type SpokenPart = Exclude<HistoryPart, HistoryToolResult | HistoryReasoning>

/** What one side says at once, as APIs demand it: all calls of a turn in one message, and their results right after. */
export type ForeignTurn =
  | { readonly role: Exclude<HistoryRole, 'tool'>; readonly parts: PlacedPart<SpokenPart>[] }
  | { readonly role: 'tool'; readonly parts: PlacedPart<HistoryToolResult>[] }

type ToolTurn = Extract<ForeignTurn, { role: 'tool' }>
type SpokenTurn = Exclude<ForeignTurn, ToolTurn>

/**
 * Put messages of other formats into the order that all APIs accept.
 *
 * Messages of the model that follow each other become one, each result goes to the turn right after its call, and what a
 * model thought is left out, as only its own API can check it.
 *
 * @param skipsEmpty - Whether texts of nothing but white space are left out, which some APIs refuse.
 *
 * @param start - The position of the first of them among all, for errors.
 *
 * @example
 * ```ts
 * import { foreignTurns } from '@spillway/history/format'
 *
 * const turns = foreignTurns([{ role: 'user', parts: [{ type: 'text', text: 'Why did the build fail?' }] }], 0)
 * console.assert(turns[0]?.role === 'user')
 * ```
 */
export function foreignTurns(
  messages: readonly HistoryMessage[],
  start: number,
  { skipsEmpty = false }: { readonly skipsEmpty?: boolean | undefined } = {},
): ForeignTurn[] {
  const turns: ForeignTurn[] = []
  const turnOfCall = new Map<string, ToolTurn>()
  let speaking: SpokenTurn | undefined
  let answers: ToolTurn | undefined

  function speak(role: SpokenTurn['role']): SpokenTurn {
    if (role === 'assistant' && speaking !== undefined) return speaking
    const turn: SpokenTurn = { role, parts: [] }
    speaking = role === 'assistant' ? turn : undefined
    answers = undefined
    turns.push(turn)
    return turn
  }

  function answer(): ToolTurn {
    if (answers !== undefined) return answers
    answers = { role: 'tool', parts: [] }
    turns.push(answers)
    return answers
  }

  for (const [index, { role, parts }] of messages.entries()) {
    let turn = !skipsEmpty && (role === 'user' || role === 'system') ? speak(role) : undefined
    for (const [at, part] of parts.entries()) {
      const place = `messages[${start + index}].parts[${at}]`
      if (part.type === 'reasoning' || (skipsEmpty && part.type === 'text' && part.text.trim() === '')) continue
      if (part.type === 'tool-result') {
        const own = turnOfCall.get(part.callId) ?? answer()
        own.parts.push({ part, place })
        if (own === answers) speaking = undefined
        continue
      }
      turn ??= speak(role === 'tool' ? 'user' : role)
      turn.parts.push({ part, place })
      if (part.type === 'tool-call') turnOfCall.set(part.id, answer())
    }
  }
  return turns.filter((turn) => turn.role === 'user' || turn.role === 'system' || turn.parts.length > 0)
}

/** A part that is content, as pieces of results are. */
type SpokenContent = Exclude<SpokenPart, HistoryToolCall>

/**
 * Tell calls from what is said beside them.
 *
 * @example
 * ```ts
 * import { splitTurn } from '@spillway/history/format'
 *
 * const call = { type: 'tool-call', id: 'call_1', name: 'read_log', input: {}, inputIsText: false } as const
 * const { calls, content } = splitTurn([{ part: call, place: 'messages[0].parts[0]' }])
 * console.assert(calls.length === 1 && content.length === 0)
 * ```
 */
export function splitTurn(parts: readonly PlacedPart<SpokenPart>[]): {
  readonly content: readonly PlacedPart<SpokenContent>[]
  readonly calls: readonly PlacedPart<HistoryToolCall>[]
} {
  const content: PlacedPart<SpokenContent>[] = []
  const calls: PlacedPart<HistoryToolCall>[] = []
  for (const { part, place } of parts) {
    if (part.type === 'tool-call') calls.push({ part, place })
    else content.push({ part, place })
  }
  return { content, calls }
}
