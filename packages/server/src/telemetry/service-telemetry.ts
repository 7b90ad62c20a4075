import { context, propagation, SpanKind, SpanStatusCode, trace, type Span, type Tracer } from '@opentelemetry/api'
import type { OffloadEvent } from '@spillway/core'
import type { WorkGate } from '../limits/work-gate.ts'
import type { RequestRecord } from './request-record.ts'

const NAME = '@spillway/server'
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface RequestStart {
  readonly method: string
  readonly headers: Headers
}

/** Prometheus metrics and OpenTelemetry traces, without content; traces are free without a provider. */
export class ServiceTelemetry {
  readonly #registry = new MetricRegistry()
  readonly #tracer: Tracer = trace.getTracer(NAME)
  readonly #requests = this.#registry.counter('spillway_http_requests_total', 'Requests answered.', [
    'method',
    'route',
    'status',
  ])
  readonly #durations = this.#registry.histogram(
    'spillway_http_request_duration_seconds',
    'Time from the headers of a request to those of its answer.',
    ['route'],
    DURATIONS,
  )
  readonly #failures = this.#registry.counter('spillway_http_failures_total', 'Requests that failed, by code.', [
    'code',
  ])
  readonly #bytes = this.#registry.counter('spillway_http_body_bytes_total', 'Bytes of bodies.', ['direction'])
  readonly #tokens = this.#registry.counter('spillway_tokens_total', 'Tokens of offloaded results.', ['kind'])
  #inFlight = 0

  constructor(gate: WorkGate) {
    this.#registry.gauge('spillway_http_requests_in_flight', 'Requests under way.', () => this.#inFlight)
    this.#registry.gauge('spillway_work_running', 'Requests that are worked on.', () => gate.running)
    this.#registry.gauge('spillway_work_queued', 'Requests that wait for their turn.', () => gate.queued)
    this.#registry.gauge('spillway_work_memory_bytes', 'Memory of bodies and answers, by estimate.', () => gate.bytes)
  }

  /** Write the metrics in Prometheus' text format. */
  metricsText(): string {
    return this.#registry.text()
  }

  /** Run a request in a span, below that of the caller. The span lasts until `done`, which never rejects. */
  async request(
    { method, headers }: RequestStart,
    run: (span: Span) => Promise<{ readonly response: Response; readonly done: Promise<unknown> | undefined }>,
  ): Promise<Response> {
    const parent = propagation.extract(context.active(), headers, {
      get: (carrier, key) => carrier.get(key) ?? undefined,
      keys: (carrier) => [...carrier.keys()],
    })
    const span = this.#tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
      parent,
    )
    this.#inFlight += 1
    const end = (): void => {
      this.#inFlight -= 1
      span.end()
    }
    try {
      const { response, done } = await context.with(trace.setSpan(parent, span), () => run(span))
      if (done === undefined) end()
      else void done.then(end)
      return response
    } catch (error) {
      end()
      throw error
    }
  }

  answered(record: RequestRecord, span: Span): void {
    const { method, route, status, milliseconds, bytesIn, bytesOut, code } = record
    this.#requests([method, route, `${status}`])
    this.#durations([route], milliseconds / 1_000)
    this.#bytes(['in'], bytesIn)
    this.#bytes(['out'], bytesOut)
    if (code !== undefined) this.#failures([code])
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      ...(code !== undefined && { 'error.type': code }),
    }
    span.updateName(`${method} ${route}`)
    span.setAttributes(attributes)
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  }

  /** Run a step in a child span, recording only the class of an error. */
  async step<Result>(
    name: string,
    attributes: Readonly<Record<string, string | number | boolean>>,
    run: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    return await this.#tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await run(span)
      } catch (error) {
        span.setAttribute('error.type', error instanceof Error ? error.constructor.name : typeof error)
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }

  /** Count an offloader's event. */
  offloaded(event: OffloadEvent): void {
    if (event.type === 'offload') {
      this.#tokens(['original'], event.tokens.original)
      this.#tokens(['shown'], event.tokens.replacement)
    } else if (event.type === 'retrieval') this.#tokens(['retrieved'], event.tokens)
  }
}

type LabelValues = readonly string[]

interface Metric {
  write(): Iterable<string>
}

/** A bug must not fill the memory. */
const MAX_SERIES = 1_000

/** Metrics in Prometheus' text format. */
export class MetricRegistry {
  readonly #metrics: Metric[] = []

  /** Create a counter; the function adds to it. */
  counter(name: string, help: string, labels: readonly string[]): (values: LabelValues, amount?: number) => void {
    const series = new Map<string, number>()
    this.#metrics.push({
      *write() {
        yield* heading(name, help, 'counter')
        for (const [key, value] of series) yield `${name}${key} ${value}`
      },
    })
    return (values, amount = 1) => {
      const key = labelText(labels, values)
      if (series.has(key) || series.size < MAX_SERIES) series.set(key, (series.get(key) ?? 0) + amount)
    }
  }

  /** Create a gauge, which is read on request. */
  gauge(name: string, help: string, read: () => number): void {
    this.#metrics.push({ write: () => [...heading(name, help, 'gauge'), `${name} ${read()}`] })
  }

  /** Create a histogram; the function adds an observation. */
  histogram(
    name: string,
    help: string,
    labels: readonly string[],
    buckets: readonly number[],
  ): (values: LabelValues, observed: number) => void {
    const series = new Map<
      string,
      { readonly values: LabelValues; readonly counts: number[]; sum: number; count: number }
    >()
    this.#metrics.push({
      *write() {
        yield* heading(name, help, 'histogram')
        for (const [key, { values, counts, sum, count }] of series) {
          for (const [index, bound] of buckets.entries())
            yield `${name}_bucket${labelText([...labels, 'le'], [...values, `${bound}`])} ${counts[index]}`
          yield `${name}_bucket${labelText([...labels, 'le'], [...values, '+Inf'])} ${count}`
          yield `${name}_sum${key} ${sum}`
          yield `${name}_count${key} ${count}`
        }
      },
    })
    return (values, observed) => {
      const key = labelText(labels, values)
      const histogram = series.get(key) ?? { values, counts: buckets.map(() => 0), sum: 0, count: 0 }
      if (!series.has(key) && series.size >= MAX_SERIES) return
      series.set(key, histogram)
      histogram.sum += observed
      histogram.count += 1
      for (const [index, bound] of buckets.entries()) if (observed <= bound) histogram.counts[index]! += 1
    }
  }

  /** Write all metrics. */
  text(): string {
    return `${this.#metrics.flatMap((metric) => [...metric.write()]).join('\n')}\n`
  }
}

function* heading(name: string, help: string, type: string): Generator<string> {
  yield `# HELP ${name} ${help}`
  yield `# TYPE ${name} ${type}`
}

function labelText(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return ''
  const escaped = (value: string): string =>
    value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`).join(',')}}`
}
