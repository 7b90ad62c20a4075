import { ContextOffloader } from '@spillway/core'
import { warn, type CountTokens } from '@spillway/text/internal'
import type { HistoryMessage } from './history-message.ts'
import type { HistoryArchive } from './archive/history-archive.ts'
import { offloaderArchive } from './archive/offloader-archive.ts'
import type { HistoryFormat } from './history-format.ts'

/**
 * How a history is made smaller.
 *
 * - `compact`: large tool results and arguments become references. No model is asked, and all of it can be undone.
 * - `compress`: older messages become a summary that a model writes; they are stored before they go.
 * - `auto`: compact, and compress what remains where that was not enough.
 */
export type HistoryMode = 'compact' | 'compress' | 'auto'

/** Limits of a history, all in tokens unless they say otherwise. */
export interface HistoryLimits {
  /** Defaults to `auto`. */
  readonly mode?: HistoryMode | undefined
  /** Above this the history is made smaller: all of it counts, also the system message. Defaults to 20,000. */
  readonly maxTotalTokens?: number | undefined
  /** Tool results and arguments of calls with more than this can become references. Defaults to 2,000. */
  readonly maxToolMessageTokens?: number | undefined
  /**
   * How many of the last messages stay as they are, system messages aside; a call and its results are not parted for it.
   * Defaults to 1 for compacting and 2 for compressing. With 0 even a result that no model has seen becomes a reference.
   */
  readonly keepRecent?: number | undefined
  /** Messages are summarised in groups of at most so many tokens, one after another; 0, the default, is one group. */
  readonly groupTokens?: number | undefined
  /** `auto` compresses where compacting leaves more than this share of the tokens, from 0 to 1. Defaults to 0.75. */
  readonly compactRatioThreshold?: number | undefined
  /** Tokens of the preview beside a reference. Defaults to 50; 0 for none. */
  readonly historyPreviewTokens?: number | undefined
}

/** What a history is compacted and compressed with. */
export interface HistoryOptions<Conversation> extends HistoryLimits {
  /** Its storage takes what leaves the history; its counter, previewers and names are used. Give the one of the session. */
  readonly offloader: ContextOffloader
  /** How messages are read and written. Without it they are neutral ones. */
  readonly format?: HistoryFormat<Conversation> | undefined
  /** Ask a model for a summary. Without it nothing is compressed. */
  readonly summarize?: Summarize | undefined
  /** What a summary must heed beside the rest, such as "Keep all names of customers." */
  readonly instructions?: string | undefined
  /** Milliseconds that one summary may take. Defaults to 120,000. */
  readonly summaryTimeoutMs?: number | undefined
  /** Tokens of messages that a model is shown for one summary, at most; longer texts are shortened. Defaults to 100,000. */
  readonly maxSummaryInputTokens?: number | undefined
  /** Where things go and how they are named. Defaults to {@link offloaderArchive}. */
  readonly archive?: HistoryArchive | undefined
  /** Called at each step; what it throws is printed as a warning. */
  readonly onProgress?: ((progress: HistoryProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The options with their defaults. */
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
  readonly countTokens: CountTokens
  readonly archive: HistoryArchive
  readonly summarize: Summarize | undefined
  readonly instructions: string
  readonly summaryTimeoutMs: number
  readonly maxSummaryInputTokens: number
  readonly onProgress: ((progress: HistoryProgress) => void) | undefined
  readonly signal: AbortSignal | undefined
}

/** The longest time that a timer takes, about 25 days: one of more ends at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
const MODES: ReadonlySet<unknown> = new Set<HistoryMode>(['compact', 'compress', 'auto'])
const NAMES: ReadonlySet<string> = new Set<keyof HistoryOptions<unknown>>([
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
  'onProgress',
  'signal',
])

/** Check options and fill in defaults. Throws a `TypeError` that names the option and the fix. */
export function resolveHistoryOptions<Conversation>(options: HistoryOptions<Conversation>): ResolvedHistoryOptions {
  if (typeof options !== 'object' || options === null) throw new TypeError('Give options with at least { offloader }.')
  for (const name of Object.keys(options))
    if (!NAMES.has(name))
      throw new TypeError(`Unknown option ${JSON.stringify(name)}. Known: ${[...NAMES].join(', ')}.`)
  const { offloader, mode = 'auto', keepRecent, summarize, instructions = '', archive } = options
  if (!(offloader instanceof ContextOffloader))
    throw new TypeError('offloader must be a ContextOffloader: that of the session, as of offloader.forScope().')
  if (!MODES.has(mode))
    throw new TypeError(`mode must be 'compact', 'compress' or 'auto', got ${JSON.stringify(mode)}.`)
  if (summarize !== undefined && typeof summarize !== 'function')
    throw new TypeError(`summarize must be a function, got ${typeof summarize}.`)
  if (typeof instructions !== 'string') throw new TypeError(`instructions must be a text, got ${typeof instructions}.`)
  if (keepRecent !== undefined) count('keepRecent', keepRecent)
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function')
    throw new TypeError('signal must be an AbortSignal, as of new AbortController().signal.')
  const ratio = options.compactRatioThreshold ?? 0.75
  if (!(typeof ratio === 'number' && ratio >= 0 && ratio <= 1))
    throw new TypeError(`compactRatioThreshold must be a share from 0 to 1, got ${ratio}.`)
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
    countTokens: offloader.options.countTokens,
    archive: archive ?? offloaderArchive(offloader),
    summarize,
    instructions,
    summaryTimeoutMs: Math.min(
      Math.ceil(positive('summaryTimeoutMs', options.summaryTimeoutMs ?? 120_000)),
      MAX_TIMEOUT_MS,
    ),
    maxSummaryInputTokens: positive('maxSummaryInputTokens', options.maxSummaryInputTokens ?? 100_000),
    onProgress: options.onProgress,
    signal: options.signal,
  }
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  throw new TypeError(`${name} must be a positive number, got ${String(value)}.`)
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`${name} must be a whole number, 0 or more, got ${String(value)}.`)
}

/** A step of compacting or compressing, as it ends. Nothing in it is content. */
export type HistoryProgress =
  | { readonly step: 'compact'; readonly done: number; readonly total: number }
  | { readonly step: 'summarize'; readonly group: number; readonly groups: number }
  | { readonly step: 'store'; readonly group: number; readonly groups: number }

/** Tell of a step to whoever wants to know; what that throws costs nothing else. */
export function reportProgress(
  progress: HistoryProgress,
  { onProgress }: { readonly onProgress?: ((progress: HistoryProgress) => void) | undefined },
): void {
  try {
    onProgress?.(progress)
  } catch (error) {
    warn('onProgress threw; the history is not affected.', error)
  }
}

/** What a model is asked to summarise. */
export interface SummaryRequest {
  /** All that the model needs, as one message of the user. */
  readonly prompt: string
  /** Tokens that the summary should have at most. */
  readonly maxTokens: number
  /** The messages that it is about, for a prompt of your own. */
  readonly messages: readonly HistoryMessage[]
  /** The snapshot of what came before, which the new one takes in; absent for the first. */
  readonly previousSnapshot: string | undefined
  /** Ends the wait: by the caller, or when the time for a summary is over. */
  readonly signal: AbortSignal
}

/**
 * Ask a model for a summary, and return its answer: text with a `<state_snapshot>` in it. Where it rejects, or answers with
 * anything else, the messages stay. Adapters have one for the models of their framework.
 */
export type Summarize = (request: SummaryRequest) => Promise<string>
