import { need, norm } from '../preview/lib/text.mjs'
import { callsOf, type ChatMessage } from '../history/chat/chat-message.ts'
import { findLine } from '../history/measure/find-lines.ts'
import type { Subject } from '../history/subjects/subject.ts'
import { modelCalls, type Transcript } from '../history/transcripts/transcript.ts'
import type { AnswerCase } from './answer-case.ts'
import { joinNear, linesCase } from './cases/case-parts.ts'
import { countTokens } from '../history/chat/count-tokens.ts'
import { play } from './play.ts'
import type { CachePrices } from './summarize.ts'
import type { System } from './systems/system.ts'

/** Cost of a recorded session if a system stores its large results. */
export interface SessionCost {
  readonly session: string
  readonly system: string
  readonly results: number
  /** Number of results that are not completely in the context. */
  readonly kept: number
  /** Number of lines that the agent used later and that the replacement does not show. */
  readonly hiddenLines: number
  /** Calls that an agent with knowledge of these lines needs to read them; absent if the lines are not stored. */
  readonly extraCalls: number | undefined
  /** Prompt tokens of all model calls. */
  readonly promptTokens: number
  /** The same with a prompt cache, converted to tokens at the full price. */
  readonly cachedPromptTokens: number
}

/** Replay a recorded session in which replacements of a system replace large results. */
export async function replaySession(transcript: Transcript, system: System, prices: CachePrices): Promise<SessionCost> {
  const { messages } = transcript
  const sizes = messages.map((message) => countTokens(JSON.stringify(message)))
  const extra = new Map<number, { calls: number; tokens: number }>()
  let [results, kept, hiddenLines, definitions] = [0, 0, 0, 0]
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') continue
    results += 1
    const replaced = await replaceResult(transcript, index, message, system)
    if (replaced === undefined) continue
    kept += 1
    sizes[index] = countTokens(JSON.stringify({ ...message, content: replaced.shown }))
    definitions = Math.max(definitions, replaced.definitions)
    hiddenLines += replaced.hidden
    if (replaced.hidden === 0) continue
    const before = extra.get(replaced.usedAt) ?? { calls: 0, tokens: 0 }
    extra.set(replaced.usedAt, { calls: before.calls + replaced.calls, tokens: before.tokens + replaced.tokens })
  }
  const prompts = promptSizes(transcript, sizes, extra).map((size) => size + definitions)
  const cachedPromptTokens = prompts.reduce((sum, size, index) => {
    const known = Math.min(size, prompts[index - 1] ?? 0)
    return sum + known * prices.cached + (size - known) * prices.written
  }, 0)
  return {
    session: transcript.id,
    system: system.name,
    results,
    kept,
    hiddenLines,
    extraCalls: [...extra.values()].reduce((sum, { calls }) => sum + calls, 0),
    promptTokens: prompts.reduce((sum, size) => sum + size, 0),
    cachedPromptTokens,
  }
}

/** Replay a recorded session with a framework's own way of removing older results from the prompt. */
export async function replayEdited(
  transcript: Transcript,
  subject: Subject,
  prices: CachePrices,
): Promise<SessionCost> {
  const calls = modelCalls(transcript)
  const sent = await subject.replay(transcript)
  const prompts = sent.map(({ messages }) => messages.map((message) => JSON.stringify(message)))
  let [promptTokens, cachedPromptTokens] = [0, 0]
  for (const [index, prompt] of prompts.entries()) {
    const before = prompts[index - 1] ?? []
    const changed = prompt.findIndex((message, at) => message !== before[at])
    const known = sizeOf(prompt.slice(0, changed < 0 ? prompt.length : changed))
    const size = sizeOf(prompt)
    promptTokens += size
    cachedPromptTokens += known * prices.cached + (size - known) * prices.written
  }
  const isResult = ({ role }: ChatMessage): boolean => role === 'tool'
  const sentResults = transcript.messages.slice(0, calls.at(-1)).filter(isResult)
  const last = new Set(prompts.at(-1))
  const hidden = transcript.laterUses.filter((use) => {
    const prompt = sent[calls.indexOf(use.usedAt)]
    return prompt !== undefined && findLine(use, prompt, 'anywhere') !== 'visible'
  })
  return {
    session: transcript.id,
    system: subject.name,
    results: transcript.messages.filter(isResult).length,
    kept: sentResults.filter((message) => !last.has(JSON.stringify(message))).length,
    hiddenLines: hidden.length,
    extraCalls: undefined,
    promptTokens,
    cachedPromptTokens,
  }
}

const sizeOf = (messages: readonly string[]): number => messages.reduce((sum, message) => sum + countTokens(message), 0)

interface Replaced {
  readonly shown: string
  readonly definitions: number
  readonly hidden: number
  /** Index of the message that first uses a hidden line. */
  readonly usedAt: number
  readonly calls: number
  /** Tokens of the additional calls and their answers. */
  readonly tokens: number
}

async function replaceResult(
  { id, messages, laterUses }: Transcript,
  index: number,
  message: ChatMessage & { readonly role: 'tool' },
  system: System,
): Promise<Replaced | undefined> {
  const caller = messages.find((one) => callsOf(one).some((call) => call.id === message.tool_call_id))
  const called = caller && callsOf(caller).find((call) => call.id === message.tool_call_id)
  const result = {
    text: message.content,
    contentType: 'text/plain',
    toolName: called?.function.name ?? 'tool',
    toolInput: called?.function.arguments,
    purpose: typeof caller?.content === 'string' && caller.content !== '' ? caller.content : undefined,
  }
  const session = await system.open(result, '')
  const { shown, inline, tools } = session
  session.close()
  if (inline) return undefined
  const visible = norm(shown)
  const hidden = laterUses.filter(
    ({ callId, line }) => callId === message.tool_call_id && !visible.includes(need(norm(line).trim())),
  )
  const definitions = countTokens(JSON.stringify(tools))
  if (hidden.length === 0) return { shown, definitions, hidden: 0, usedAt: 0, calls: 0, tokens: 0 }
  const question = questionFor(`${id}#${index}`, result, [...new Set(hidden.map(({ line }) => line))])
  const [oracle] = await play(question, system, ['oracle'])
  if (oracle === undefined) throw new Error('The oracle did not play.')
  const { calls, tokens, argumentTokens } = oracle
  return {
    shown,
    definitions,
    hidden: hidden.length,
    usedAt: Math.min(...hidden.map(({ usedAt }) => usedAt)),
    calls,
    tokens: tokens - countTokens(shown) + argumentTokens,
  }
}

function questionFor(id: string, result: AnswerCase['results'][number], lines: readonly string[]): AnswerCase {
  const all = result.text.split('\n').map((line) => norm(line).trim())
  const places = lines.map((line) => all.findIndex((one) => one.includes(line)) + 1).filter((line) => line > 0)
  const asks = { form: 'words', words: lines[0] ?? '' } as const
  const start = { id, kind: 'later-use', group: id, origin: 'unseen', results: [result], question: '', asks } as const
  return linesCase({ ...start, lines: [joinNear(places)] }, lines)
}

/** Tokens of every prompt: all earlier messages, and after an additional call also the call and its answer. */
function promptSizes(
  transcript: Transcript,
  sizes: readonly number[],
  extra: ReadonlyMap<number, { readonly calls: number; readonly tokens: number }>,
): readonly number[] {
  const prompts: number[] = []
  let [size, counted] = [0, 0]
  for (const call of modelCalls(transcript)) {
    for (; counted < call; counted += 1) size += sizes[counted] ?? 0
    const before = extra.get(call)
    for (let made = 0; made < (before?.calls ?? 0); made += 1) {
      prompts.push(size)
      size += (before?.tokens ?? 0) / (before?.calls ?? 1)
    }
    prompts.push(size)
  }
  return prompts
}
