/** Type tests for every version of Mastra. They are compiled and never run. */
import { Agent, type ToolsInput } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import type { InputProcessor, OutputProcessor, Processor } from '@mastra/core/processors'
import type { RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { offloaderArchive, type Summarize } from '@spillway/history'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  historyProcessor,
  summarizeWith,
  type HistoryProcessor,
  type HistoryProcessorOptions,
} from '../src/history/index.ts'
import {
  offloadProcessor,
  retrievalTool,
  type OffloadOptions,
  type OffloadProcessor,
  type RetrievalTool,
  type ScopeRun,
} from '../src/index.ts'

declare const offloader: ContextOffloader
declare const model: MastraModelConfig

const readLog = createTool({
  id: 'read_log',
  description: 'Read a log.',
  inputSchema: z.object({ path: z.string() }),
  outputSchema: z.object({ lines: z.array(z.string()) }),
  execute: async ({ path }) => ({ lines: [path] }),
})

/** `true` if the type is `any`, which no public type may be. */
type IsAny<TYPE> = 0 extends 1 & TYPE ? true : false

// The same object fits both lists of processors, the lists of a single run, and functions that return such lists.
const processor = offloadProcessor(offloader)
expectTypeOf(processor).toEqualTypeOf<OffloadProcessor>()
expectTypeOf(processor).toExtend<Processor<'spillway-offload'>>()
expectTypeOf(processor).toExtend<InputProcessor>()
expectTypeOf(processor).toExtend<OutputProcessor>()
const config = { id: 'agent', name: 'agent', instructions: 'Look.', model, tools: { readLog } } as const
const plain = new Agent(config)
const agent = new Agent({ ...config, inputProcessors: [processor], outputProcessors: [processor] })
const dynamic = new Agent({ ...config, inputProcessors: () => [processor] })
expectTypeOf(() => plain.generate('Go.', { inputProcessors: [processor] })).toBeFunction()

// An agent keeps the types of its tools and of its results.
expectTypeOf(agent).toEqualTypeOf<typeof plain>()
expectTypeOf(dynamic).toEqualTypeOf<typeof plain>()
expectTypeOf(readLog.execute).not.toBeUndefined()

// The retrieval tool is accepted as a tool, and accepts any input.
expectTypeOf(retrievalTool(offloader)).toEqualTypeOf<RetrievalTool>()
expectTypeOf<{ retrieve: RetrievalTool }>().toExtend<ToolsInput>()
expectTypeOf(() => new Agent({ ...config, tools: { retrieve: retrievalTool(offloader) } })).toBeFunction()

// None of our types is `any`.
expectTypeOf(offloadProcessor).parameter(0).toEqualTypeOf<ContextOffloader>()
expectTypeOf(offloadProcessor).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf(retrievalTool).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf<ScopeRun['threadId']>().toEqualTypeOf<string | undefined>()
expectTypeOf<ScopeRun['resourceId']>().toEqualTypeOf<string | undefined>()
expectTypeOf<ScopeRun['requestContext']>().toEqualTypeOf<RequestContext | undefined>()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().toEqualTypeOf<(run: ScopeRun) => readonly string[]>()
expectTypeOf<IsAny<OffloadProcessor>>().toEqualTypeOf<false>()
expectTypeOf<IsAny<OffloadProcessor['id']>>().toEqualTypeOf<false>()
expectTypeOf<IsAny<ReturnType<OffloadProcessor['getLoadedToolsForRequestContext']>>>().toEqualTypeOf<false>()
expectTypeOf<IsAny<RetrievalTool>>().toEqualTypeOf<false>()

// @ts-expect-error: unknown option
offloadProcessor(offloader, { exept: ['read_log'] })
// @ts-expect-error: a scope is a list of segments, not a text
offloadProcessor(offloader, { scope: () => 'tenant' })
// @ts-expect-error: must be an offloader, not its storage
offloadProcessor(offloader.options.storage)

// Histories.
const history = historyProcessor(offloader, { summarize: summarizeWith(model) })
expectTypeOf(history).toEqualTypeOf<HistoryProcessor>()
expectTypeOf(history).toExtend<InputProcessor>()
expectTypeOf(new Agent({ ...config, inputProcessors: [processor, history] })).toEqualTypeOf<typeof plain>()
expectTypeOf(historyProcessor).parameter(1).toEqualTypeOf<HistoryProcessorOptions | undefined>()
expectTypeOf<NonNullable<HistoryProcessorOptions['scope']>>().parameter(0).toEqualTypeOf<ScopeRun>()
expectTypeOf(summarizeWith('openai/gpt-5-mini')).toEqualTypeOf<Summarize>()

// @ts-expect-error: an archive cannot be an option, because each run has its own
historyProcessor(offloader, { archive: offloaderArchive(offloader) })
