import { context, propagation, trace, type TextMapPropagator } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startService } from './start-service.ts'

const spans = new InMemorySpanExporter()

/** The part of W3C's trace context that tells of a parent. */
const traceContext: TextMapPropagator = {
  inject() {},
  extract(parent, carrier, { get }) {
    const header = get(carrier, 'traceparent')
    const [, traceId = '', spanId = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(header)) ?? []
    return spanId === '' ? parent : trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1, isRemote: true })
  },
  fields: () => ['traceparent'],
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(traceContext)
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }))
})
afterAll(() => {
  for (const api of [context, propagation, trace]) api.disable()
})
beforeEach(() => spans.reset())

const text = Array.from({ length: 5_000 }, (_, line) => `line ${line} of a secret log`).join('\n')
const offload = { toolName: 'read', toolCallId: 'call_1', content: [{ type: 'text', text }] }
const named = (name: string): ReadableSpan => {
  const span = spans.getFinishedSpans().find((one) => one.name === name)
  if (span === undefined)
    throw new Error(
      `No span ${name} among ${spans
        .getFinishedSpans()
        .map((one) => one.name)
        .join()}`,
    )
  return span
}

describe('traces', () => {
  it('have a span for each request with its route and status, and child spans for its parts', async () => {
    const service = await startService()
    await service.post('/v1/offload', offload)
    const request = named('POST /v1/offload')
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/offload',
      'http.response.status_code': 200,
    })
    const part = named('spillway.offload')
    expect(part.parentSpanContext?.spanId).toBe(request.spanContext().spanId)
    expect(part.attributes['spillway.outcome']).toBe('offloaded')
    expect(part.attributes['spillway.tokens.original']).toBeGreaterThan(10_000)
  })

  it("continue the caller's trace", async () => {
    const service = await startService()
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await service.get('/health', { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
    expect(named('GET /health').spanContext().traceId).toBe(traceId)
    expect(named('GET /health').parentSpanContext?.spanId).toBe('b7ad6b7169203331')
  })

  it('describe how a history was compacted, and failures', async () => {
    const service = await startService({ summarize: async () => 'nothing of use' })
    const messages = [
      ...Array.from({ length: 8 }, (_, turn) => ({
        role: turn % 2 === 0 ? 'user' : 'assistant',
        content: `a secret ${'word '.repeat(4_000)}`,
      })),
      { role: 'user', content: 'go on' },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: 'go on' },
    ]
    await service.post('/context_offload', { messages, context_manage_mode: 'compress' })
    expect(named('spillway.history').attributes).toMatchObject({
      'spillway.history.mode': 'compress',
      'spillway.history.failures': 1,
    })
    expect(named('POST /context_offload').attributes).toMatchObject({
      'http.response.status_code': 502,
      'error.type': 'model-failed',
    })
    expect(named('POST /context_offload').status.code).toBe(2)
  })

  it('have no content, and no values chosen by callers', async () => {
    const service = await startService()
    await service.post('/v1/offload', offload)
    await service.post('/grep', { pattern: 'secret', path: 'secret' })
    await service.get('/v1/entries/secret_reference')
    await fetch(`${service.url}/secret/path?secret=1`)
    const all = spans
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    expect(all.length).toBeGreaterThan(4)
    expect(JSON.stringify(all)).not.toContain('secret')
    expect(all.map(({ name }) => name)).toContain('GET unmatched')
  })
})

describe('metrics', () => {
  it('count requests and tokens for Prometheus', async () => {
    const service = await startService()
    await service.post('/v1/offload', offload)
    await service.post('/grep', { pattern: '' })
    const page = await (await fetch(`${service.url}/metrics`)).text()
    expect(page).toContain('spillway_http_requests_total{method="POST",route="/grep",status="422"} 1')
    expect(page).toContain('spillway_http_failures_total{code="invalid-request"} 1')
    expect(page).toMatch(/spillway_tokens_total\{kind="original"\} \d{4,}/)
    expect(page).toMatch(/spillway_http_request_duration_seconds_bucket\{route="\/v1\/offload",le="\+Inf"\} 1/)
    expect(page).toContain('spillway_http_requests_in_flight 1')
  })
})
