import type {
  BaseHookInput,
  McpSdkServerConfigWithInstance,
  Options,
  PostToolUseHookInput,
  SyncHookJSONOutput,
} from '@anthropic-ai/claude-agent-sdk'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expectTypeOf, it } from 'vitest'
import { offloadToolOutput, type PostToolUseAnswer, type PostToolUseInput } from '../src/hook/index.ts'
import { offloadHooks, offloadOptions, retrievalServer, type OffloadSettings } from '../src/index.ts'

type IsAny<Type> = 0 extends 1 & Type ? true : false

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

it('offloadOptions takes and returns the options of a query', () => {
  expectTypeOf(offloadOptions({}, offloader)).toEqualTypeOf<Options>()
  expectTypeOf(offloadHooks(offloader)).toExtend<NonNullable<Options['hooks']>>()
  expectTypeOf(retrievalServer(offloader)).toEqualTypeOf<McpSdkServerConfigWithInstance>()
})

it('a scope function gets the fields of every hook', () => {
  expectTypeOf<Parameters<NonNullable<OffloadSettings['scope']>>[0]>().toEqualTypeOf<BaseHookInput>()
})

it('the hook command has the types of the SDK without depending on the SDK', () => {
  expectTypeOf<PostToolUseHookInput>().toExtend<PostToolUseInput>()
  expectTypeOf<PostToolUseAnswer>().toExtend<SyncHookJSONOutput>()
  expectTypeOf(offloadToolOutput).returns.resolves.toEqualTypeOf<PostToolUseAnswer>()
})

it('public types contain no any', () => {
  expectTypeOf<IsAny<ReturnType<typeof offloadHooks>['PostToolUse'][number]>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<PostToolUseInput['tool_response']>>().toEqualTypeOf<false>()
})
