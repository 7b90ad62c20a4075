import type { Previewer, PreviewFallback } from '@spillway/previews'
import { checkedCountTokens, estimateTokens, type CountTokens } from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import type { EventJournal } from '../journal/event-journal.ts'
import { resolveRedact, type Redact, type RedactOptions } from '../redaction/redact-text.ts'
import type { RetrievalCall, RetrievalEvent } from '../retrieval/retrieval-tool.ts'
import { assertReferenceArguments, type ReferenceArguments } from '../session/reference-arguments.ts'
import { assertStorage, type EvictedEntry, type Location, type Storage } from '../storage/storage.ts'
import type { InlineReason, OffloadedBlock } from './offload-request.ts'
import {
  resolveLimits,
  type LimitOptions,
  type ResolvedLimits,
  type TokenLimit,
  type ToolSettings,
} from './result-limits.ts'
import { assertBoolean, assertKnownOptions, shown } from '../storage/storage-input.ts'

const DEFAULT_MAX_MEDIA_BYTES = 5 * 1_048_576

/** A result over the limit, passed to `shouldOffload`. */
export interface OffloadCandidate {
  readonly toolName: string
  readonly toolCallId: string
  readonly input: unknown
  readonly isError: boolean
  readonly tokens: number
}

/** Whether results are offloaded, only counted, or left unchanged. */
export type OffloadMode = 'offload' | 'shadow' | 'off'

const MODES: readonly unknown[] = ['offload', 'shadow', 'off'] satisfies OffloadMode[]

export const isMode = (value: unknown): value is OffloadMode => MODES.includes(value)

/** Options of a {@link ContextOffloader}. */
export interface ContextOffloaderOptions extends LimitOptions {
  /** Storage for offloaded content. */
  readonly storage: Storage
  /** Results with more tokens than this are offloaded. Defaults to 2,500. */
  readonly maxResultTokens?: TokenLimit | undefined
  /**
   * Tokens of the preview in the context, less than `maxResultTokens`. Defaults to 300 for tables, JSON, source code
   * and text without failures, to 800 for errors and text with failures, and to up to 1,000 for other content.
   */
  readonly previewTokens?: TokenLimit | undefined
  /**
   * Largest number of tokens in one retrieval answer. `Infinity`: no limit. Defaults to `maxResultTokens`, but at least
   * 200.
   */
  readonly maxRetrievalTokens?: TokenLimit | undefined
  /**
   * Largest number of tokens in all results of one message with several tool calls. Defaults to `Infinity`. Four times
   * `maxResultTokens` is a good value. If a result does not fit this budget, it is stored. Errors are shortened last.
   */
  readonly maxTurnTokens?: TokenLimit | undefined
  /** Tokens of the model's context window, for limits that are a share of it: `{ share: 0.02, min: 1_000 }`. */
  readonly contextWindow?: number | undefined
  /**
   * Settings by the name of a tool, or by a pattern such as `mcp__github__*`. The exact name has priority, then the
   * longest pattern. A name also matches without its MCP prefix.
   */
  readonly tools?: Readonly<Record<string, ToolSettings>> | undefined
  /**
   * Largest size of media that the retrieval tool returns whole, in bytes. `Infinity` for no limit. Defaults to 5 MiB.
   * Larger media are offloaded only if their text, `showLocation` or `guide` makes them readable.
   */
  readonly maxMediaBytes?: number | undefined
  /**
   * Largest number of tokens of a result that could not be stored. A larger result is cut, and its end says what is
   * missing. Defaults to `Infinity`, so that the result stays whole. Must be at least `maxResultTokens`.
   */
  readonly maxInlineTokens?: TokenLimit | undefined
  /**
   * `shadow` only counts results that would be offloaded, and `off` turns offloading off. Streams ignore the mode. A
   * function is called for each result, so that it can turn offloading on and off without a restart. If `mode` is the
   * string `shadow`, there is no retrieval tool. Defaults to `offload`.
   */
  readonly mode?: OffloadMode | (() => OffloadMode) | undefined
  /** Offer the tool `retrieve_offloaded_content` and mention it in replacements. Defaults to `true`. */
  readonly includeRetrievalTool?: boolean | undefined
  /**
   * Show a shell command that reads stored content. Every user of the shell can then read all scopes. A function
   * returns the command for the place where the agent's tools run, for example a container or another host. Defaults to
   * `true` if there is neither a retrieval tool nor a `guide`.
   */
  readonly showLocation?: boolean | ((location: Location) => Location) | undefined
  /** Texts that tell the model how to read stored content without the tool. Requires `includeRetrievalTool: false`. */
  readonly guide?: RetrievalGuide | undefined
  /** Count tokens as the model does. Defaults to an estimate from the characters. */
  readonly countTokens?: CountTokens | undefined
  /** More previewers, for example of `@spillway/previews/pdf`. A previewer replaces core's previewer of that name. */
  readonly previewers?: readonly Previewer[] | undefined
  /** Decide whether to offload a result over the limit. If the function throws, the result is offloaded. */
  readonly shouldOffload?: ((candidate: OffloadCandidate) => boolean | Promise<boolean>) | undefined
  /**
   * Remove secrets from results before they are counted, previewed, stored, and shown. If `redact` is a function, it is
   * called after the rules for secrets. Defaults to none. If a rule throws, the model gets no part of the result.
   */
  readonly redact?: RedactOptions | ((text: string) => string) | undefined
  /**
   * Tool arguments in which the model may write `spill:<reference>` for stored content. The tool gets the content, up
   * to 5 MiB. If a reference cannot be resolved, the tool is not called. Defaults to none.
   */
  readonly resolveReferences?: ReferenceArguments | undefined
  /** Called with every offload, retrieval, and eviction. If the function throws, the error is printed as a warning. */
  readonly onEvent?: ((event: OffloadEvent) => void) | undefined
  /** Journal of offloads, retrievals and evictions. The caller closes the journal. Defaults to none. */
  readonly journal?: EventJournal | undefined
}

/** Options with their defaults. */
export interface ResolvedOptions extends ResolvedLimits {
  readonly storage: Storage
  readonly maxMediaBytes: number
  readonly mode: OffloadMode | (() => OffloadMode)
  readonly includeRetrievalTool: boolean
  readonly showLocation: boolean | ((location: Location) => Location)
  readonly guide: RetrievalGuide | undefined
  readonly countTokens: CountTokens
  /** The offloader's own previewers, which are tried before core's. */
  readonly previewers: readonly Previewer[]
  readonly shouldOffload: ContextOffloaderOptions['shouldOffload']
  readonly redact: Redact | undefined
  readonly resolveReferences: ReferenceArguments | undefined
  readonly onEvent: ContextOffloaderOptions['onEvent']
  readonly journal: EventJournal | undefined
}

export interface AdoptedOptions extends ResolvedOptions {
  readonly storage: AdoptedStorage
}

const NAMES: readonly string[] = [
  'storage',
  'maxResultTokens',
  'previewTokens',
  'maxRetrievalTokens',
  'maxTurnTokens',
  'contextWindow',
  'tools',
  'mode',
  'maxMediaBytes',
  'maxInlineTokens',
  'includeRetrievalTool',
  'showLocation',
  'guide',
  'countTokens',
  'previewers',
  'shouldOffload',
  'redact',
  'resolveReferences',
  'onEvent',
  'journal',
] satisfies (keyof ContextOffloaderOptions)[]

export function resolveOptions(options: ContextOffloaderOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null || options.storage === undefined)
    throw new TypeError('ContextOffloader needs options with { storage }, such as { storage: new InMemoryStorage() }.')
  assertKnownOptions(options, NAMES, 'ContextOffloader')
  assertStorage(options.storage)
  const limits = resolveLimits(options)
  const maxMediaBytes = options.maxMediaBytes ?? DEFAULT_MAX_MEDIA_BYTES
  const { mode = 'offload' } = options
  const includeRetrievalTool = mode !== 'shadow' && (options.includeRetrievalTool ?? true)
  const showLocation =
    options.showLocation ?? (!includeRetrievalTool && options.guide === undefined && mode !== 'shadow')
  if (!(typeof maxMediaBytes === 'number' && maxMediaBytes > 0))
    throw new TypeError(`maxMediaBytes must be a positive number of bytes or Infinity, got ${shown(maxMediaBytes)}.`)
  if (options.includeRetrievalTool !== undefined) assertBoolean('includeRetrievalTool', options.includeRetrievalTool)
  if (typeof showLocation !== 'boolean' && typeof showLocation !== 'function')
    throw new TypeError(
      `showLocation must be true, false, or a function that gets a location, got ${shown(showLocation)}.`,
    )
  for (const name of ['countTokens', 'shouldOffload', 'onEvent'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw new TypeError(`${name} must be a function, got ${shown(options[name])}.`)
  if (typeof mode !== 'function' && !isMode(mode))
    throw new TypeError(
      `mode must be 'offload', 'shadow', 'off', or a function that returns one of them, got ${shown(mode)}.`,
    )
  if (showLocation !== false && options.storage.locate === undefined)
    throw new TypeError(
      includeRetrievalTool
        ? 'showLocation needs a storage that a shell can reach, such as FileStorage. Leave it out.'
        : 'Without the retrieval tool nothing could reach this storage. Set includeRetrievalTool: true, or use a storage that a shell can reach, such as FileStorage.',
    )
  assertGuide(options.guide, includeRetrievalTool)
  assertReferenceArguments(options.resolveReferences)
  if (options.journal !== undefined && typeof Object(options.journal).append !== 'function')
    throw new TypeError('journal must have the methods append() and read(), such as a FileJournal.')
  if (!showLocation && !includeRetrievalTool && options.guide === undefined && mode !== 'shadow')
    throw new TypeError(
      'With includeRetrievalTool: false and showLocation: false stored content could not be read. Set one of them to true.',
    )
  return {
    ...limits,
    storage: options.storage,
    maxMediaBytes,
    mode,
    includeRetrievalTool,
    showLocation,
    guide: options.guide,
    countTokens: options.countTokens === undefined ? estimateTokens : checkedCountTokens(options.countTokens),
    previewers: resolvePreviewers(options.previewers),
    shouldOffload: options.shouldOffload,
    redact: resolveRedact(options.redact),
    resolveReferences: options.resolveReferences,
    onEvent: options.onEvent,
    journal: options.journal,
  }
}

function assertGuide(guide: RetrievalGuide | undefined, includeRetrievalTool: boolean): void {
  if (guide === undefined) return
  if (includeRetrievalTool)
    throw new TypeError('guide replaces the retrieval tool. Set includeRetrievalTool: false, or leave guide out.')
  for (const method of ['instructions', 'formatCall'] as const)
    if (typeof (guide as Partial<RetrievalGuide> | null)?.[method] !== 'function')
      throw new TypeError(`guide must have the functions instructions() and formatCall(); ${method}() is missing.`)
}

function resolvePreviewers(own: readonly Previewer[] = []): readonly Previewer[] {
  if (!Array.isArray(own)) throw new TypeError(`previewers must be an array of previewers, got ${shown(own)}.`)
  for (const previewer of own as readonly Partial<Previewer>[]) {
    const { name, previews, recognize, read } = Object(previewer) as Partial<Previewer>
    if (typeof name !== 'string' || name === '')
      throw new TypeError('Each previewer must have a name. Make one with definePreviewer().')
    if ((previews !== 'text' && previews !== 'media') || typeof recognize !== 'function' || typeof read !== 'function')
      throw new TypeError(
        `The previewer ${JSON.stringify(name)} must have previews: 'text' or 'media', recognize() and read(). Make one with definePreviewer().`,
      )
  }
  return own
}

/** Texts of replacements for an agent without the retrieval tool, for example an agent with only a shell. */
export interface RetrievalGuide {
  /**
   * Return the lines that explain how to read more. These lines come before the previews.
   *
   * @param isText - Whether the references are for text. If `false`, do not suggest patterns and lines.
   */
  readonly instructions: (references: readonly string[], isText?: boolean) => readonly string[]
  /** Write the call that shows the lines missing at a gap. The call has no `reference`: the preview names it once. */
  readonly formatCall: (call: RetrievalCall) => string
}

/** An event of a {@link ContextOffloader}, without content. */
export type OffloadEvent =
  | {
      readonly type: 'offload'
      readonly toolName: string
      readonly toolCallId: string
      /** Set if the result did not exceed its own limit, but did not fit `maxTurnTokens`. */
      readonly reason?: 'turn-budget'
      readonly stored: readonly OffloadedBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
      /** Milliseconds spent on this result, without waiting for other results of its message. */
      readonly durationMs: number
    }
  | {
      /** A result over the limit was left in the context. */
      readonly type: 'offload-skipped'
      readonly toolName: string
      readonly toolCallId: string
      readonly reason: Exclude<
        InlineReason,
        'within-limit' | 'exempt' | 'off' | 'retrieval-result' | 'cancelled' | 'failed'
      >
      readonly tokens: { readonly original: number }
      /** Same as in `offload`. */
      readonly durationMs: number
    }
  | {
      /**
       * Storing failed, and results are left in the context. The first failure is reported at once. Later failures are
       * reported together, at most once a minute. `error` and the call belong to the last failure. An aborted call is
       * not an outage: its failure is reported at once, with the error code `aborted`.
       */
      readonly type: 'offload-failed'
      readonly toolName: string
      readonly toolCallId: string
      readonly error: unknown
      /** Number of results since the last such event. */
      readonly failures: number
      readonly tokens: { readonly original: number }
      /** Milliseconds spent on the last result. */
      readonly durationMs: number
    }
  | {
      /** A rule of `redact` failed. The result is withheld. With `onError: 'keep'`, the result is left unchanged. */
      readonly type: 'redaction-failed'
      readonly toolName: string
      readonly toolCallId: string
      readonly error: unknown
    }
  | {
      /** A result was stored after earlier results could not be stored. */
      readonly type: 'offload-recovered'
      /** Number of results that could not be stored during the outage. */
      readonly failures: number
      readonly tokens: { readonly original: number }
    }
  | ({
      /** A previewer failed or is missing. The preview by lines, or the description of the media, is used instead. */
      readonly type: 'preview-fallback'
      readonly toolName: string
      readonly toolCallId: string
    } & PreviewFallback)
  | RetrievalEvent
  | {
      /** A model call did not offer the retrieval tool that previews name. Emitted at most once. */
      readonly type: 'retrieval-tool-hidden'
      readonly toolName: string
    }
  | { readonly type: 'eviction'; readonly evicted: readonly EvictedEntry[] }
  | {
      /** The storage could not end turns. Nothing was evicted. Repeated failures are reported like `offload-failed`. */
      readonly type: 'eviction-failed'
      readonly error: unknown
      /** Number of turns since the last such event. */
      readonly failures: number
    }
  | {
      /** A history was over its limit and was reduced. */
      readonly type: 'history'
      readonly applied: readonly ('compact' | 'compress')[]
      readonly fits: boolean
      readonly tokens: { readonly before: number; readonly after: number; readonly limit: number }
      /** Number of results, arguments and groups of messages stored. */
      readonly stored: number
      /** Number of parts that could not be stored or summarized. */
      readonly failures: number
    }
