/** Type tests. They are compiled and never run. */
import {
  InMemorySessionService,
  LlmAgent,
  Runner,
  type BaseArtifactService,
  type BasePlugin,
  type BaseTool,
  type InvocationContext,
  type LoadArtifactRequest,
  type SaveArtifactRequest,
} from '@google/adk'
import type { ContextOffloader, Storage } from '@spillway/core'
import { offloaderArchive, type Summarize } from '@spillway/history'
import { expectTypeOf } from 'vitest'
import { historyPlugin, summarizeWith, type HistoryPluginOptions } from '../src/history/index.ts'
import {
  offloadPlugin,
  retrievalTool,
  StorageArtifactService,
  type OffloadOptions,
  type ScopeRun,
} from '../src/index.ts'

declare const offloader: ContextOffloader
declare const storage: Storage

// ADK accepts the results as plugins, tools, and services.
const agent = new LlmAgent({ name: 'agent', model: 'gemini-2.5-flash', tools: [retrievalTool(offloader)] })
const runner = new Runner({
  appName: 'app',
  agent,
  sessionService: new InMemorySessionService(),
  artifactService: new StorageArtifactService(storage),
  plugins: [offloadPlugin(offloader)],
})
expectTypeOf(runner).toEqualTypeOf<Runner>()
expectTypeOf(offloadPlugin(offloader)).toEqualTypeOf<BasePlugin>()
expectTypeOf(retrievalTool(offloader)).toEqualTypeOf<BaseTool>()
expectTypeOf<StorageArtifactService>().toExtend<BaseArtifactService>()

// None of our types is `any`.
expectTypeOf(offloadPlugin).parameter(0).toEqualTypeOf<ContextOffloader>()
expectTypeOf(offloadPlugin).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf(retrievalTool).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf<ScopeRun['invocationContext']>().toEqualTypeOf<InvocationContext>()
expectTypeOf<ScopeRun['sessionId']>().toEqualTypeOf<string>()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().parameter(0).toEqualTypeOf<ScopeRun>()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().returns.toEqualTypeOf<readonly string[]>()
expectTypeOf<ConstructorParameters<typeof StorageArtifactService>>().toEqualTypeOf<[storage: Storage]>()
expectTypeOf<StorageArtifactService['loadArtifact']>().parameter(0).toEqualTypeOf<LoadArtifactRequest>()
expectTypeOf<StorageArtifactService['loadArtifact']>().returns.resolves.toEqualTypeOf<
  SaveArtifactRequest['artifact'] | undefined
>()

// @ts-expect-error: unknown option
offloadPlugin(offloader, { exept: ['one'] })
// @ts-expect-error: a scope is a list of segments, not a text
offloadPlugin(offloader, { scope: () => 'tenant' })
// @ts-expect-error: an offloader is not a storage
const wrong = new StorageArtifactService(offloader)
expectTypeOf(wrong).toEqualTypeOf<StorageArtifactService>()

// Histories.
expectTypeOf(historyPlugin(offloader, { summarize: summarizeWith('gemini-2.5-flash') })).toEqualTypeOf<BasePlugin>()
expectTypeOf(historyPlugin).parameter(1).toEqualTypeOf<HistoryPluginOptions | undefined>()
expectTypeOf<NonNullable<HistoryPluginOptions['scope']>>().parameter(0).toEqualTypeOf<ScopeRun>()
expectTypeOf(summarizeWith('gemini-2.5-flash')).toEqualTypeOf<Summarize>()

// @ts-expect-error: an archive cannot be an option, because each run has its own
historyPlugin(offloader, { archive: offloaderArchive(offloader) })
