import type { PreviewFallback } from '@spillway/previews'
import type { OnFallback } from '@spillway/previews/internal'
import { warn } from '@spillway/text/internal'
import { recordEvent, recordRetrievalEvent } from '../journal/event-journal.ts'
import { TokenMeter, type Meter } from '../journal/token-meter.ts'
import {
  createRetrievalTool,
  formatRetrievalCall,
  RETRIEVAL_TOOL_NAME,
  type RetrievalEvent,
  type RetrievalTool,
} from '../retrieval/retrieval-tool.ts'
import { adoptStorage, type AdoptedStorage } from '../content/adopt-storage.ts'
import { RedactionError } from '../redaction/redact-text.ts'
import { describeReferenceArguments, type ReferenceCall, type ResolvedCall } from '../session/reference-arguments.ts'
import {
  mentionedReferences,
  SharedContent,
  sharedContents,
  withShared,
  type Granted,
  type SharedContents,
} from '../session/shared-content.ts'
import { scopeOf, type EvictionReport } from '../storage/storage.ts'
import { assertArray, assertKnownOptions, shown } from '../storage/storage-input.ts'
import {
  isMode,
  resolveOptions,
  type ContextOffloaderOptions,
  type OffloadEvent,
  type OffloadMode,
  type ResolvedOptions,
} from './context-offloader-options.ts'
import { measureContent, type MeasuredBlock } from './measure-content.ts'
import {
  assertOffloadRequest,
  assertOffloadStreamRequest,
  type InlineReason,
  type OffloadRequest,
  type OffloadStreamRequest,
  type Outcome,
} from './offload-request.ts'
import type { Replacement, ReplacingOffloader } from './replace-result.ts'
import { evenShare, limitsOf, TurnBudget, withinTurn, type ToolLimits, type TurnResult } from './result-limits.ts'

type ShareOfTurn = (result: TurnResult) => Promise<number>

interface OffloadContext {
  readonly meter: TokenMeter
  readonly failedOffloads: FailureReports
  readonly failedTurns: FailureReports
  /** Segments of the scope; empty for the whole storage. */
  readonly segments: readonly string[]
  readonly shared: SharedContents
  /** The content of the session that started this sub-agent. */
  readonly parent: SharedContent | undefined
  readonly unusedPreviewers: Set<string>
  readonly retrievalToolName: string
  readonly sizesByKind: boolean
}

export const retrievalToolNameOf = (offloader: ContextOffloader): string => offloader['context'].retrievalToolName

export function recordRetrieval(offloader: ContextOffloader, event: RetrievalEvent): void {
  offloader['context'].meter.retrieved(event.tokens, event.reference)
  recordRetrievalEvent(offloader.options, event)
  emitEvent(offloader.options, event)
}

/**
 * Emit the event `retrieval-tool-hidden` once if results were offloaded, and the tools `offered` to the model lack the
 * retrieval tool. Without a listener, a process warning says so.
 */
export function tellHiddenTool(offloader: ContextOffloader, offered: readonly { readonly name?: unknown }[]): void {
  const toolName = retrievalToolNameOf(offloader)
  const { includeRetrievalTool, onEvent } = offloader.options
  if (!includeRetrievalTool || offered.some(({ name }) => name === toolName) || offloader['hasToldHiddenTool']) return
  if (offloader.meter().offloaded === 0) return
  offloader['hasToldHiddenTool'] = true
  if (onEvent === undefined)
    warn(`The model is not offered the tool ${toolName}. Add it to the tools of the model.`, toolName)
  emitEvent(offloader.options, { type: 'retrieval-tool-hidden', toolName })
}

/** Make the error for a tool of the program that has the name of the retrieval tool. */
export function nameTaken(): TypeError {
  return new TypeError(
    `tools has ${RETRIEVAL_TOOL_NAME} already, which is the name of the retrieval tool. Rename your tool. If the tool ` +
      'comes from Spillway, leave it out, and wrap your own tools once for each session.',
  )
}

/**
 * Keep large tool results out of the context: store them, and return a preview with references instead.
 *
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const session = offloader.forScope('tenant-1', 'session-1')
 *
 * const text = Array.from({ length: 5_000 }, (_, line) => `line ${line}: status=${line === 4_321 ? 'FAILED' : 'ok'}`).join('\n')
 * const outcome = await session.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text }] })
 * console.assert(outcome.status === 'offloaded')
 *
 * if (outcome.status === 'offloaded') {
 *   const answer = await session.retrievalTool.execute({ reference: outcome.stored[0]?.reference, pattern: 'FAILED' })
 *   console.assert(!answer.isError)
 * }
 * ```
 */
export class ContextOffloader {
  /** Options with their defaults. */
  readonly options: ResolvedOptions
  /** The tool `retrieve_offloaded_content` over this scope. Register it if `options.includeRetrievalTool` is true. */
  readonly retrievalTool: RetrievalTool
  readonly #own: AdoptedStorage
  /** Storage of this scope, which can also read entries that other sessions have lent to this session. */
  readonly #storage: AdoptedStorage
  private readonly context: OffloadContext
  private hasToldHiddenTool = false

  /** @internal With a `context`, this is a scope of another offloader, whose options are already checked. */
  constructor(options: ContextOffloaderOptions, context?: OffloadContext) {
    this.options = context === undefined ? resolveOptions(options) : (options as ResolvedOptions)
    this.context = context ?? {
      meter: new TokenMeter(),
      failedOffloads: new FailureReports(),
      failedTurns: new FailureReports(),
      segments: [],
      shared: sharedContents(),
      parent: undefined,
      unusedPreviewers: new Set(),
      retrievalToolName: RETRIEVAL_TOOL_NAME,
      sizesByKind: options.previewTokens === undefined,
    }
    const { segments, shared } = this.context
    const key = JSON.stringify(segments)
    this.#own = adoptStorage(this.options.storage)
    this.#storage = withShared(this.#own, () => shared.get(key))
    const tool = createRetrievalTool({
      storage: this.#storage,
      scoped: segments.length > 0,
      maxRetrievalTokens: this.options.maxRetrievalTokens,
      maxMediaBytes: this.options.maxMediaBytes,
      countTokens: this.options.countTokens,
      formatCall: (call) => formatRetrievalCall(call, this.context.retrievalToolName),
      onRetrieve: (event) => recordRetrieval(this, event),
    })
    const { resolveReferences: references } = this.options
    this.retrievalTool =
      references === undefined
        ? tool
        : { ...tool, description: `${tool.description} ${describeReferenceArguments(references)}` }
  }

  /**
   * Return an offloader for an isolated scope, for example a tenant or a session, with the same settings and meter.
   *
   * @throws StorageError `unsupported` if the storage has no scopes, `invalid-key` if a segment is invalid.
   */
  forScope(...segments: string[]): ContextOffloader {
    const { parent } = this.context
    const scoped = this.#below(segments, parent)
    if (parent !== undefined) this.#shared.extendTo(scoped.#shared)
    return scoped
  }

  #below(segments: readonly string[], parent: SharedContent | undefined): ContextOffloader {
    const options = { ...this.options, storage: scopeOf(this.options.storage, segments) }
    return new ContextOffloader(options, {
      ...this.context,
      segments: [...this.context.segments, ...segments],
      parent,
    })
  }

  get #shared(): SharedContent {
    const { segments, shared } = this.context
    const key = JSON.stringify(segments)
    const content = shared.get(key) ?? new SharedContent(this.#own)
    shared.set(key, content)
    return content
  }

  /**
   * Return the session of a sub-agent, with the same settings and meter, and its own scope below this scope.
   *
   * The sub-agent can read the references in `task` and `lend`, if this session can read them. Turns of the sub-agent
   * do not evict entries of this session. Other sub-agents cannot read the entries of the sub-agent. Pass the answer to
   * {@link ContextOffloader.giveBack}. The same id returns the same session again.
   *
   * @param id - Unique within this session, such as the id of the tool call that starts the sub-agent.
   * @throws StorageError like `forScope`.
   */
  child(id: string, options: ChildOptions = {}): ContextOffloader {
    assertKnownOptions(options, ['task', 'lend'], 'child()')
    const { task = '', lend = [] } = options
    if (typeof task !== 'string') throw new TypeError(`task must be the text for the sub-agent, got ${shown(task)}.`)
    if (lend !== 'all' && !Array.isArray(lend))
      throw new TypeError(`lend must be 'all' or an array of references, got ${shown(lend)}.`)
    if (lend === 'all' && this.context.segments.length === 0)
      throw new TypeError("lend: 'all' needs the session of a scope: offloader.forScope(tenant, session).child(…).")
    const child = this.#below(['sub', id], this.#shared)
    child.#shared.grant(this.#shared, lend === 'all' ? 'all' : [...lend, ...mentionedReferences(task)])
    return child
  }

  /**
   * Let the parent of this sub-agent's session read the references that the answer names. No content is copied.
   *
   * @returns The same answer.
   * @throws TypeError if this session was not made by {@link ContextOffloader.child}.
   */
  giveBack(answer: string): string {
    const { parent } = this.context
    if (parent === undefined) throw new TypeError('giveBack() needs the session of a sub-agent: session.child(id).')
    if (typeof answer !== 'string') throw new TypeError(`answer must be a text, got ${shown(answer)}.`)
    parent.grant(this.#shared, mentionedReferences(answer))
    return answer
  }

  /**
   * Replace the references in the arguments of a call by their content, if the option `resolveReferences` allows it.
   *
   * Adapters call this method before they call the tool. A program can show the resolved arguments to a user who
   * approves the call.
   *
   * If a reference cannot be resolved, the call rejects with an `Error` whose message is for the model.
   */
  async resolveReferences<Input>(call: ReferenceCall<Input>): Promise<ResolvedCall<Input>> {
    const { resolveReferences } = await import('../session/resolve-references.ts')
    return resolveReferences(call, this.options.resolveReferences, this.#storage)
  }

  /**
   * Return an offloader in which the retrieval tool has another name. Storage, settings and meter are the same.
   *
   * @throws TypeError if the name is empty.
   */
  withRetrievalToolName(name: string): ContextOffloader {
    if (typeof name !== 'string' || name === '') throw new TypeError(`name must be a tool name, got ${shown(name)}.`)
    return new ContextOffloader(this.options, { ...this.context, retrievalToolName: name })
  }

  /**
   * Store a result over the limit, and return its replacement. Other results are returned unchanged.
   *
   * If storing fails, the result is kept in the context with the reason `failed`, cut to `maxInlineTokens`, and an
   * event is emitted. Equal input and settings give equal bytes. Rejects only with a `TypeError`, if the request is
   * invalid.
   */
  async offload(request: OffloadRequest): Promise<Outcome> {
    const { callsInTurn } = Object(request) as Partial<OffloadRequest>
    if (callsInTurn === undefined) return this.#offload(request)
    return this.#offload(request, async () => evenShare(this.options.maxTurnTokens, callsInTurn))
  }

  /**
   * Offload all results of one message, in the order of its calls, so that they share `maxTurnTokens`.
   *
   * The share of each result depends only on these results. Rejects like `offload`.
   */
  async offloadAll(requests: readonly OffloadRequest[]): Promise<Outcome[]> {
    assertArray(requests, 'offloadAll() takes an array of requests')
    return this.inTurn(requests.map((request) => async (turn) => turn.offload(request)))
  }

  /**
   * Call a function for each tool call of one message. The results that the functions offload share `maxTurnTokens`.
   *
   * Results are offloaded after each function has passed its result to `offload` or has ended. Rejects if any of the
   * functions rejects.
   */
  async inTurn<Result>(
    calls: readonly ((offloader: Pick<ContextOffloader, 'offload'>) => Promise<Result>)[],
  ): Promise<Result[]> {
    assertArray(calls, 'inTurn() takes an array of functions')
    const { maxTurnTokens } = this.options
    if (maxTurnTokens === Infinity) return Promise.all(calls.map(async (call) => call(this)))
    const turn = new TurnBudget(maxTurnTokens, calls.length)
    const running = calls.map(async (call, index) => {
      const share: ShareOfTurn = async (result) => turn.share(index, result)
      return call({ offload: (request) => this.#offload(request, share) }).finally(() => {
        turn.leave(index)
      })
    })
    return Promise.all(running)
  }

  async #offload(request: OffloadRequest, share?: ShareOfTurn): Promise<Outcome> {
    assertOffloadRequest(request)
    const arrived = performance.now()
    this.context.meter.seen()
    const { redact } = this.options
    if (redact?.where !== 'all') return this.#offloadRedacted(request, arrived, share)
    let { content } = request
    try {
      const { redactContent } = await import('../redaction/redact-content.ts')
      content = await redactContent(content, redact, this.#storage.caller)
    } catch (error) {
      const withheld = this.#redactionFailed(request, error)
      if (withheld !== undefined) return withheld
    }
    const outcome = await this.#offloadRedacted({ ...request, content }, arrived, share)
    if (outcome.status !== 'inline' || content === request.content) return outcome
    const { original } = outcome.tokens
    return { ...outcome, status: 'redacted', stored: [], tokens: { original, replacement: original } }
  }

  /** Report a failed redaction. The result is not shown, unless the user chose `keep`. */
  #redactionFailed({ toolName, toolCallId }: OffloadRequest, error: unknown): Outcome | undefined {
    this.#emit({ type: 'redaction-failed', toolName, toolCallId, error })
    if (this.options.redact?.onError === 'keep') return undefined
    const tokens = { original: 0, replacement: this.options.countTokens(WITHHELD) }
    const content = [{ type: 'text', text: WITHHELD } as const]
    return { status: 'withheld', reason: 'redaction-failed', stored: [], content, tokens, error }
  }

  async #offloadRedacted(request: OffloadRequest, arrived: number, share?: ShareOfTurn): Promise<Outcome> {
    let started = arrived
    const own = limitsOf(this.options, request.toolName)
    const { mode } = this
    const staysBecause = mode === 'off' ? 'off' : this.#staysBecause(request, own)
    if (staysBecause !== undefined && share === undefined) return inline(request, staysBecause, 0)
    let original = 0
    let blocks: readonly MeasuredBlock[] = []
    try {
      const { caller } = this.#storage
      blocks = await measureContent(request.content, own.maxResultTokens, this.options.countTokens, caller)
      original = blocks.reduce((sum, block) => sum + block.tokens, 0)
      const isFixed = staysBecause !== undefined || (own.isExempt && original <= own.maxResultTokens)
      const result = { tokens: original, limits: own, isError: request.isError ?? false, isFixed }
      const measured = performance.now()
      const tokens = await share?.(result)
      started += since(measured)
      if (staysBecause !== undefined) return inline(request, staysBecause, 0)
      const limits = isFixed || tokens === undefined ? own : withinTurn(own, tokens)
      if (original <= limits.maxResultTokens) return inline(request, own.isExempt ? 'exempt' : 'within-limit', original)
      if (mode === 'shadow') return this.#skip(request, 'shadow', original, started)
      const readBack = await this.#readBack(request, blocks, original, started)
      if (readBack !== undefined) return readBack
      if (!(await this.#shouldOffload(request, original))) return this.#skip(request, 'declined', original, started)
      // The modules for previews are loaded when the first large result arrives.
      const { replaceResult } = await import('./replace-result.ts')
      const replaced = await replaceResult(request, blocks, original, this.#replacing(request, limits))
      if ('reason' in replaced) return this.#skip(request, replaced.reason, original, started)
      return this.#offloaded(request, replaced, started, original <= own.maxResultTokens ? 'turn-budget' : undefined)
    } catch (error) {
      const withheld = error instanceof RedactionError ? this.#redactionFailed(request, error) : undefined
      return withheld ?? (await this.#failed(request, blocks, original, started, error))
    }
  }

  /** Apply the limit of retrieval answers to content that a tool read from storage. The content is not stored again. */
  async #readBack(
    request: OffloadRequest,
    blocks: readonly MeasuredBlock[],
    original: number,
    started: number,
  ): Promise<Outcome | undefined> {
    const { maxRetrievalTokens, maxMediaBytes, includeRetrievalTool } = this.options
    if (blocks.some(({ block }) => 'data' in block && (block.data?.byteLength ?? 0) > maxMediaBytes)) return undefined
    const { findReadBack } = await import('./read-back.ts')
    const found = await findReadBack(request, blocks, this.#storage)
    if (found === undefined) return undefined
    const stays = this.#skip(request, 'read-back', original, started)
    const texts = blocks.filter(({ text }) => text !== undefined)
    const isWhole = texts.reduce((sum, { tokens }) => sum + tokens, 0) <= maxRetrievalTokens
    const { cutResult, storedAlready } = await import('./cut-result.ts')
    const why = storedAlready(found, includeRetrievalTool ? this.context.retrievalToolName : undefined)
    const replacing = this.#replacing(request, limitsOf(this.options, request.toolName))
    const cut = isWhole
      ? undefined
      : await cutResult(request, blocks, { maxTokens: maxRetrievalTokens, why }, replacing)
    this.context.meter.retrieved(cut?.tokens.replacement ?? original, found.references[0])
    return cut === undefined ? stays : { status: 'cut', reason: 'read-back', stored: [], ...cut }
  }

  #staysBecause({ toolName, isCancelled }: OffloadRequest, { maxResultTokens }: ToolLimits): InlineReason | undefined {
    const ownNames = [RETRIEVAL_TOOL_NAME, this.context.retrievalToolName]
    if (this.options.includeRetrievalTool && ownNames.includes(toolName)) return 'retrieval-result'
    if (maxResultTokens === Infinity) return 'exempt'
    return isCancelled === true ? 'cancelled' : undefined
  }

  /** Report a failed store. The result is kept in the context, so that it is not lost. */
  async #failed(
    request: OffloadRequest,
    blocks: readonly MeasuredBlock[],
    original: number,
    started: number,
    error: unknown,
  ): Promise<Outcome> {
    const { toolName, toolCallId, signal } = request
    this.context.meter.failed()
    const isAborted = signal?.aborted === true
    // An aborted call does not mean that the storage fails.
    const report = isAborted ? plusFailure(NO_FAILURES, original) : this.context.failedOffloads.failed(original)
    if (report !== undefined && !isAborted && this.options.onEvent === undefined)
      warn('A result could not be offloaded. Set onEvent to handle such failures.', error)
    if (report !== undefined)
      this.#emit({ type: 'offload-failed', toolName, toolCallId, error, ...report, durationMs: since(started) })
    const limits = limitsOf(this.options, toolName)
    if (original <= limits.maxInlineTokens || isAborted) return { ...inline(request, 'failed', original), error }
    const { cutResult, notStored } = await import('./cut-result.ts')
    const cutting = { maxTokens: limits.maxInlineTokens, why: notStored(error) }
    const cut = await cutResult(request, blocks, cutting, this.#replacing(request, limits))
    return { status: 'cut', reason: 'failed', stored: [], ...cut, error }
  }

  /**
   * Store a stream while it arrives, in bounded memory, and return its replacement.
   *
   * A stream is returned as one block if it is within the limit, or not larger than its replacement. Rejects if storing
   * fails, because the stream cannot be read again.
   */
  async offloadStream(request: OffloadStreamRequest): Promise<Outcome> {
    assertOffloadStreamRequest(request)
    const started = performance.now()
    this.context.meter.seen()
    const { replaceStream } = await import('./replace-result.ts')
    const limits = limitsOf(this.options, request.toolName)
    const replaced = await replaceStream(request, this.#replacing(request, limits))
    return 'reason' in replaced ? { status: 'inline', ...replaced } : this.#offloaded(request, replaced, started)
  }

  /**
   * End a turn, which is one model call, and evict content unused for too many turns.
   *
   * Never rejects. If the storage fails, an event is emitted and the report is empty.
   */
  async endTurn(): Promise<EvictionReport> {
    try {
      const report = await this.#storage.endTurn()
      this.context.failedTurns.succeeded()
      for (const entry of report.evicted) recordEvent(this.options, { type: 'eviction', ...entry })
      if (report.evicted.length > 0) this.#emit({ type: 'eviction', evicted: report.evicted })
      return report
    } catch (error) {
      // The next turn evicts the entries that this turn did not evict.
      const report = this.context.failedTurns.failed(0)
      if (report !== undefined) this.#emit({ type: 'eviction-failed', error, failures: report.failures })
      return { evicted: [] }
    }
  }

  /** The current mode. `options.mode` may be a function that returns it. */
  get mode(): OffloadMode {
    const { mode } = this.options
    if (typeof mode !== 'function') return mode
    try {
      const current: unknown = mode()
      if (isMode(current)) return current
      warn('mode() returned an invalid mode, so results are offloaded.', current)
    } catch (error) {
      warn('mode() threw an error, so results are offloaded.', error)
    }
    return 'offload'
  }

  /** Read the token totals over all scopes of this offloader. */
  meter(): Meter {
    return this.context.meter.read()
  }

  #replacing(
    request: Pick<OffloadRequest, 'toolName' | 'toolCallId'>,
    { maxResultTokens, previewTokens, maxInlineTokens, hasOwnPreview }: ToolLimits,
  ): ReplacingOffloader {
    const { retrievalToolName } = this.context
    const options = { ...this.options, maxResultTokens, previewTokens, maxInlineTokens, storage: this.#storage }
    const sizesByKind = this.context.sizesByKind && !hasOwnPreview
    return { options, retrievalToolName, sizesByKind, onFallback: this.#onFallback(request) }
  }

  #onFallback({ toolName, toolCallId }: Pick<OffloadRequest, 'toolName' | 'toolCallId'>): OnFallback {
    return (fallback: PreviewFallback) => {
      const { unusedPreviewers: unused } = this.context
      const isFirst = unused.size < unused.add(fallback.previewer).size
      if (!isFirst && fallback.reason === 'peer-missing') return
      const isOwn = this.options.previewers.some(({ name }) => name === fallback.previewer)
      if (isFirst && isOwn && this.options.onEvent === undefined)
        warn(`The previewer ${fallback.previewer} failed.`, fallback.error ?? fallback.reason)
      this.#emit({ type: 'preview-fallback', toolName, toolCallId, ...fallback })
    }
  }

  #skip(request: OffloadRequest, reason: SkipReason, original: number, started: number): Outcome {
    const { toolName, toolCallId } = request
    if (reason === 'shadow') this.context.meter.shadowed(original)
    this.#emit({
      type: 'offload-skipped',
      toolName,
      toolCallId,
      reason,
      tokens: { original },
      durationMs: since(started),
    })
    return inline(request, reason, original)
  }

  #offloaded(
    { toolName, toolCallId }: Pick<OffloadRequest, 'toolName' | 'toolCallId'>,
    { stored, content, tokens, preview }: Replacement,
    started: number,
    because?: 'turn-budget',
  ): Outcome {
    const reason = because && { reason: because }
    const failures = this.context.failedOffloads.succeeded()
    if (failures !== undefined) this.#emit({ type: 'offload-recovered', ...failures })
    const references = stored.map(({ reference }) => reference)
    this.context.meter.offloaded(tokens, references)
    recordEvent(this.options, { type: 'offload', tool: toolName, references, preview, tokens })
    this.#emit({ type: 'offload', toolName, toolCallId, ...reason, stored, tokens, durationMs: since(started) })
    return { status: 'offloaded', ...reason, content, stored, tokens }
  }

  async #shouldOffload(request: OffloadRequest, tokens: number): Promise<boolean> {
    const { toolName, toolCallId, input, isError = false } = request
    try {
      return (await this.options.shouldOffload?.({ toolName, toolCallId, input, isError, tokens })) ?? true
    } catch (error) {
      warn('shouldOffload threw, so the result was offloaded.', error)
      return true
    }
  }

  #emit(event: OffloadEvent): void {
    emitEvent(this.options, event)
  }
}

/** Options of {@link ContextOffloader.child}. */
export interface ChildOptions {
  /** The task as text. The sub-agent can read the entries whose references are in the task. */
  readonly task?: string | undefined
  /** More references for the sub-agent. `all`: all entries of the parent's own scope. Defaults to none. */
  readonly lend?: Granted | undefined
}

type SkipReason = Extract<OffloadEvent, { type: 'offload-skipped' }>['reason']

const since = (started: number): number => performance.now() - started

const WITHHELD =
  '[Withheld: secrets could not be removed from the tool result, so it is not shown. The application has to fix this.]'

const inline = (
  { content }: OffloadRequest,
  reason: InlineReason,
  original: number,
): Extract<Outcome, { status: 'inline' }> => ({ status: 'inline', reason, content, tokens: { original } })

interface Failures {
  readonly failures: number
  readonly tokens: { readonly original: number }
}

const NO_FAILURES: Failures = { failures: 0, tokens: { original: 0 } }
const plusFailure = ({ failures, tokens }: Failures, original: number): Failures => ({
  failures: failures + 1,
  tokens: { original: tokens.original + original },
})

const REPORT_EVERY_MS = 60_000

/** Combines failures of the storage. An outage is reported when it begins, at most once a minute, and when it ends. */
class FailureReports {
  #reportedAt = -Infinity
  #isReported = false
  #sinceReport = NO_FAILURES
  #all = NO_FAILURES

  failed(original: number): Failures | undefined {
    this.#all = plusFailure(this.#all, original)
    this.#sinceReport = plusFailure(this.#sinceReport, original)
    if (performance.now() - this.#reportedAt < REPORT_EVERY_MS) return undefined
    const report = this.#sinceReport
    this.#sinceReport = NO_FAILURES
    this.#reportedAt = performance.now()
    this.#isReported = true
    return report
  }

  /** Returns all failures of the outage that this success ends, or `undefined` if no outage was reported. */
  succeeded(): Failures | undefined {
    if (!this.#isReported) return undefined
    const all = this.#all
    this.#isReported = false
    this.#sinceReport = NO_FAILURES
    this.#all = NO_FAILURES
    return all
  }
}

export function emitEvent({ onEvent }: Pick<ResolvedOptions, 'onEvent'>, event: OffloadEvent): void {
  const failed = (error: unknown): void => warn('onEvent threw; the agent is not affected.', error)
  try {
    const returned: unknown = onEvent?.(event)
    // An unhandled rejection of an asynchronous listener would end the process.
    if (returned instanceof Promise) returned.catch(failed)
  } catch (error) {
    failed(error)
  }
}
