import { countPromptTokens } from '../chat/count-tokens.ts'
import { known } from '../../report/known.ts'
import type { ChatMessage } from '../chat/chat-message.ts'
import { MAX_TOTAL_TOKENS, type Subject } from '../subjects/subject.ts'
import { modelCalls, type Transcript } from '../transcripts/transcript.ts'
import { countPlaces, findLine, type LineCounts } from './find-lines.ts'
import { compareWithLast } from './prompt-cache.ts'

/** Cost and hidden lines of a way over all calls of a transcript. */
export interface LivedFigures {
  readonly calls: number
  /** Tokens of all prompts. */
  readonly sent: number
  /** Tokens that were in the prompt cache. */
  readonly cached: number
  readonly largest: number
  readonly callsOverLimit: number
  /** Calls that changed a byte of the previous prompt. */
  readonly breaks: number
  /** Tokens that had to be read again because of these changes. */
  readonly readAgain: number
  /** Tool results that were already shortened in their first prompt. */
  readonly neverShown: number
  /** Lines that are used later, by their place in the context of the call that used them. */
  readonly lines: LineCounts
  /** Whether the original bytes of the last prompt can be restored; `null` if the way cannot restore. */
  readonly isRestored: boolean | null
}

/** Replay a transcript, and measure the prompt of each call. */
export async function measureLived(subject: Subject, transcript: Transcript): Promise<LivedFigures> {
  const { messages, laterUses } = transcript
  const calls = modelCalls(transcript)
  const prompts = await subject.replay(transcript)
  if (prompts.length !== calls.length)
    throw new Error(`${subject.name}: ${prompts.length} prompts for ${calls.length} calls.`)
  const tokens = prompts.map((sent) => countPromptTokens(sent.messages))
  const cache = prompts.map((sent, index) => compareWithLast(prompts[index - 1]?.messages ?? [], sent.messages))
  const neverShown = prompts.map((sent, index) =>
    unseen(messages.slice(calls[index - 1] ?? 0, calls[index]), sent.messages),
  )
  const last = await prompts.at(-1)?.expand?.()
  return {
    calls: calls.length,
    sent: sum(tokens),
    cached: sum(cache.map(({ cached }) => cached)),
    largest: Math.max(...tokens),
    callsOverLimit: tokens.filter((count) => count > MAX_TOTAL_TOKENS).length,
    breaks: cache.filter(({ isBroken }) => isBroken).length,
    readAgain: sum(cache.map(({ readAgain }) => readAgain)),
    neverShown: sum(neverShown),
    lines: countPlaces(laterUses.map((use) => findLine(use, known(prompts[calls.indexOf(use.usedAt)]), 'anywhere'))),
    isRestored: last === undefined ? null : JSON.stringify(last) === JSON.stringify(messages.slice(0, calls.at(-1))),
  }
}

/** Count results in the new messages that the prompt does not contain unchanged. */
function unseen(added: readonly ChatMessage[], prompt: readonly ChatMessage[]): number {
  const shown = new Set(prompt.map((message) => JSON.stringify(message)))
  return added.filter((message) => message.role === 'tool' && !shown.has(JSON.stringify(message))).length
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
