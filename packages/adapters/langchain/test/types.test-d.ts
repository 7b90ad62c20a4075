/** Type tests for every version of LangChain. They are compiled and never run. */
import type { BaseMessage } from '@langchain/core/messages'
import { tool, type DynamicStructuredTool } from '@langchain/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { offloaderArchive, type Summarize } from '@spillway/history'
import { createAgent, createMiddleware, FakeToolCallingModel } from 'langchain'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  historyMiddleware,
  langchainMessages,
  summarizeWith,
  type HistoryMiddlewareOptions,
} from '../src/history/index.ts'
import {
  offloadMiddleware,
  offloadTools,
  retrievalTool,
  type OffloadMiddlewareOptions,
  type OffloadOptions,
  type ScopeRun,
} from '../src/index.ts'

declare const offloader: ContextOffloader
const one = tool(({ a }) => a, { name: 'one', description: 'One.', schema: z.object({ a: z.string() }) })
const two = tool(({ b }) => b, { name: 'two', description: 'Two.', schema: z.object({ b: z.number() }) })
const server = { type: 'web_search', name: 'web_search' } as const

// Tools keep their types, and the retrieval tool comes after them.
const wrapped = offloadTools([one, two, server], offloader)
expectTypeOf(wrapped[0]).toEqualTypeOf(one)
expectTypeOf(wrapped[1]).toEqualTypeOf(two)
expectTypeOf(wrapped[2]).toEqualTypeOf<typeof server>()
expectTypeOf(wrapped[3]).toEqualTypeOf<ReturnType<typeof retrievalTool> | undefined>()
expectTypeOf(offloadTools([] as DynamicStructuredTool[], offloader)).items.toExtend<{ name: string }>()

// With the middleware, an agent infers the same state and context.
const model = new FakeToolCallingModel({})
const stateful = createMiddleware({
  name: 'Stateful',
  stateSchema: z.object({ count: z.number().default(0) }),
  contextSchema: z.object({ tenant: z.string() }),
})
const plain = createAgent({ model, tools: [one, two], middleware: [stateful] as const })
const agent = createAgent({ model, tools: [one, two], middleware: [offloadMiddleware(offloader), stateful] as const })
type Result<Agent extends { invoke: (...parameters: never[]) => unknown }> = Awaited<ReturnType<Agent['invoke']>>
expectTypeOf<Result<typeof agent>['count']>().toEqualTypeOf<Result<typeof plain>['count']>()
expectTypeOf<Result<typeof agent>['count']>().toEqualTypeOf<number>()
expectTypeOf<Parameters<typeof agent.invoke>[1]>().toEqualTypeOf<Parameters<typeof plain.invoke>[1]>()

const structured = createAgent({
  model,
  tools: [one],
  middleware: [offloadMiddleware(offloader)],
  responseFormat: z.object({ ok: z.boolean() }),
})
expectTypeOf<Result<typeof structured>['structuredResponse']>().toEqualTypeOf<{ ok: boolean }>()

// None of our types is `any`.
expectTypeOf(offloadMiddleware).parameter(0).toEqualTypeOf<ContextOffloader>()
expectTypeOf(offloadMiddleware).parameter(1).toEqualTypeOf<OffloadMiddlewareOptions | undefined>()
expectTypeOf<ScopeRun['context']>().toBeUnknown()
expectTypeOf<ScopeRun['configurable'][string]>().toBeUnknown()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().returns.toEqualTypeOf<readonly string[]>()
expectTypeOf(retrievalTool(offloader).name).toEqualTypeOf<string>()

// @ts-expect-error: unknown option
offloadMiddleware(offloader, { exept: ['one'] })
// @ts-expect-error: a scope is a list of segments, not a text
offloadMiddleware(offloader, { scope: () => 'tenant' })
// @ts-expect-error: tools are an array
offloadTools({ one }, offloader)

// Histories.
const limited = createAgent({
  model,
  tools: [one],
  middleware: [
    offloadMiddleware(offloader),
    historyMiddleware(offloader, { summarize: summarizeWith(model) }),
    stateful,
  ] as const,
})
expectTypeOf<Result<typeof limited>['count']>().toEqualTypeOf<number>()
expectTypeOf(historyMiddleware).parameter(1).toEqualTypeOf<HistoryMiddlewareOptions | undefined>()
expectTypeOf(langchainMessages().write([])).toEqualTypeOf<readonly BaseMessage[]>()
expectTypeOf(summarizeWith(model)).toEqualTypeOf<Summarize>()

// @ts-expect-error: an archive cannot be an option, because each run has its own
historyMiddleware(offloader, { archive: offloaderArchive(offloader) })
// @ts-expect-error: unknown place
historyMiddleware(offloader, { replaceIn: 'store' })
