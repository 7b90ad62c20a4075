import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader, createRetrievalTool, estimateTokens, StorageError, type Storage } from '../index.ts'
import type { ContextOffloaderOptions, OffloadEvent } from '../offload/context-offloader-options.ts'
import { NAMES, telemetryListener } from './telemetry-listener.ts'

const spanExporter = new InMemorySpanExporter()
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const meterProvider = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })],
})

function registerSdk(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spanExporter })] }),
  )
  metrics.setGlobalMeterProvider(meterProvider)
}

function unregisterSdk(): void {
  for (const api of [context, trace, metrics]) api.disable()
}

beforeAll(registerSdk)
afterEach(async () => {
  spanExporter.reset()
  await meterProvider.forceFlush()
  metricExporter.reset()
})
afterAll(async () => {
  unregisterSdk()
  await meterProvider.shutdown()
})

const SECRET = 'hunter2'
const text = Array.from({ length: 5_000 }, (_, line) => `line ${line} of the log of ${SECRET}`).join('\n')
const content = [{ type: 'text', text }] as const
const down = async (): Promise<never> => Promise.reject(new StorageError('unavailable', `No disk for ${SECRET}.`))
const broken: Storage = { store: down, retrieve: down }

const newOffloader = (options: Partial<ContextOffloaderOptions> = {}): ContextOffloader =>
  new ContextOffloader({ storage: tinyStorage(), onEvent: telemetryListener(), ...options })

async function offload(offloader: ContextOffloader, toolName = 'read_log'): Promise<string> {
  const outcome = await offloader.offload({ toolName, toolCallId: 'call_1', content })
  return outcome.status === 'offloaded' ? (outcome.stored[0]?.reference ?? '') : ''
}

const spans = (): ReadableSpan[] => spanExporter.getFinishedSpans()

interface Point {
  readonly attributes: object
  readonly value: unknown
}

async function readMetrics(): Promise<Record<string, Point[]>> {
  await meterProvider.forceFlush()
  const all = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return Object.fromEntries(
    all.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ attributes, value }) => ({ attributes, value })),
    ]),
  )
}

describe('the span of an offload', () => {
  it('is below the active span, and describes the stored blocks', async () => {
    const tracer = trace.getTracer('framework')
    const parent = await tracer.startActiveSpan('execute_tool read_log', async (span) => {
      await offload(newOffloader())
      span.end()
      return span.spanContext()
    })
    const [span] = spans()
    expect(span?.name).toBe('spillway.offload')
    expect(span?.parentSpanContext?.spanId).toBe(parent.spanId)
    expect(span?.spanContext().traceId).toBe(parent.traceId)
    expect(span?.status.code).toBe(SpanStatusCode.UNSET)
    expect(span?.attributes).toEqual({
      'gen_ai.tool.name': 'read_log',
      'gen_ai.tool.call.id': 'call_1',
      'spillway.outcome': 'offloaded',
      'spillway.tokens.original': expect.any(Number),
      'spillway.tokens.replacement': expect.any(Number),
      'spillway.blocks': 1,
      'spillway.bytes': text.length,
      'spillway.content.kind': 'text',
    })
  })

  it('starts when the result arrives and ends when it is replaced', async () => {
    const events: OffloadEvent[] = []
    const listen = telemetryListener()
    const before = Date.now()
    const onEvent = (event: OffloadEvent): void => {
      events.push(event)
      listen(event)
    }
    await offload(newOffloader({ onEvent }))
    const [event] = events
    if (event?.type !== 'offload') throw new Error(`Expected an offload, got ${event?.type}.`)
    const [seconds, nanoseconds] = spans()[0]?.duration ?? [0, 0]
    expect(event.durationMs).toBeGreaterThan(0)
    expect(seconds * 1_000 + nanoseconds / 1_000_000).toBeCloseTo(event.durationMs, 0)
    const [start, rest] = spans()[0]?.startTime ?? [0, 0]
    // The times of a span are whole milliseconds.
    expect(start * 1_000 + rest / 1_000_000).toBeGreaterThanOrEqual(before - 2)
  })

  it('says why a result was skipped, or that the budget of its turn required the offload', async () => {
    await offload(newOffloader({ shouldOffload: () => false }))
    await offload(newOffloader({ mode: 'shadow' }))
    const inTurn = newOffloader({ maxResultTokens: 1_000_000, maxTurnTokens: 4_000 })
    await inTurn.offload({ toolName: 'read_log', toolCallId: 'call_1', content, callsInTurn: 2 })
    const reasons = spans().map(({ attributes }) => [attributes['spillway.outcome'], attributes['spillway.reason']])
    expect(reasons).toEqual([
      ['skipped', 'declined'],
      ['skipped', 'shadow'],
      ['offloaded', 'turn-budget'],
    ])
  })

  it('has the code of a failure, and not its message', async () => {
    await offload(newOffloader({ storage: broken }))
    const [span] = spans()
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span?.attributes).toMatchObject({ 'spillway.outcome': 'failed', 'error.type': 'unavailable' })
  })
})

describe('the retrieval span', () => {
  it('has the mode and the tokens of the answer', async () => {
    const offloader = newOffloader()
    const reference = await offload(offloader)
    await offloader.retrievalTool.execute({ reference, pattern: SECRET })
    expect(spans()[1]?.name).toBe('spillway.retrieve')
    expect(spans()[1]?.attributes).toEqual({
      'spillway.mode': 'pattern',
      'spillway.tokens.retrieved': expect.any(Number),
    })
  })

  it('has the code of a failure even if the tool belongs to no offloader', async () => {
    const options = { storage: broken, scoped: false, maxRetrievalTokens: 500, countTokens: estimateTokens }
    const tool = createRetrievalTool({ ...options, onRetrieve: telemetryListener() })
    await tool.execute({ reference: SECRET })
    const [span] = spans()
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span?.attributes).toMatchObject({ 'spillway.mode': 'full', 'error.type': 'unavailable' })
  })
})

describe('metrics', () => {
  it('count results, retrievals, tokens, and durations', async () => {
    const offloader = newOffloader()
    const reference = await offload(offloader)
    await offloader.retrievalTool.execute({ reference, pattern: 'line 7 ' })
    const seen = await readMetrics()
    const tool = { 'gen_ai.tool.name': 'read_log' }
    const { tokensAvoided, tokensShown, tokensRetrieved } = offloader.meter()
    expect(seen['spillway.offloads']).toEqual([{ attributes: { ...tool, 'spillway.outcome': 'offloaded' }, value: 1 }])
    expect(seen['spillway.retrievals']).toEqual([{ attributes: { 'spillway.mode': 'pattern' }, value: 1 }])
    expect(seen['spillway.tokens']).toEqual([
      { attributes: { ...tool, 'spillway.token.kind': 'avoided' }, value: tokensAvoided },
      { attributes: { ...tool, 'spillway.token.kind': 'shown' }, value: tokensShown },
      { attributes: { 'spillway.token.kind': 'retrieved' }, value: tokensRetrieved },
    ])
    expect(seen['spillway.result.tokens']).toMatchObject([
      { attributes: tool, value: { count: 1, sum: tokensAvoided } },
    ])
    expect(seen['spillway.operation.duration']).toMatchObject([
      { attributes: { 'spillway.operation': 'offload' }, value: { count: 1 } },
      { attributes: { 'spillway.operation': 'retrieve' }, value: { count: 1 } },
    ])
  })

  it('count evictions, and failures of storing, turns, and redaction', async () => {
    await offload(newOffloader({ storage: broken }))
    await newOffloader({ storage: { ...broken, endTurn: down } }).endTurn()
    const redact = (): string => {
      throw new RangeError(SECRET)
    }
    await offload(newOffloader({ redact }))
    const offloader = newOffloader({ storage: tinyStorage({ evictAfterTurns: 1 }) })
    await offload(offloader)
    while ((await offloader.endTurn()).evicted.length === 0) continue
    const seen = await readMetrics()
    expect(seen['spillway.failures']?.map(({ attributes }) => attributes)).toEqual([
      { 'spillway.operation': 'offload', 'error.type': 'unavailable' },
      { 'spillway.operation': 'evict', 'error.type': 'unavailable' },
      { 'spillway.operation': 'redact', 'error.type': 'RedactionError' },
    ])
    expect(seen['spillway.evictions']).toEqual([{ attributes: { 'spillway.reason': 'turns' }, value: 1 }])
  })

  it('combine all tools beyond 100', async () => {
    const offloader = newOffloader({ mode: 'shadow' })
    for (let tool = 0; tool < 103; tool += 1) await offload(offloader, `tool_${tool}`)
    const points = (await readMetrics())['spillway.offloads'] ?? []
    expect(points).toHaveLength(101)
    expect(points.at(-1)).toMatchObject({ attributes: { 'gen_ai.tool.name': 'other' }, value: 3 })
    expect(spans().at(-1)?.attributes['gen_ai.tool.name']).toBe('tool_102')
  })
})

it('telemetry has no content, patterns, references, scopes or messages, and at most 20 attributes', async () => {
  const offloader = newOffloader({ storage: tinyStorage() }).forScope(`user-${SECRET}`)
  const reference = await offload(offloader)
  await offloader.retrievalTool.execute({ reference, pattern: SECRET })
  await offloader.retrievalTool.execute({ query: SECRET })
  await offloader.retrievalTool.execute({ reference: `unknown_${SECRET}` })
  await offloader.retrievalTool.execute({ [SECRET]: SECRET })
  await offload(newOffloader({ storage: broken }))
  const seen = spans().map(({ name, attributes, events, status, links }) => ({
    name,
    attributes,
    events,
    status,
    links,
  }))
  const all = JSON.stringify([seen, await readMetrics()])
  expect(seen).toHaveLength(6)
  expect(all).not.toContain(SECRET)
  expect(all).not.toContain(reference)
  for (const { attributes } of seen) expect(Object.keys(attributes).length).toBeLessThanOrEqual(20)
})

it('telemetry records and changes nothing without an SDK, and records after one is registered', async () => {
  unregisterSdk()
  await offload(newOffloader())
  const early = telemetryListener()
  registerSdk()
  await offload(newOffloader({ onEvent: early }))
  expect(spans()).toHaveLength(1)
  expect((await readMetrics())['spillway.offloads']).toHaveLength(1)
})

it('telemetry has only names that the table in the documentation has', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/telemetry-names.md'), 'utf8')
  for (const name of Object.values(NAMES)) expect(page).toContain(`| \`${name}\` `)
})
