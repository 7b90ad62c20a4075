import type { ChatMessage } from '../chat/chat-message.ts'
import { modelCalls, type Transcript } from '../transcripts/transcript.ts'

/** The limits of all ways, if they have such limits. */
export const MAX_TOTAL_TOKENS = 20_000
export const MAX_TOOL_MESSAGE_TOKENS = 2_000

/** The result of a way for a history. */
export interface Sent {
  readonly messages: readonly ChatMessage[]
  /** Removed content that can be retrieved. The key is the text that names the content in the context. */
  readonly stored: ReadonlyMap<string, string>
  /** The reason why the result exceeds the limit; absent if the way gives none. */
  readonly reason?: string | undefined
  /** Restore the original messages; absent if the way cannot restore. */
  readonly expand?: () => Promise<readonly ChatMessage[]>
}

/** A way of shortening histories. */
export interface Subject {
  readonly name: string
  /** Shorten a whole history. */
  compact(messages: readonly ChatMessage[]): Promise<Sent>
  /** Replay a transcript. Returns the prompts of all model calls in order. */
  replay(transcript: Transcript): Promise<readonly Sent[]>
}

/** Replay a transcript with a way that gets the new messages of each call, and returns the prompt. */
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

/** Create a way from a function whose result replaces the history. `start` is called for each history. */
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
