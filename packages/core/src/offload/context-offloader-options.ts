import type { Previewer, PreviewFallback } from '@spillway/previews'
import { checkedCountTokens, estimateTokens, type CountTokens } from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import type { EventJournal } from '../journal/event-journal.ts'
import type { RetrievalCall, RetrievalEvent } from '../retrieval/retrieval-tool.ts'
import { assertStorage, type EvictedEntry, type Storage } from '../storage/storage.ts'
import type { InlineReason, OffloadedBlock } from './offload-request.ts'

const DEFAULT_MAX_RESULT_TOKENS = 2_500
const DEFAULT_PREVIEW_TOKENS = 1_000
const DEFAULT_MAX_MEDIA_BYTES = 5 * 1_048_576

/** What `shouldOffload` is asked about: a result over the limit. */
export interface OffloadCandidate {
  readonly toolName: string
  readonly toolCallId: string
  readonly input: unknown
  readonly isError: boolean
  readonly tokens: number
}

/** Options of a {@link ContextOffloader}. */
export interface ContextOffloaderOptions {
  /** Where offloaded content goes. */
  readonly storage: Storage
  /** Results with more tokens than this are offloaded; one that equals it stays. Defaults to 2,500. */
  readonly maxResultTokens?: number | undefined
  /**
   * Tokens of the preview that stays in the context; less than `maxResultTokens`. By default the kind of content decides:
   * 300 for tables, JSON and source code, 800 for logs, up to 1,000 for others.
   */
  readonly previewTokens?: number | undefined
  /** Tokens that one answer of the retrieval tool may have; `Infinity` for no limit. Defaults to `maxResultTokens`. */
  readonly maxRetrievalTokens?: number | undefined
  /**
   * Bytes of an image, sound, video or document that the retrieval tool returns whole; `Infinity` for no limit. A larger
   * one stays in the context, unless its text can be searched or `showLocation` or `guide` say how to reach it.
   * Defaults to 5 MiB.
   */
  readonly maxMediaBytes?: number | undefined
  /** Offer the tool `retrieve_offloaded_content` and mention it in replacements. Defaults to `true`. */
  readonly includeRetrievalTool?: boolean | undefined
  /**
   * Show how a shell reaches the stored content. It lets whoever has the shell past the scope's wall.
   * Defaults to `true` where neither `includeRetrievalTool` nor `guide` says how to get more.
   */
  readonly showLocation?: boolean | undefined
  /** Say in replacements how to get more without the retrieval tool. Needs `includeRetrievalTool: false`. */
  readonly guide?: RetrievalGuide | undefined
  /** Count tokens as the model does. Defaults to an estimate from the characters. */
  readonly countTokens?: CountTokens | undefined
  /**
   * Previewers tried beside those of core; one of the same name takes the place of core's. Those of installed libraries are
   * used without being passed; to pass them with options they have entries such as `@spillway/previews/pdf`.
   */
  readonly previewers?: readonly Previewer[] | undefined
  /** Decide on a result over the limit. Where it throws, the result is offloaded and a warning printed. */
  readonly shouldOffload?: ((candidate: OffloadCandidate) => boolean | Promise<boolean>) | undefined
  /**
   * Rewrite text and JSON before it is stored and previewed; what it removes is kept nowhere. It sees only results that
   * are offloaded. Where it throws, the original result stays.
   */
  readonly redact?: ((text: string) => string) | undefined
  /** Called with every offload, retrieval and eviction. What it throws is printed as a warning and costs nothing else. */
  readonly onEvent?: ((event: OffloadEvent) => void) | undefined
  /**
   * Records offloads, retrievals and evictions beyond the end of the process, such as a `FileJournal`. Nothing is recorded
   * by default. Whoever made the journal closes it.
   */
  readonly journal?: EventJournal | undefined
}

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly storage: Storage
  readonly maxResultTokens: number
  readonly previewTokens: number
  readonly maxRetrievalTokens: number
  readonly maxMediaBytes: number
  readonly includeRetrievalTool: boolean
  readonly showLocation: boolean
  readonly guide: RetrievalGuide | undefined
  readonly countTokens: CountTokens
  /** The own ones: those that every offloader has come after them. */
  readonly previewers: readonly Previewer[]
  readonly shouldOffload: ContextOffloaderOptions['shouldOffload']
  readonly redact: ContextOffloaderOptions['redact']
  readonly onEvent: ContextOffloaderOptions['onEvent']
  readonly journal: EventJournal | undefined
}

/** The options in force, with the storage as core works with it. */
export interface AdoptedOptions extends ResolvedOptions {
  readonly storage: AdoptedStorage
}

const NAMES: ReadonlySet<string> = new Set<keyof ContextOffloaderOptions>([
  'storage',
  'maxResultTokens',
  'previewTokens',
  'maxRetrievalTokens',
  'maxMediaBytes',
  'includeRetrievalTool',
  'showLocation',
  'guide',
  'countTokens',
  'previewers',
  'shouldOffload',
  'redact',
  'onEvent',
  'journal',
])

/** Check options and fill in defaults. Throws a `TypeError` that names the option and the fix. */
export function resolveOptions(options: ContextOffloaderOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('ContextOffloader needs options with at least { storage }.')
  for (const name of Object.keys(options))
    if (!NAMES.has(name))
      throw new TypeError(`Unknown option ${JSON.stringify(name)}. Known: ${[...NAMES].join(', ')}.`)
  assertStorage(options.storage)
  const maxResultTokens = options.maxResultTokens ?? DEFAULT_MAX_RESULT_TOKENS
  const previewTokens = options.previewTokens ?? Math.min(DEFAULT_PREVIEW_TOKENS, Math.floor(maxResultTokens * 0.4))
  const maxRetrievalTokens = options.maxRetrievalTokens ?? maxResultTokens
  const maxMediaBytes = options.maxMediaBytes ?? DEFAULT_MAX_MEDIA_BYTES
  const includeRetrievalTool = options.includeRetrievalTool ?? true
  const showLocation = options.showLocation ?? (!includeRetrievalTool && options.guide === undefined)
  if (!(Number.isFinite(maxResultTokens) && maxResultTokens > 0))
    throw new TypeError(`maxResultTokens must be a positive number of tokens, got ${maxResultTokens}.`)
  if (!(Number.isFinite(previewTokens) && previewTokens >= 0))
    throw new TypeError(`previewTokens must be a number of tokens, 0 or more, got ${previewTokens}.`)
  if (previewTokens >= maxResultTokens)
    throw new TypeError(
      `previewTokens (${previewTokens}) must be less than maxResultTokens (${maxResultTokens}). Lower it or raise the limit.`,
    )
  if (!(typeof maxRetrievalTokens === 'number' && maxRetrievalTokens > 0))
    throw new TypeError(
      `maxRetrievalTokens must be a positive number of tokens or Infinity, got ${maxRetrievalTokens}.`,
    )
  if (!(typeof maxMediaBytes === 'number' && maxMediaBytes > 0))
    throw new TypeError(`maxMediaBytes must be a positive number of bytes or Infinity, got ${maxMediaBytes}.`)
  for (const name of ['includeRetrievalTool', 'showLocation'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw new TypeError(`${name} must be true or false, got ${String(options[name])}.`)
  for (const name of ['countTokens', 'shouldOffload', 'redact', 'onEvent'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw new TypeError(`${name} must be a function, got ${typeof options[name]}.`)
  if (showLocation && options.storage.locate === undefined)
    throw new TypeError(
      includeRetrievalTool
        ? 'showLocation needs a storage that a shell can reach, such as FileStorage. Leave it out.'
        : 'Without the retrieval tool nothing could reach this storage. Set includeRetrievalTool: true, or use a storage that a shell can reach, such as FileStorage.',
    )
  assertGuide(options.guide, includeRetrievalTool)
  if (options.journal !== undefined && typeof Object(options.journal).append !== 'function')
    throw new TypeError('journal must have the methods append() and read(), such as a FileJournal.')
  if (!showLocation && !includeRetrievalTool && options.guide === undefined)
    throw new TypeError(
      'With includeRetrievalTool: false and showLocation: false nothing could reach what is stored. Turn one of them on.',
    )
  return {
    storage: options.storage,
    maxResultTokens,
    previewTokens,
    maxRetrievalTokens,
    maxMediaBytes,
    includeRetrievalTool,
    showLocation,
    guide: options.guide,
    countTokens: options.countTokens === undefined ? estimateTokens : checkedCountTokens(options.countTokens),
    previewers: resolvePreviewers(options.previewers),
    shouldOffload: options.shouldOffload,
    redact: options.redact,
    onEvent: options.onEvent,
    journal: options.journal,
  }
}

function assertGuide(guide: RetrievalGuide | undefined, includeRetrievalTool: boolean): void {
  if (guide === undefined) return
  if (includeRetrievalTool)
    throw new TypeError('guide stands in for the retrieval tool: set includeRetrievalTool: false, or leave guide out.')
  for (const method of ['instructions', 'formatCall'] as const)
    if (typeof (guide as Partial<RetrievalGuide> | null)?.[method] !== 'function')
      throw new TypeError(`guide must have the functions instructions() and formatCall(); ${method}() is missing.`)
}

function resolvePreviewers(own: readonly Previewer[] = []): readonly Previewer[] {
  if (!Array.isArray(own)) throw new TypeError(`previewers must be an array of previewers, got ${typeof own}.`)
  for (const previewer of own as readonly Partial<Previewer>[]) {
    const { name, previews, recognize, read } = Object(previewer) as Partial<Previewer>
    if (typeof name !== 'string' || name === '')
      throw new TypeError('Each of previewers must have a name. Make one with definePreviewer().')
    if ((previews !== 'text' && previews !== 'media') || typeof recognize !== 'function' || typeof read !== 'function')
      throw new TypeError(
        `The previewer ${JSON.stringify(name)} must have previews: 'text' or 'media', recognize() and read(). Make one with definePreviewer().`,
      )
  }
  return own
}

/**
 * How somebody without the retrieval tool gets more of what was offloaded, such as an agent that has only a shell and a
 * command line: the words that replacements use in the tool's place.
 *
 * @example
 * ```ts
 * import type { RetrievalGuide } from '@spillway/core'
 *
 * const guide: RetrievalGuide = {
 *   instructions: (references) => references.map((reference) => `To see all of it: my-tool show ${reference}`),
 *   formatCall: ({ line_range: lines }) => (lines === undefined ? 'my-tool show' : `--lines ${lines.start}:${lines.end}`),
 * }
 * console.assert(guide.formatCall({ line_range: { start: 5, end: 9 } }) === '--lines 5:9')
 * ```
 */
export interface RetrievalGuide {
  /**
   * Return the lines that say how to get more. They stand before the previews, outside the fences.
   *
   * @param isText - Whether the references are of text. If `false`, patterns and lines must not be offered.
   */
  readonly instructions: (references: readonly string[], isText?: boolean) => readonly string[]
  /**
   * Write the retrieval that shows the lines of a gap. The call has no `reference`: the one that is meant stands with
   * the preview, and naming it in each gap would cost the preview many tokens.
   */
  readonly formatCall: (call: RetrievalCall) => string
}

/** What a {@link ContextOffloader} reports through `onEvent`. Nothing in it is content. */
export type OffloadEvent =
  | {
      readonly type: 'offload'
      readonly toolName: string
      readonly toolCallId: string
      readonly stored: readonly OffloadedBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
    }
  | {
      /** A result over the limit was left as it was. */
      readonly type: 'offload-skipped'
      readonly toolName: string
      readonly toolCallId: string
      readonly reason: Exclude<InlineReason, 'within-limit' | 'retrieval-result' | 'cancelled' | 'failed'>
      readonly tokens: { readonly original: number }
    }
  | {
      /** Storing failed; the original result stays in the context and nothing new is left in storage. */
      readonly type: 'offload-failed'
      readonly toolName: string
      readonly toolCallId: string
      readonly error: unknown
      readonly tokens: { readonly original: number }
    }
  | ({
      /** A previewer could not be used: a preview by lines took its place, or of media only what their bytes tell. */
      readonly type: 'preview-fallback'
      readonly toolName: string
      readonly toolCallId: string
    } & PreviewFallback)
  | RetrievalEvent
  | {
      /** A model call did not offer the retrieval tool, which previews name; told once, where an adapter can see it. */
      readonly type: 'retrieval-tool-hidden'
      readonly toolName: string
    }
  | { readonly type: 'eviction'; readonly evicted: readonly EvictedEntry[] }
  | {
      /** The end of a turn could not be told to the storage; nothing was evicted. */
      readonly type: 'eviction-failed'
      readonly error: unknown
    }
  | {
      /** A history was over its limit: what was done to it, and whether it fits now. */
      readonly type: 'history'
      readonly applied: readonly ('compact' | 'compress')[]
      readonly fits: boolean
      readonly tokens: { readonly before: number; readonly after: number; readonly limit: number }
      /** How many results, arguments and groups of messages were stored for it. */
      readonly stored: number
      /** How many could not be stored, or summarised. */
      readonly failures: number
    }
