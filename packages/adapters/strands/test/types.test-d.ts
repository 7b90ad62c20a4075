/** What the types of the adapter promise, in every version of Strands: compiled, never run. */
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

// Both are plugins, which an agent takes as they are.
const plugin = new ContextOffloader({ storage, maxResultTokens: 5_000, previewTokens: 2_000, evictAfterCycles: null })
expectTypeOf(plugin).toExtend<Plugin>()
expectTypeOf(offloadPlugin(offloader)).toEqualTypeOf<Required<Plugin>>()
expectTypeOf(new Agent({ plugins: [plugin, offloadPlugin(offloader)] })).toEqualTypeOf<Agent>()
expectTypeOf(plugin.getTools()).toEqualTypeOf<Tool[]>()
expectTypeOf(plugin.offloader.meter()).toEqualTypeOf<Meter>()

// A storage may be one that Strands' own plugin comes with: `contentType` may be left out, and there is no more.
interface TwoMethods {
  store(key: string, content: Uint8Array, contentType?: string): Promise<string>
  retrieve(reference: string): Promise<{ content: Uint8Array; contentType: string }>
}
expectTypeOf<TwoMethods>().toExtend<Storage>()
expectTypeOf<TwoMethods>().toExtend<ContextOffloaderConfig['storage']>()

// Nothing that is ours is `any`.
expectTypeOf(offloadPlugin).parameter(0).toEqualTypeOf<Offloader>()
expectTypeOf(offloadPlugin).parameter(1).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf<ScopeRun['agent']>().toEqualTypeOf<LocalAgent>()
expectTypeOf<ScopeRun['invocationState']>().toEqualTypeOf<InvocationState>()
expectTypeOf<ScopeRun['invocationState'][string]>().toBeUnknown()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().returns.toEqualTypeOf<readonly string[]>()
expectTypeOf<ContextOffloaderConfig['countTokens']>().toEqualTypeOf<CountTokens | undefined>()
expectTypeOf<ContextOffloaderConfig['evictAfterCycles']>().toEqualTypeOf<number | null | undefined>()

// @ts-expect-error: a storage is needed
expectTypeOf(new ContextOffloader({})).toBeObject()
// @ts-expect-error: an option that there is not
expectTypeOf(new ContextOffloader({ storage, evictAfterTurns: 20 })).toBeObject()
// @ts-expect-error: a scope has segments, and is no text
offloadPlugin(offloader, { scope: () => 'tenant' })
