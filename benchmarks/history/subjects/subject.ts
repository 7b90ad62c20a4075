import type { ChatMessage } from '../chat/chat-message.ts'
import { modelCalls, type Transcript } from '../transcripts/transcript.ts'

/** The two limits that all get, where they have them. */
export const MAX_TOTAL_TOKENS = 20_000
export const MAX_TOOL_MESSAGE_TOKENS = 2_000

/** What a way makes of a history. */
export interface Sent {
  readonly messages: readonly ChatMessage[]
  /** What was taken out and can be asked for: by the text that names it in the context. */
  readonly stored: ReadonlyMap<string, string>
  /** What it says of a result that is over the limit; absent where it says nothing. */
  readonly reason?: string | undefined
  /** Undo it; absent where there is no way to. */
  readonly expand?: () => Promise<readonly ChatMessage[]>
}

/** A way of keeping a history short. */
export interface Subject {
  readonly name: string
  /** Make a whole history shorter. */
  compact(messages: readonly ChatMessage[]): Promise<Sent>
  /** Live a transcript: what each call of the model is sent, in turn. */
  replay(transcript: Transcript): Promise<readonly Sent[]>
}

/** Live a transcript with a way that takes what is new since its last call and returns what is sent. */
export async function replayWith(
  { messages }: Transcript,
  send: (added: readonly ChatMessage[]) => Promise<Sent>,
): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  let from = 0
  for (const call of modelCalls({ messages })) {
    sent.push(await send(messages.slice(from, call)))
    from = call
  }
  return sent
}

/** Make a way of a function whose result takes the place of the history; `start` is called for each history. */
export function replacing(name: string, start: () => (messages: readonly ChatMessage[]) => Promise<Sent>): Subject {
  return {
    name,
    compact: (messages) => start()(messages),
    replay: async (transcript) => {
      const compact = start()
      let history: readonly ChatMessage[] = []
      return await replayWith(transcript, async (added) => {
        const sent = await compact([...history, ...added])
        history = sent.messages
        return sent
      })
    },
  }
}
