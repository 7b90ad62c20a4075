/** Type tests for every version of the SDK. They are compiled and never run. */
import {
  Agent,
  run,
  Runner,
  tool,
  type CallModelInputFilter,
  type HostedTool,
  type Model,
  type OpenAIResponsesModel,
  type RunContext,
  type Tool,
} from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { Summarize } from '@spillway/history'
import { historyInputFilter, summarizeWith } from '../src/history/index.ts'
import {
  offloadRunner,
  offloadTools,
  retrievalTool,
  type OffloadOptions,
  type RetrievalTool,
  type ScopeRun,
} from '../src/index.ts'

declare const offloader: ContextOffloader
declare const hosted: HostedTool

interface App {
  readonly tenant: string
}

const one = tool({ name: 'one', description: 'One.', parameters: z.object({ a: z.string() }), execute: ({ a }) => a })
const two = tool({
  name: 'two',
  description: 'Two.',
  parameters: z.object({ b: z.number() }),
  execute: ({ b }, context?: RunContext<App>) => ({ b, tenant: context?.context.tenant }),
})

/** `true` if the type is `any`, which no public type may be. */
type IsAny<TYPE> = 0 extends 1 & TYPE ? true : false

describe('offloadTools', () => {
  const wrapped = offloadTools([one, two, hosted], offloader)

  it('keeps the type of each tool, followed by the retrieval tool', () => {
    expectTypeOf(wrapped[0]).toEqualTypeOf(one)
    expectTypeOf(wrapped[1]).toEqualTypeOf(two)
    expectTypeOf(wrapped[2]).toEqualTypeOf<HostedTool>()
    expectTypeOf(wrapped[3]).toEqualTypeOf<RetrievalTool | undefined>()
  })

  it('is accepted by agents of any context', () => {
    expectTypeOf(() => new Agent({ name: 'A', tools: offloadTools([one], offloader) })).toBeFunction()
    expectTypeOf(() => new Agent<App>({ name: 'A', tools: offloadTools([one, two], offloader) })).toBeFunction()
    expectTypeOf(() => new Agent<App>({ name: 'A', tools: [two, retrievalTool(offloader)] })).toBeFunction()
    expectTypeOf(offloadTools([] as Tool<App>[], offloader)).toExtend<Tool<App>[]>()
  })

  it('accepts only tools', () => {
    expectTypeOf<{ one: typeof one }>().not.toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<string[]>().not.toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<Tool[]>().toExtend<Parameters<typeof offloadTools>[0]>()
  })
})

describe('offloadRunner', () => {
  const runner = offloadRunner(new Runner(), offloader)

  it('accepts the same types as the runner', () => {
    expectTypeOf(runner.run).toEqualTypeOf<Runner['run']>()
    const agent = new Agent({ name: 'A', outputType: z.object({ ok: z.boolean() }) })
    void (async () => {
      const result = await runner.run(agent, 'Go.')
      expectTypeOf(result).toEqualTypeOf(await run(agent, 'Go.'))
      expectTypeOf(result.finalOutput).toEqualTypeOf<{ ok: boolean } | undefined>()
      const stream = await runner.run(agent, 'Go.', { stream: true })
      expectTypeOf(stream).toEqualTypeOf(await run(agent, 'Go.', { stream: true }))
      expectTypeOf<IsAny<typeof result | typeof stream>>().toEqualTypeOf<false>()
    })
  })

  it('accepts a runner, an offloader and known options', () => {
    type Given = Parameters<typeof offloadRunner>
    expectTypeOf<Given[0]>().toEqualTypeOf<Runner>()
    expectTypeOf<ContextOffloader['options']['storage']>().not.toExtend<Given[1]>()
    expectTypeOf<{ scope: () => string }>().not.toExtend<OffloadOptions>()
    // @ts-expect-error: unknown option
    expectTypeOf(() => offloadRunner(new Runner(), offloader, { exept: ['one'] })).toBeFunction()
  })
})

describe('historyInputFilter', () => {
  const filter = historyInputFilter(offloader, { maxTotalTokens: 50_000, scope: ({ sessionId = '' }) => [sessionId] })

  it('is accepted by runners, by runs and by itself', () => {
    expectTypeOf(filter).toEqualTypeOf<CallModelInputFilter>()
    expectTypeOf(() => new Runner({ callModelInputFilter: filter })).toBeFunction()
    expectTypeOf(() => offloadRunner(new Runner({ callModelInputFilter: filter }), offloader)).toBeFunction()
    expectTypeOf(() =>
      offloadRunner(new Runner(), offloader).run(new Agent({ name: 'A' }), 'Go.', { callModelInputFilter: filter }),
    ).toBeFunction()
    expectTypeOf(() => historyInputFilter(offloader, {}, filter)).toBeFunction()
    expectTypeOf(() => historyInputFilter(offloader, {}, ({ modelData }) => modelData)).toBeFunction()
    // @ts-expect-error: unknown option
    expectTypeOf(() => historyInputFilter(offloader, { maxTokens: 7 })).toBeFunction()
  })

  it('accepts names, models and clients for summaries', () => {
    type Client = ConstructorParameters<typeof OpenAIResponsesModel>[0]
    const make = (model: Model, client: Client): Summarize[] => [
      summarizeWith('gpt-5-mini'),
      summarizeWith(model, { modelSettings: { temperature: 0 } }),
      summarizeWith(client, { model: 'gpt-5-mini' }),
    ]
    expectTypeOf(make).toBeFunction()
    // @ts-expect-error: a client needs the name of a model
    expectTypeOf((client: Client) => summarizeWith(client)).toBeFunction()
  })
})

describe('our public type', () => {
  it('is never any', () => {
    expectTypeOf(offloadTools).parameter(1).toEqualTypeOf<ContextOffloader>()
    expectTypeOf(offloadTools).parameter(2).toEqualTypeOf<OffloadOptions | undefined>()
    expectTypeOf<IsAny<Parameters<typeof offloadTools>[0][number]>>().toEqualTypeOf<false>()
    expectTypeOf<ScopeRun['context']>().toBeUnknown()
    expectTypeOf<ScopeRun['sessionId']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<NonNullable<OffloadOptions['scope']>>().returns.toEqualTypeOf<readonly string[]>()
    expectTypeOf(retrievalTool(offloader)).toEqualTypeOf<RetrievalTool>()
  })
})
