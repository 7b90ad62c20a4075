import { ContextOffloader, createStorage, scopeOf, type Storage } from '@spillway/core'
import {
  compactHistory,
  type HistoryFailure,
  type HistoryMessage,
  type HistoryOptions,
  type HistoryOutcome,
  type HistoryReason,
  type HistoryRole,
  type MessageStatistics,
  type Summarize,
} from '@spillway/history'
import { nameOptions, usageError } from '../cli-error.ts'
import { createSummarizer } from '../model/chat-summarizer.ts'
import type { CompactOptions } from '../commands/options.ts'
import { referenceGuide } from '../retrieval-commands.ts'
import { conversationOf, lineOf, type Conversation, type Transcript } from './transcript/transcript.ts'

export interface MessageRow {
  /** Number of the message, from 1. */
  readonly number: number
  readonly line: number | undefined
  readonly role: HistoryRole
  /** The called tools, or the tool of the result. Empty if the message has neither. */
  readonly tool: string
  readonly before: number
  readonly after: number
  readonly reason: HistoryReason
}

export interface Compacted {
  readonly rows: readonly MessageRow[]
  readonly outcome: HistoryOutcome<unknown>
  readonly conversation: Conversation
  /** The reason why a summary is impossible; `undefined` if it is possible. */
  readonly noSummary: string | undefined
  /** Whether previews name shell commands for reading on. */
  readonly namesCommands: boolean
}

/** Compact a transcript in memory. Stores its originals. */
export async function compactTranscript(
  transcript: Transcript,
  options: CompactOptions,
  storage: Storage,
  storeArguments: string,
): Promise<Compacted> {
  const noSummary = whyNoSummary(transcript)
  const summarize = createSummarizer(options)
  const given = noSummary === undefined ? summarize : undefined
  const settings = nameOptions(() => compactionOptions(transcript, options, storage, given, storeArguments))
  const conversation = conversationOf(transcript)
  const messages = transcript.format.history.read(conversation)
  const outcome = await compactHistory(conversation, settings)
  const rows = rowsOf(transcript, messages, outcome.statistics)
  const namesCommands = settings.offloader.options.guide !== undefined
  return { rows, outcome, conversation: transcript.format.split(outcome.messages), noSummary, namesCommands }
}

function rowsOf(
  transcript: Transcript,
  messages: readonly HistoryMessage[],
  statistics: readonly MessageStatistics[],
): readonly MessageRow[] {
  return statistics.map(({ index, role, tokens: { before, after }, reason }) => {
    const line = lineOf(transcript, index)
    return { number: index + 1, line, role, tool: toolsOf(messages[index]), before, after, reason }
  })
}

function toolsOf(message: HistoryMessage | undefined): string {
  const names = message?.parts.map((part) =>
    part.type === 'tool-call' ? part.name : part.type === 'tool-result' ? part.toolName : '',
  )
  return [...new Set(names)].filter((name) => name !== '').join(', ')
}

export function describeFailure(failure: HistoryFailure): string {
  const { step, index, error } = failure
  const cause = error instanceof Error ? error.message.replace(/\.$/, '') : undefined
  const what = step === 'store' ? 'could not be stored' : `has no summary (${failure.reason})`
  return `message ${index + 1} ${what}${cause === undefined ? '' : `: ${cause}`}`
}

function compactionOptions(
  { format, layout }: Transcript,
  options: CompactOptions,
  storage: Storage,
  summarize: Summarize | undefined,
  storeArguments: string,
): HistoryOptions<unknown> {
  const { reading = layout.kind === 'session' ? 'command' : 'tool' } = options
  const guide =
    reading === 'command'
      ? { includeRetrievalTool: false, showLocation: false, guide: referenceGuide(storeArguments) }
      : {}
  return {
    offloader: new ContextOffloader({ storage, ...guide }),
    format: format.history,
    mode: options.mode,
    maxTotalTokens: options.maxTotalTokens,
    maxToolMessageTokens: options.maxToolMessageTokens,
    keepRecent: options.keepRecent,
    groupTokens: options.groupTokens,
    compactRatioThreshold: options.ratio,
    historyPreviewTokens: options.previewTokens,
    instructions: options.instructions,
    summarize,
  }
}

function whyNoSummary({ format, layout }: Transcript): string | undefined {
  if (layout.kind === 'session') return 'a session of Claude Code has no system prompt that could hold a summary'
  if (format.systemKey === undefined || (layout.kind === 'document' && layout.systemKey !== undefined)) return undefined
  const list = format.systemKey === 'system' ? 'messages' : 'contents'
  return `${format.title} in a plain list have no place for a summary: use a document { "${list}": [...] }`
}

/** Throw a usage error if the options require an impossible summary. */
export function assertCanSummarize(transcript: Transcript, options: CompactOptions): void {
  if (options.mode !== 'compress') return
  const reason = whyNoSummary(transcript)
  if (reason !== undefined) throw usageError(`--mode compress: ${reason}. Use --mode compact.`)
  if (options.model === undefined) throw usageError('--mode compress needs --model: the model that writes the summary.')
}

/** Create a storage that returns the real references but stores nothing; existing entries can be read. */
export function trialStorage(real: Storage, scope: readonly string[] | undefined): Storage {
  const dryStorage = createStorage({
    async write(_id, chunks) {
      for await (const _chunk of chunks);
      return true
    },
    read: async () => undefined,
    remove: async () => true,
    list: async function* () {},
  })
  const { stat } = real
  return {
    store: (...input) => (scope === undefined ? dryStorage : scopeOf(dryStorage, scope)).store(...input),
    retrieve: (reference, options) => real.retrieve(reference, options),
    ...(stat === undefined ? {} : { stat: stat.bind(real) }),
    delete: async () => {},
  }
}
