import type { OffloadEvent } from '@spillway/core'
import type { WorkGate } from '../limits/work-gate.ts'
import type { RequestRecord } from './request-record.ts'

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Prometheus metrics, without content. */
export class ServiceMetrics {
  readonly #requests = new Metric('spillway_http_requests_total', 'Requests answered.')
  readonly #durations = new Metric(
    'spillway_http_request_duration_seconds',
    'Time from the headers of a request to the headers of its answer.',
    DURATIONS,
  )
  readonly #failures = new Metric('spillway_http_failures_total', 'Requests that failed, by code.')
  readonly #bytes = new Metric('spillway_http_body_bytes_total', 'Bytes of bodies.')
  readonly #tokens = new Metric('spillway_tokens_total', 'Tokens of offloaded results.')
  readonly #gate: WorkGate
  readonly #inFlight: () => number

  /** @param inFlight - Returns the number of unanswered requests. */
  constructor(gate: WorkGate, inFlight: () => number) {
    this.#gate = gate
    this.#inFlight = inFlight
  }

  /** Write the metrics in Prometheus' text format. */
  text(): string {
    const { running, queued, bytes } = this.#gate
    return [
      ...[this.#requests, this.#durations, this.#failures, this.#bytes, this.#tokens].map((metric) => metric.text()),
      gauge('spillway_http_requests_in_flight', 'Requests under way.', this.#inFlight()),
      gauge('spillway_work_running', 'Requests that are processed now.', running),
      gauge('spillway_work_queued', 'Requests that wait for their turn.', queued),
      gauge('spillway_work_memory_bytes', 'Estimated memory of bodies and answers.', bytes),
    ].join('')
  }

  answered({ method, route, status, milliseconds, bytesIn, bytesOut, code }: RequestRecord): void {
    this.#requests.add({ method, route, status: `${status}` }, 1)
    this.#durations.observe({ route }, milliseconds / 1_000)
    this.#bytes.add({ direction: 'in' }, bytesIn)
    this.#bytes.add({ direction: 'out' }, bytesOut)
    if (code !== undefined) this.#failures.add({ code }, 1)
  }

  offloaded(event: OffloadEvent): void {
    if (event.type === 'offload') {
      this.#tokens.add({ kind: 'original' }, event.tokens.original)
      this.#tokens.add({ kind: 'shown' }, event.tokens.replacement)
    } else if (event.type === 'retrieval') this.#tokens.add({ kind: 'retrieved' }, event.tokens)
  }
}

/** Limit of the sets of labels, so that a bug cannot fill the memory. */
const MAX_SERIES = 1_000

type Labels = Readonly<Record<string, string>>

/** A counter in Prometheus' text format, or a histogram if it has buckets, with a value for each set of labels. */
export class Metric {
  readonly #name: string
  readonly #heading: string
  readonly #buckets: readonly number[]
  /** Values by labels: a count, or the counts of all buckets and the sum. */
  readonly #series = new Map<string, number[]>()

  constructor(name: string, help: string, buckets: readonly number[] = []) {
    this.#name = name
    this.#heading = heading(name, help, buckets.length === 0 ? 'counter' : 'histogram')
    this.#buckets = buckets.length === 0 ? [] : [...buckets, Infinity]
  }

  /** Add to a counter. */
  add(labels: Labels, ...amounts: number[]): void {
    const key = labelText(labels)
    const known = this.#series.get(key)
    if (known === undefined && this.#series.size < MAX_SERIES) this.#series.set(key, amounts)
    for (const [index, value] of known?.entries() ?? []) known![index] = value + amounts[index]!
  }

  observe(labels: Labels, observed: number): void {
    this.add(labels, ...this.#buckets.map((bound) => Number(observed <= bound)), observed)
  }

  text(): string {
    const line = (key: string, value?: number): string => `${this.#name}${key} ${value}\n`
    const lines = Array.from(this.#series, ([labels, values]) => {
      if (values.length === 1) return line(`{${labels}}`, values[0])
      const buckets = this.#buckets.map((bound, index) =>
        line(`_bucket{${labels},le="${bound === Infinity ? '+Inf' : bound}"}`, values[index]),
      )
      return buckets.join('') + line(`_sum{${labels}}`, values.at(-1)) + line(`_count{${labels}}`, values.at(-2))
    })
    return this.#heading + lines.join('')
  }
}

const gauge = (name: string, help: string, value: number): string => `${heading(name, help, 'gauge')}${name} ${value}\n`

const heading = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, (character) => ESCAPES[character]!)}"`)
    .join(',')
