import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { normalized, readableText } from '../chat/readable-text.ts'
import type { ReadChat } from './chat-builder.ts'
import { readClaudeCode } from './claude-code.ts'
import { readMiniSweAgent } from './mini-swe-agent.ts'
import { readOpenHands } from './openhands.ts'
import { readSweAgent } from './swe-agent.ts'
import { readTauBench } from './tau-bench.ts'
import type { LaterUse, Transcript } from './transcript.ts'
import { readWhoAndWhen } from './who-and-when.ts'

const READERS: ReadonlyMap<string, (file: string) => ReadChat> = new Map([
  ['claude-code-entire', readClaudeCode],
  ['claude-code-spotter', readClaudeCode],
  ['mini-swe-agent', readMiniSweAgent],
  ['openhands', readOpenHands],
  ['swe-agent', readSweAgent],
  ['tau-bench', readTauBench],
  ['who-and-when', readWhoAndWhen],
])

interface Entry {
  readonly id: string
  readonly file: string
  readonly steps_file: string
}

/** The file with the steps of a transcript. */
interface Steps {
  readonly steps: readonly { readonly i: number; readonly kind: string; readonly chars: number }[]
  readonly later_use: readonly {
    readonly step: number
    readonly uses: readonly { readonly used_at_step: number; readonly text: string }[]
  }[]
}

/**
 * Read the transcripts of a data folder.
 *
 * Throws if a file has other steps than its `.steps.json`, or a result of another length. So no content was lost.
 */
export function readTranscripts(data: string): readonly Transcript[] {
  const folder = join(data, 'transcripts')
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  return (JSON.parse(read('index.json')) as readonly Entry[]).map(({ id, file, steps_file }) => {
    const reader = READERS.get(id.split('/')[0] ?? '')
    if (reader === undefined) throw new Error(`There is no reader for ${id}.`)
    const chat = reader(read(file))
    const recorded = JSON.parse(read(steps_file)) as Steps
    checkSteps(id, chat, recorded)
    return { id, messages: chat.messages, laterUses: laterUses(id, chat, recorded) }
  })
}

function checkSteps(id: string, { messages, steps }: ReadChat, recorded: Steps): void {
  if (steps.length !== recorded.steps.length)
    throw new Error(`${id} has ${steps.length} steps, and ${recorded.steps.length} of them are recorded.`)
  for (const { i, kind, chars } of recorded.steps) {
    const { message, result } = steps[i] ?? {}
    if (kind !== 'tool_result' || result === undefined) continue
    const content = message === undefined ? '' : (messages[message]?.content ?? '')
    const length = codePoints(result)
    if (length !== chars) throw new Error(`${id} step ${i}: a result of ${length} characters, not ${chars}.`)
    if (message !== undefined && !content.startsWith(result))
      throw new Error(`${id} step ${i}: the result is not in its message.`)
  }
}

function laterUses(id: string, { messages, steps }: ReadChat, { later_use: recorded }: Steps): readonly LaterUse[] {
  return recorded.flatMap(({ step, uses }) => {
    const { message: at, result } = steps[step] ?? {}
    // The session lacks results whose calls were cut off.
    if (at === undefined && result !== undefined) return []
    const message = at === undefined ? undefined : messages[at]
    if (message?.role !== 'tool') throw new Error(`${id} step ${step} is not a tool result.`)
    return uses.map(({ used_at_step, text }) => {
      const usedAt = steps[used_at_step]?.message
      if (usedAt === undefined) throw new Error(`${id} step ${used_at_step} is not in any message.`)
      const line = normalized(text).trim()
      if (!readableText(message).includes(line)) throw new Error(`${id} step ${step} has no line ${line}`)
      return { callId: message.tool_call_id, line, usedAt }
    })
  })
}

const codePoints = (text: string): number => text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ' ').length
