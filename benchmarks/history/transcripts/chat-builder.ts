import { assistantMessage, toolCall, type ChatMessage, type ChatToolCall } from '../chat/chat-message.ts'

/** A recorded step of a transcript, in the order of the file. `later_use` refers to the positions of steps. */
export interface Step {
  /** Index of the message with this step; absent if no model saw the step. */
  readonly message: number | undefined
  /** The recorded text of a tool result; absent for other steps. If its call is missing, the result has no message. */
  readonly result?: string
}

/** The messages and steps of a file. */
export interface ReadChat {
  readonly messages: readonly ChatMessage[]
  readonly steps: readonly Step[]
}

interface Turn {
  /** The id of the model's message, if the format has one. */
  readonly id: string | undefined
  readonly texts: string[]
  readonly calls: ChatToolCall[]
  readonly results: Result[]
}
interface Result {
  readonly callId: string
  readonly content: string
}
type Entry = Turn | { readonly role: 'system' | 'user'; readonly content: string }
/** The future place of a step: in an entry, or in one of its results. */
type Place = { readonly entry: Entry } | { readonly entry: Turn; readonly result: Result } | undefined

/** Builds messages from recorded steps. Results follow the turn of their calls, even if other steps are between. */
export class ChatBuilder {
  readonly #entries: Entry[] = []
  readonly #turns = new Map<string, Turn>()
  readonly #steps: { readonly place: Place; readonly result?: string }[] = []
  #made = 0

  /** Add a message of the system or the user, as one step. */
  say(role: 'system' | 'user', content: string): void {
    const entry = { role, content }
    this.#entries.push(entry)
    this.#steps.push({ place: { entry } })
  }

  /** Add text of the model, as one step. The text is added to the turn with this id, if that is the latest turn. */
  write(text: string, turnId?: string): void {
    const entry = this.#turn(turnId)
    if (text !== '') entry.texts.push(text)
    this.#steps.push({ place: { entry } })
  }

  /** Add a call, as one step unless it belongs to a text. If the id is missing, one is created. Returns the id. */
  call(
    call: { readonly id?: string; readonly name: string; readonly input: unknown },
    turnId?: string,
    isStep = true,
  ): string {
    const entry = this.#turn(turnId)
    const id = call.id ?? `call_${(this.#made += 1)}`
    entry.calls.push(toolCall(id, call.name, call.input))
    this.#turns.set(id, entry)
    if (isStep) this.#steps.push({ place: { entry } })
    return id
  }

  /**
   * Add the result of a call, as one step. `recorded` is the recorded text of the result; `null` if it is not text.
   *
   * A result before the first call is left out: the file begins within a session. Later results without a call throw.
   */
  result(callId: string, content: string, recorded: string | null = content): void {
    const turn = this.#turns.get(callId)
    if (turn === undefined && this.#turns.size > 0) throw new Error(`The result ${callId} has no call.`)
    const added = { callId, content }
    turn?.results.push(added)
    const place = turn && { entry: turn, result: added }
    this.#steps.push({ place, ...(recorded !== null && { result: recorded }) })
  }

  /** Count a step that the model did not see, or that is already part of another step. */
  skip(): void {
    this.#steps.push({ place: undefined })
  }

  /** Return the id of the latest call in the current turn, if it still waits for a result. */
  openCall(): string | undefined {
    const last = this.#entries.at(-1)
    if (last === undefined || 'role' in last) return undefined
    return last.calls.find(({ id }) => !last.results.some(({ callId }) => callId === id))?.id
  }

  build(): ReadChat {
    const messages: ChatMessage[] = []
    const starts = new Map<Entry, number>()
    for (const entry of this.#entries) {
      starts.set(entry, messages.length)
      if ('role' in entry) messages.push(entry)
      else {
        messages.push(assistantMessage(entry.texts.join('\n\n'), entry.calls))
        for (const { callId, content } of inOrderOfCalls(entry))
          messages.push({ role: 'tool', tool_call_id: callId, content })
      }
    }
    const indexOf = (place: Place): number | undefined => {
      const start = place === undefined ? undefined : starts.get(place.entry)
      if (start === undefined || place === undefined || !('result' in place)) return start
      return start + 1 + inOrderOfCalls(place.entry).indexOf(place.result)
    }
    const steps = this.#steps.map(({ place, result }) => ({
      message: indexOf(place),
      ...(result !== undefined && { result }),
    }))
    return { messages, steps }
  }

  #turn(id: string | undefined): Turn {
    const last = this.#entries.findLast((entry): entry is Turn => !('role' in entry))
    if (last !== undefined && id !== undefined && last.id === id) return last
    const turn: Turn = { id, texts: [], calls: [], results: [] }
    this.#entries.push(turn)
    return turn
  }
}

/** Return results in the order of their calls, like frameworks write them. */
function inOrderOfCalls({ calls, results }: Turn): readonly Result[] {
  const places = new Map(calls.map(({ id }, index) => [id, index]))
  return results.toSorted((a, b) => (places.get(a.callId) ?? 0) - (places.get(b.callId) ?? 0))
}
