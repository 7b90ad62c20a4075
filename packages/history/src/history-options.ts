import { ContextOffloader } from '@spillway/core'
import { assertKnownOptions, shown } from '@spillway/core/driver'
import { callerOf } from '@spillway/core/internal'
import type { CountTokens } from '@spillway/text/internal'
import type { HistoryMessage } from './history-message.ts'
import type { HistoryArchive } from './archive/history-archive.ts'
import { TextCounter } from './measure/count-message.ts'
import { offloaderArchive } from './archive/offloader-archive.ts'
import type { HistoryFormat } from './history-format.ts'

/**
 * The way in which a history is reduced.
 *
 * - `compact`: large tool results and arguments become references. Compaction can be reversed and needs no model.
 * - `compress`: a model summarizes older messages. The originals are stored.
 * - `auto`: compact, and if that is not enough, compress.
 */
export type HistoryMode = 'compact' | 'compress' | 'auto'

/** Limits of a history, in tokens unless stated otherwise. */
export interface HistoryLimits {
  /** Defaults to `auto`. */
  readonly mode?: HistoryMode | undefined
  /** The limit of the whole history, including system messages. Defaults to 20,000. */
  readonly maxTotalTokens?: number | undefined
  /** Results and arguments with more tokens can become references. Defaults to 2,000. */
  readonly maxToolMessageTokens?: number | undefined
  /**
   * Number of messages at the end that do not change, not counting system messages. Defaults to 1 (compact) and 2
   * (compress).
   *
   * A call and its results are never separated. If 0, even a result that no model has seen can become a reference.
   */
  readonly keepRecent?: number | undefined
  /** Largest size of one summarized group. Defaults to 0, which means one group. */
  readonly groupTokens?: number | undefined
  /** `auto` compresses if compaction leaves more than this share of the tokens, from 0 to 1. Defaults to 0.75. */
  readonly compactRatioThreshold?: number | undefined
  /** Size of the preview next to a reference. 0 means no preview. Defaults to 50. */
  readonly historyPreviewTokens?: number | undefined
}

/** Options of {@link compactHistory}. */
export interface HistoryOptions<Conversation> extends HistoryLimits {
  /** The offloader of the session, with its storage, token counter and previewers. */
  readonly offloader: ContextOffloader
  /** Defaults to neutral messages. */
  readonly format?: HistoryFormat<Conversation> | undefined
  /** Requests a summary from a model. If absent, nothing is compressed. */
  readonly summarize?: Summarize | undefined
  /** Additional instructions for summaries, for example "Keep all names of customers." */
  readonly instructions?: string | undefined
  /** The maximum duration of one summary in milliseconds. Defaults to 120,000. */
  readonly summaryTimeoutMs?: number | undefined
  /** Largest number of tokens in the messages for one summary. Longer texts are shortened. Defaults to 100,000. */
  readonly maxSummaryInputTokens?: number | undefined
  /** Defaults to {@link offloaderArchive}. */
  readonly archive?: HistoryArchive | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ResolvedHistoryOptions {
  readonly mode: HistoryMode
  readonly maxTotalTokens: number
  readonly maxToolMessageTokens: number
  readonly keepRecentForCompact: number
  readonly keepRecentForCompress: number
  readonly groupTokens: number
  readonly compactRatioThreshold: number
  readonly historyPreviewTokens: number
  readonly offloader: ContextOffloader
  /** Identity of the caller, for fair turns between callers. */
  readonly caller: unknown
  /** Counts the tokens of a text of any length. */
  readonly countTokens: CountTokens
  readonly counter: TextCounter
  readonly archive: HistoryArchive
  readonly summarize: Summarize | undefined
  readonly instructions: string
  readonly summaryTimeoutMs: number
  readonly maxSummaryInputTokens: number
  readonly signal: AbortSignal | undefined
}

/** Longest duration of a timer in JavaScript, about 25 days. A longer timer would fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
const MODES: ReadonlySet<unknown> = new Set<HistoryMode>(['compact', 'compress', 'auto'])
const NAMES: readonly string[] = [
  'mode',
  'maxTotalTokens',
  'maxToolMessageTokens',
  'keepRecent',
  'groupTokens',
  'compactRatioThreshold',
  'historyPreviewTokens',
  'offloader',
  'format',
  'summarize',
  'instructions',
  'summaryTimeoutMs',
  'maxSummaryInputTokens',
  'archive',
  'signal',
] satisfies (keyof HistoryOptions<unknown>)[]

/** Validate options and apply defaults. Throws a `TypeError` that names the option and the fix. */
export function resolveHistoryOptions<Conversation>(options: HistoryOptions<Conversation>): ResolvedHistoryOptions {
  if (typeof options !== 'object' || options === null || !('offloader' in options))
    throw new TypeError('Give options with at least { offloader }.')
  assertKnownOptions(options, NAMES, 'A history')
  const { offloader, mode = 'auto', keepRecent, summarize, instructions = '', archive } = options
  if (!(offloader instanceof ContextOffloader))
    throw new TypeError('offloader must be a ContextOffloader. Pass offloader.forScope(tenant, session).')
  if (!MODES.has(mode)) throw new TypeError(`mode must be 'compact', 'compress' or 'auto', got ${shown(mode)}.`)
  if (options.format != null && typeof options.format.read !== 'function')
    throw new TypeError(`format must be a format of messages such as openAIChat(), got ${shown(options.format)}.`)
  if (summarize !== undefined && typeof summarize !== 'function')
    throw new TypeError(`summarize must be a function, got ${typeof summarize}.`)
  if (typeof instructions !== 'string')
    throw new TypeError(`instructions must be a string, got ${typeof instructions}.`)
  if (keepRecent !== undefined) count('keepRecent', keepRecent)
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function')
    throw new TypeError('signal must be an AbortSignal. Pass new AbortController().signal.')
  const ratio = options.compactRatioThreshold ?? 0.75
  if (!(typeof ratio === 'number' && ratio >= 0 && ratio <= 1))
    throw new TypeError(`compactRatioThreshold must be a share from 0 to 1, got ${shown(ratio)}.`)
  const counter = new TextCounter(offloader.options.countTokens)
  return {
    mode,
    maxTotalTokens: positive('maxTotalTokens', options.maxTotalTokens ?? 20_000),
    maxToolMessageTokens: positive('maxToolMessageTokens', options.maxToolMessageTokens ?? 2_000),
    keepRecentForCompact: keepRecent ?? 1,
    keepRecentForCompress: keepRecent ?? 2,
    groupTokens: count('groupTokens', options.groupTokens ?? 0),
    compactRatioThreshold: ratio,
    historyPreviewTokens: count('historyPreviewTokens', options.historyPreviewTokens ?? 50),
    offloader,
    caller: callerOf(offloader.options.storage),
    countTokens: counter.count,
    counter,
    archive: archive ?? offloaderArchive(offloader),
    summarize,
    instructions,
    summaryTimeoutMs: Math.min(
      Math.ceil(positive('summaryTimeoutMs', options.summaryTimeoutMs ?? 120_000)),
      MAX_TIMEOUT_MS,
    ),
    maxSummaryInputTokens: positive('maxSummaryInputTokens', options.maxSummaryInputTokens ?? 100_000),
    signal: options.signal,
  }
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw new TypeError(`${name} must be a positive number, got ${shown(value)}.`)
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`${name} must be a whole number, 0 or more, got ${shown(value)}.`)
}

/** A request for a summary. */
export interface SummaryRequest {
  /** The complete request as one user message. */
  readonly prompt: string
  /** The maximum size of the summary, in tokens. */
  readonly maxTokens: number
  /** The messages to summarize. Use these messages to write a custom prompt. */
  readonly messages: readonly HistoryMessage[]
  /** The previous snapshot, which the requested snapshot replaces. `undefined` for the first snapshot. */
  readonly previousSnapshot: string | undefined
  /** Aborted if the caller aborts, or after the timeout. */
  readonly signal: AbortSignal
}

/** Requests a summary with a `<state_snapshot>` from a model. If the function fails, the messages do not change. */
export type Summarize = (request: SummaryRequest) => Promise<string>
