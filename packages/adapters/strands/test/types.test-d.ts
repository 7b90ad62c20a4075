/** Type tests for every version of Strands. They are compiled and never run. */
import type { ContextOffloader as Offloader, CountTokens, Meter, Storage } from '@spillway/core'
import type { InMemoryStorage } from '@spillway/memory'
import { Agent, type InvocationState, type LocalAgent, type Plugin, type Tool } from '@strands-agents/sdk'
import { expectTypeOf } from 'vitest'
import {
  ContextOffloader,
  offloadPlugin,
  type ContextOffloaderConfig,
  type OffloadOptions,
  type ScopeRun,
} from '../src/index.ts'

declare const offloader: Offloader
declare const storage: InMemoryStorage

// Both are plugins that an agent accepts unchanged.
const plugin = new ContextOffloader({ storage, maxResultTokens: 5_000, previewTokens: 2_000, evictAfterCycles: null })
expectTypeOf(plugin).toExtend<Plugin>()
expectTypeOf(offloadPlugin(offloader)).toEqualTypeOf<Required<Plugin>>()
expectTypeOf(new Agent({ plugins: [plugin, offloadPlugin(offloader)] })).toEqualTypeOf<Agent>()
expectTypeOf(plugin.getTools()).toEqualTypeOf<Tool[]>()
expectTypeOf(plugin.offloader.meter()).toEqualTypeOf<Meter>()

// A storage of Strands' own plugin is accepted, too. Its `contentType` is optional, and it has no further methods.
interface TwoMethods {
  store(key: string, content: Uint8Array, contentType?: string): Promise<string>
  retrieve(reference: string): Promise<{ content: Uint8Array; contentType: string }>
}
expectTypeOf<TwoMethods>().toExtend<Storage>()
expectTypeOf<TwoMethods>().toExtend<ContextOffloaderConfig['storage']>()

// None of our types is `any`.
expectTypeOf(offloadPlugin).parameter(0).toEqualTypeOf<Offloader>()
expectTypeOf(offloadPlugin).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf<ScopeRun['agent']>().toEqualTypeOf<LocalAgent>()
expectTypeOf<ScopeRun['invocationState']>().toEqualTypeOf<InvocationState>()
expectTypeOf<ScopeRun['invocationState'][string]>().toBeUnknown()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().returns.toEqualTypeOf<readonly string[]>()
expectTypeOf<ContextOffloaderConfig['countTokens']>().toEqualTypeOf<CountTokens | undefined>()
expectTypeOf<ContextOffloaderConfig['evictAfterCycles']>().toEqualTypeOf<number | null | undefined>()

// @ts-expect-error: a storage is required
expectTypeOf(new ContextOffloader({})).toBeObject()
// @ts-expect-error: unknown option
expectTypeOf(new ContextOffloader({ storage, evictAfterTurns: 20 })).toBeObject()
// @ts-expect-error: a scope is a list of segments, not a text
offloadPlugin(offloader, { scope: () => 'tenant' })
