import { OpenTelemetry } from '@ai-sdk/otel'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { telemetryListener } from '@spillway/core/telemetry'
import { InMemoryStorage } from '@spillway/memory'
import { generateText, streamText, tool } from 'ai'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { offloadTools } from '../src/index.ts'
import { fakeModel } from './fake-model.ts'
import { isVersion7 } from './version.ts'

const exporter = new InMemorySpanExporter()

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
})
afterEach(() => exporter.reset())
afterAll(() => {
  for (const api of [context, trace]) api.disable()
})

const readLog = tool({ inputSchema: z.object({}), execute: async () => 'a line of the log\n'.repeat(1_000) })

/** Settings of a run that reads a log, searches it, and ends. */
function newRun(): Omit<Parameters<typeof generateText>[0] & object, 'prompt' | 'messages'> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage(), onEvent: telemetryListener() })
  const model = fakeModel(({ results, messages }) => {
    const reference = /(call_1_0_\w+)/.exec(messages)?.[1]
    if (results.length === 0) return { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] }
    if (results.length > 1) return { text: 'done' }
    return { toolCalls: [{ id: 'call_2', name: RETRIEVAL_TOOL_NAME, input: { reference, pattern: 'log' } }] }
  })
  const settings = {
    model,
    tools: offloadTools({ read_log: readLog }, offloader.forScope('session-1')),
    stopWhen: ({ steps }: { readonly steps: readonly unknown[] }) => steps.length > 5,
  }
  const telemetry = { telemetry: { integrations: [new OpenTelemetry()] } }
  return isVersion7 ? { ...settings, ...telemetry } : { ...settings, experimental_telemetry: { isEnabled: true } }
}

const loops = {
  generateText: async () => (await generateText({ ...newRun(), prompt: 'Go.' })).text,
  streamText: async () => streamText({ ...newRun(), prompt: 'Go.' }).text,
}

it.each(Object.entries(loops))('spans are children of the spans of tools with %s', async (_, run) => {
  expect(await run()).toBe('done')
  const spans = exporter.getFinishedSpans()
  const parents = ['spillway.offload', 'spillway.retrieve'].map((name) => {
    const own = spans.filter((span) => span.name === name)
    expect(own).toHaveLength(1)
    const parent = spans.find((span) => span.spanContext().spanId === own[0]?.parentSpanContext?.spanId)
    return [parent?.name, parent?.attributes[isVersion7 ? 'gen_ai.tool.name' : 'ai.toolCall.name']]
  })
  const names = ['read_log', RETRIEVAL_TOOL_NAME]
  expect(parents).toEqual(names.map((name) => [isVersion7 ? `execute_tool ${name}` : 'ai.toolCall', name]))
})
