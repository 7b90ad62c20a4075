import { metrics, SpanStatusCode, trace, type Attributes, type Counter, type Histogram } from '@opentelemetry/api'
import type { OffloadEvent } from '../offload/context-offloader-options.ts'
import { StorageError } from '../storage/storage-error.ts'

/** All recorded names. Names that begin with `gen_ai` are from version 1.41 of the semantic conventions. */
export const NAMES = {
  offload: 'spillway.offload',
  retrieve: 'spillway.retrieve',
  offloads: 'spillway.offloads',
  retrievals: 'spillway.retrievals',
  evictions: 'spillway.evictions',
  failures: 'spillway.failures',
  tokens: 'spillway.tokens',
  resultTokens: 'spillway.result.tokens',
  duration: 'spillway.operation.duration',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  outcome: 'spillway.outcome',
  reason: 'spillway.reason',
  originalTokens: 'spillway.tokens.original',
  replacementTokens: 'spillway.tokens.replacement',
  retrievedTokens: 'spillway.tokens.retrieved',
  blocks: 'spillway.blocks',
  bytes: 'spillway.bytes',
  contentKind: 'spillway.content.kind',
  mode: 'spillway.mode',
  operation: 'spillway.operation',
  tokenKind: 'spillway.token.kind',
} as const

const LIBRARY = '@spillway/core'
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const TOKENS = [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000]
/**
 * Largest number of tools with their own metrics. Each of these tools has a time series, and further tools share one
 * time series.
 */
const MAX_TOOLS = 100

/**
 * Create a listener that records events as OpenTelemetry spans and metrics, without content, patterns and references.
 *
 * Spans are children of the span that is active when the result arrives. Without a registered SDK, nothing is recorded.
 * Register the SDK before the first event.
 *
 * @returns A function for the option `onEvent` of a `ContextOffloader`, or `onRetrieve` of a retrieval tool.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { telemetryListener } from '@spillway/core/telemetry'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage(), onEvent: telemetryListener() })
 * const text = 'a line of a log\n'.repeat(5_000)
 * await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text }] })
 * ```
 */
export function telemetryListener(): (event: OffloadEvent) => void {
  let recorder: Recorder | undefined
  return (event) => {
    // Instruments made before the SDK is registered never record.
    recorder ??= new Recorder()
    recorder.record(event)
  }
}

type EventOf<Type extends OffloadEvent['type']> = Extract<OffloadEvent, { readonly type: Type }>
type OffloadingEvent = EventOf<'offload' | 'offload-skipped' | 'offload-failed'>

const OUTCOMES = { offload: 'offloaded', 'offload-skipped': 'skipped', 'offload-failed': 'failed' } as const

class Recorder {
  readonly #tracer = trace.getTracer(LIBRARY)
  readonly #offloads = counter(NAMES.offloads, 'Results over the limit.', '{result}')
  readonly #retrievals = counter(NAMES.retrievals, 'Calls of the retrieval tool.', '{call}')
  readonly #evictions = counter(NAMES.evictions, 'Entries evicted at the end of a turn.', '{entry}')
  readonly #failures = counter(NAMES.failures, 'Operations that failed.', '{failure}')
  readonly #tokens = counter(NAMES.tokens, 'Tokens avoided, shown in place of results, and retrieved.', '{token}')
  readonly #resultTokens = histogram(NAMES.resultTokens, 'Tokens of a result over the limit.', '{token}', TOKENS)
  readonly #durations = histogram(NAMES.duration, 'Time of an offload or a retrieval.', 's', SECONDS)
  readonly #tools = new Set<string>()

  record(event: OffloadEvent): void {
    if (event.type === 'offload' || event.type === 'offload-skipped' || event.type === 'offload-failed')
      this.#offload(event)
    else if (event.type === 'retrieval') this.#retrieve(event)
    else if (event.type === 'eviction-failed') this.#fail('evict', event.error, event.failures)
    else if (event.type === 'redaction-failed') this.#fail('redact', event.error, 1)
    else if (event.type === 'eviction')
      for (const { reason } of event.evicted) this.#evictions.add(1, { [NAMES.reason]: reason })
  }

  #offload(event: OffloadingEvent): void {
    const { toolName, toolCallId, tokens } = event
    const tool = { [NAMES.toolName]: this.#joined(toolName) }
    const outcome = {
      [NAMES.outcome]: OUTCOMES[event.type],
      ...('reason' in event && { [NAMES.reason]: event.reason }),
    }
    const attributes: Attributes = {
      ...outcome,
      [NAMES.toolName]: toolName,
      [NAMES.toolCallId]: toolCallId,
      [NAMES.originalTokens]: tokens.original,
    }
    if (event.type === 'offload') {
      const { stored } = event
      attributes[NAMES.replacementTokens] = event.tokens.replacement
      attributes[NAMES.blocks] = stored.length
      attributes[NAMES.bytes] = stored.reduce((sum, { size }) => sum + size, 0)
      attributes[NAMES.contentKind] = stored[0]?.type
      this.#tokens.add(tokens.original, { ...tool, [NAMES.tokenKind]: 'avoided' })
      this.#tokens.add(event.tokens.replacement, { ...tool, [NAMES.tokenKind]: 'shown' })
    }
    const failed = event.type === 'offload-failed' ? event : undefined
    if (failed !== undefined) this.#fail('offload', failed.error, failed.failures)
    else this.#resultTokens.record(tokens.original, { ...tool, ...outcome })
    this.#offloads.add(failed?.failures ?? 1, { ...tool, ...outcome })
    this.#end(NAMES.offload, event.durationMs, attributes, failed && errorTypeOf(failed.error))
  }

  #retrieve({ mode, tokens, code, durationMs }: EventOf<'retrieval'>): void {
    const attributes = { [NAMES.mode]: mode }
    this.#tokens.add(tokens, { [NAMES.tokenKind]: 'retrieved' })
    this.#retrievals.add(1, { ...attributes, ...(code !== undefined && { [NAMES.errorType]: code }) })
    this.#end(NAMES.retrieve, durationMs, { ...attributes, [NAMES.retrievedTokens]: tokens }, code)
  }

  /** Error messages are left out, because they can quote content. */
  #end(name: string, durationMs: number, attributes: Attributes, errorType: string | undefined): void {
    const error = errorType === undefined ? {} : { [NAMES.errorType]: errorType }
    this.#durations.record(durationMs / 1_000, { [NAMES.operation]: name.slice('spillway.'.length), ...error })
    const endTime = Date.now()
    const span = this.#tracer.startSpan(name, {
      startTime: endTime - durationMs,
      attributes: { ...attributes, ...error },
    })
    if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endTime)
  }

  #fail(operation: 'offload' | 'evict' | 'redact', error: unknown, failures: number): void {
    this.#failures.add(failures, { [NAMES.operation]: operation, [NAMES.errorType]: errorTypeOf(error) })
  }

  #joined(toolName: string): string {
    if (!this.#tools.has(toolName) && this.#tools.size >= MAX_TOOLS) return 'other'
    this.#tools.add(toolName)
    return toolName
  }
}

function errorTypeOf(error: unknown): string {
  if (StorageError.isInstance(error)) return error.code
  return error instanceof Error ? error.constructor.name : typeof error
}

const counter = (name: string, description: string, unit: string): Counter =>
  metrics.getMeter(LIBRARY).createCounter(name, { description, unit })

const histogram = (name: string, description: string, unit: string, bounds: number[]): Histogram =>
  metrics.getMeter(LIBRARY).createHistogram(name, { description, unit, advice: { explicitBucketBoundaries: bounds } })
