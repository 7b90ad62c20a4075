/** Type tests for every version of VoltAgent. They are compiled and never run. */
import type { ContextOffloader } from '@spillway/core'
import { Agent, createHooks, createTool, createToolkit, PlanAgent } from '@voltagent/core'
import type { AgentHooks, AgentOptions, MCPConfiguration, Tool, Toolkit } from '@voltagent/core'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { offloadHooks, offloadTools, retrievalTool } from '../src/index.ts'
import type { AnyTool, OffloadHooksOptions, OffloadOptions, OffloadRun, RetrievalOutput } from '../src/index.ts'

declare const offloader: ContextOffloader
declare const model: AgentOptions['model']
declare const servers: MCPConfiguration

const one = createTool({
  name: 'one',
  description: 'One.',
  parameters: z.object({ a: z.string() }),
  execute: async ({ a }) => a,
})
const two = createTool({
  name: 'two',
  description: 'Two.',
  parameters: z.object({ b: z.number() }),
  outputSchema: z.object({ c: z.boolean() }),
  execute: async ({ b }) => ({ c: b > 0 }),
  toModelOutput: ({ output }) => ({ type: 'text', value: String(output.c) }),
})
const kit = createToolkit({ name: 'kit', tools: [] })

// Tools keep their types, and the retrieval tool comes after them.
const wrapped = offloadTools([one, two, kit], offloader)
expectTypeOf(wrapped[0]).toEqualTypeOf(one)
expectTypeOf(wrapped[1]).toEqualTypeOf(two)
expectTypeOf(wrapped[2]).toEqualTypeOf<Toolkit>()
expectTypeOf(wrapped[3]).toEqualTypeOf<Tool | undefined>()
expectTypeOf(offloadTools([], offloader)).toEqualTypeOf<Tool[]>()
expectTypeOf(offloadTools([] as AnyTool[], offloader)).items.toExtend<AnyTool>()

// Agents of every kind accept the tools, and so do operations.
const hooks = offloadHooks(offloader)
const agent = new Agent({ name: 'a', instructions: 'i', model, tools: wrapped, hooks })
expectTypeOf(new PlanAgent({ name: 'p', systemPrompt: 's', model, tools: wrapped, hooks })).toExtend<Agent>()
expectTypeOf(
  new Agent({ name: 'b', instructions: 'i', model, tools: [retrievalTool(offloader)], hooks }),
).toExtend<Agent>()
expectTypeOf(() => agent.generateText('Go.', { tools: offloadTools([one, kit], offloader) })).toBeFunction()
expectTypeOf(async () => offloadTools(await servers.getTools(), offloader)).returns.resolves.toExtend<
  AgentOptions['tools']
>()

// None of our types is `any`.
expectTypeOf(hooks).toEqualTypeOf<AgentHooks>()
expectTypeOf(offloadTools).parameter(1).toEqualTypeOf<ContextOffloader>()
expectTypeOf(offloadTools).parameter(2).toEqualTypeOf<OffloadOptions | undefined>()
expectTypeOf(offloadHooks).parameter(0).toEqualTypeOf<ContextOffloader>()
expectTypeOf(offloadHooks).parameter(1).toEqualTypeOf<OffloadHooksOptions | undefined>()
expectTypeOf(retrievalTool(offloader)).toEqualTypeOf<Tool>()
expectTypeOf<RetrievalOutput['type']>().toEqualTypeOf<'text' | 'error-text' | 'content'>()
expectTypeOf<NonNullable<OffloadOptions['scope']>>().toEqualTypeOf<(run: OffloadRun) => readonly string[]>()
expectTypeOf<OffloadRun['context']>().toEqualTypeOf<ReadonlyMap<string | symbol, unknown>>()
expectTypeOf<OffloadHooksOptions['hooks']>().toEqualTypeOf<AgentHooks | undefined>()
offloadHooks(offloader, { hooks: createHooks({ onToolEnd: async ({ output }) => ({ output }) }) })

// @ts-expect-error: unknown option
offloadHooks(offloader, { exept: ['one'] })
// @ts-expect-error: hooks are an option
offloadHooks(offloader, createHooks({}))
// @ts-expect-error: a scope is a list of segments, not a text
offloadTools([one], offloader, { scope: () => 'tenant' })
// @ts-expect-error: tools are an array
offloadTools({ one }, offloader)
// @ts-expect-error: a name is not a tool
offloadTools(['one'], offloader)
