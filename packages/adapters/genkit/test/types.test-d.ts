/** Type tests for every version of Genkit. They are compiled and never run. */
import type { ContextOffloader } from '@spillway/core'
import { offloaderArchive, type HistoryFormat, type Summarize } from '@spillway/history'
import { genkit, z, type GenerateMiddleware, type MessageData, type MiddlewareRef, type ToolAction } from 'genkit'
import { expectTypeOf } from 'vitest'
import {
  genkitMessages,
  historyMiddleware,
  summarizeWith,
  type HistoryMiddleware,
  type HistoryMiddlewareOptions,
} from '../src/history/index.ts'
import {
  offloadMiddleware,
  type OffloadConfig,
  type OffloadMiddleware,
  type OffloadOptions,
  type ScopeRun,
} from '../src/index.ts'

declare const offloader: ContextOffloader
/** `true` if the type is `any`, which no public type may be. */
type IsAny<TYPE> = 0 extends 1 & TYPE ? true : false

const ai = genkit({})
const offload = offloadMiddleware(offloader)

// The result is a middleware of Genkit, with its own config.
expectTypeOf(offload).toEqualTypeOf<OffloadMiddleware>()
expectTypeOf(offload).toExtend<GenerateMiddleware<z.ZodType<OffloadConfig>>>()
expectTypeOf(offload).parameter(0).toEqualTypeOf<OffloadConfig | undefined>()
expectTypeOf(offload()).toExtend<MiddlewareRef>()
genkit({ plugins: [offload.plugin()] })

// Tools keep their types, and so do answers of a model.
const inputSchema = z.object({ path: z.string() })
const readLog = ai.defineTool({ name: 'read_log', description: 'Read.', inputSchema }, async ({ path }) => path)
expectTypeOf(readLog).toExtend<ToolAction<typeof inputSchema>>()
const schema = z.object({ ok: z.boolean() })
const tools = [readLog]
const use = [offload({ scope: ['user-1', 'chat-1'] })]
const plain = ai.generate({ prompt: '', tools, output: { schema } })
const offloading = ai.generate({ prompt: '', tools, output: { schema }, use })
expectTypeOf(offloading).toEqualTypeOf(plain)
expectTypeOf<Awaited<typeof offloading>['output']>().toEqualTypeOf<{ ok: boolean } | null>()
expectTypeOf(ai.generateStream({ prompt: '', tools, use }).response).resolves.toHaveProperty('messages')

// Genkit accepts the middleware in every place for middleware.
const ask = ai.definePrompt(
  { name: 'ask', input: { schema: z.object({ about: z.string() }) }, tools, use },
  '{{about}}',
)
expectTypeOf(ask).parameter(0).toEqualTypeOf<{ about: string } | undefined>()

// None of our types is `any`.
expectTypeOf(offloadMiddleware).parameter(0).toEqualTypeOf<ContextOffloader>()
expectTypeOf(offloadMiddleware).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf<IsAny<Parameters<OffloadMiddleware>[0]>>().toEqualTypeOf<false>()
expectTypeOf<ScopeRun['context'][string]>().toBeUnknown()
expectTypeOf<ScopeRun['sessionId']>().toEqualTypeOf<string | undefined>()
expectTypeOf<ScopeRun['config']>().toEqualTypeOf<OffloadConfig>()
expectTypeOf<OffloadConfig['scope']>().toEqualTypeOf<readonly string[] | undefined>()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().toEqualTypeOf<(run: ScopeRun) => readonly string[]>()

// @ts-expect-error: unknown option
offloadMiddleware(offloader, { exept: ['read_log'] })
// @ts-expect-error: a scope is a list of segments, not a text
offloadMiddleware(offloader, { scope: () => 'chat-1' })
// @ts-expect-error: a scope is a list of segments, not a text
offload({ scope: 'chat-1' })
// @ts-expect-error: a storage is not an offloader
offloadMiddleware(offloader.options.storage)

// Histories.
const history = historyMiddleware(offloader, { summarize: summarizeWith(ai) })
expectTypeOf(history).toEqualTypeOf<HistoryMiddleware>()
expectTypeOf(history).parameter(0).toEqualTypeOf<OffloadConfig | undefined>()
expectTypeOf(ai.generate({ prompt: '', tools, output: { schema }, use: [offload(), history()] })).toEqualTypeOf(plain)
expectTypeOf(historyMiddleware).parameter(1).toEqualTypeOf<HistoryMiddlewareOptions | undefined>()
expectTypeOf(genkitMessages()).toEqualTypeOf<HistoryFormat<MessageData[]>>()
expectTypeOf(summarizeWith(ai, { model: 'googleai/gemini-2.5-flash' })).toEqualTypeOf<Summarize>()
genkit({ plugins: [history.plugin()] })

// @ts-expect-error: an archive cannot be an option, because each run has its own
historyMiddleware(offloader, { archive: offloaderArchive(offloader) })
