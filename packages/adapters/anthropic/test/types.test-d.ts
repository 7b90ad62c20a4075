/** Type tests for every version. They are compiled and never run. */
import type Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { mcpTools, type MCPClientLike } from '@anthropic-ai/sdk/helpers/beta/mcp'
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool'
import type { ContextOffloader } from '@spillway/core'
import { anthropicMessages, compactorOfRun } from '@spillway/history'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { historyParams, historyRunner, summarizeWith, type HistoryParams } from '../src/history/index.ts'
import {
  answerToolCalls,
  endTurns,
  offloadTools,
  retrievalTool,
  type ResultPart,
  type RetrievalTool,
  type ToolResults,
} from '../src/index.ts'

declare const client: Anthropic
declare const offloader: ContextOffloader
declare const mcpClient: MCPClientLike
declare const handlers: MemoryToolHandlers

const readLog = betaZodTool({
  name: 'read_log',
  description: 'Read a log.',
  inputSchema: z.object({ path: z.string(), lines: z.number().optional() }),
  run: ({ path }) => path,
})
const count = betaTool({
  name: 'count',
  description: 'Count.',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  run: ({ n }) => [{ type: 'text', text: String(n) }],
})
const memory = betaMemoryTool(handlers)
const search: Anthropic.Beta.BetaWebSearchTool20250305 = { type: 'web_search_20250305', name: 'web_search' }

const base = { model: 'claude-opus-5', max_tokens: 1_024, messages: [] }

/** `true` if the type is `any`, which no public type may be. */
type IsAny<TYPE> = 0 extends 1 & TYPE ? true : false

describe('offloadTools', () => {
  const tools = offloadTools([readLog, count, memory, search], offloader)

  it('keeps every tool with its type and position, and adds the retrieval tool', () => {
    expectTypeOf(tools[0]).toEqualTypeOf<typeof readLog>()
    expectTypeOf(tools[1]).toEqualTypeOf<typeof count>()
    expectTypeOf(tools[2]).toEqualTypeOf<typeof memory>()
    expectTypeOf(tools[3]).toEqualTypeOf<typeof search>()
    expectTypeOf(tools[4]).toEqualTypeOf<RetrievalTool | undefined>()
    expectTypeOf(offloadTools([], offloader)).toEqualTypeOf<RetrievalTool[]>()
  })

  it('keeps inputs', () => {
    expectTypeOf<Parameters<(typeof tools)[0]['run']>[0]>().toEqualTypeOf<{
      path: string
      lines?: number | undefined
    }>()
    expectTypeOf<Parameters<(typeof tools)[1]['run']>[0]['n']>().toEqualTypeOf<number>()
  })

  it('is accepted by tool runners', () => {
    expectTypeOf(() => client.beta.messages.toolRunner({ ...base, tools })).toBeFunction()
    expectTypeOf(() => client.beta.messages.toolRunner({ ...base, tools, stream: true })).toBeFunction()
  })

  it('accepts tools of a server and arrays of unknown tools', () => {
    const all = offloadTools([...mcpTools([], mcpClient), readLog], offloader)
    const some: Anthropic.Beta.Messages.BetaToolRunnerParams['tools'] = [readLog]
    expectTypeOf(() => client.beta.messages.toolRunner({ ...base, tools: all })).toBeFunction()
    expectTypeOf(() =>
      client.beta.messages.toolRunner({ ...base, tools: offloadTools(some, offloader) }),
    ).toBeFunction()
  })

  it('rejects values that are not tools or offloaders', () => {
    expectTypeOf<readonly [typeof readLog]>().toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<{ readLog: typeof readLog }>().not.toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<[{ execute: () => string }]>().not.toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<ContextOffloader['options']['storage']>().not.toExtend<Parameters<typeof offloadTools>[1]>()
  })
})

describe('retrievalTool', () => {
  it('is a runnable tool, and a definition for requests of either API', () => {
    expectTypeOf<RetrievalTool>().toExtend<BetaRunnableTool<unknown>>()
    expectTypeOf<RetrievalTool>().toExtend<Anthropic.Tool>()
    expectTypeOf<RetrievalTool>().toExtend<Anthropic.Beta.BetaTool>()
    expectTypeOf(() => client.messages.create({ ...base, tools: [retrievalTool(offloader)] })).toBeFunction()
    expectTypeOf(() => client.beta.messages.create({ ...base, tools: [retrievalTool(offloader)] })).toBeFunction()
  })
})

describe('endTurns', () => {
  it('keeps the type of the runner and of its yielded values', async () => {
    const tools = offloadTools([readLog], offloader)
    const runner = endTurns(client.beta.messages.toolRunner({ ...base, tools }), offloader)
    expectTypeOf(runner).toEqualTypeOf<Anthropic.Beta.Messages.BetaToolRunner<false>>()
    expectTypeOf(await runner).toEqualTypeOf<Anthropic.Beta.BetaMessage>()
    const streaming = endTurns(client.beta.messages.toolRunner({ ...base, tools, stream: true }), offloader)
    for await (const stream of streaming)
      expectTypeOf(await stream.finalMessage()).toExtend<Anthropic.Beta.BetaMessage>()
  })
})

describe('historyRunner', () => {
  it('returns a runner of the same type', async () => {
    const runner = historyRunner(client.beta.messages.toolRunner({ ...base, tools: [readLog] }), offloader, {
      keepRecent: 4,
    })
    expectTypeOf(runner).toEqualTypeOf<Anthropic.Beta.Messages.BetaToolRunner<false>>()
    expectTypeOf(endTurns(runner, offloader)).toEqualTypeOf(runner)
    // @ts-expect-error: unknown option
    historyRunner(runner, offloader, { maxTokens: 7 })
  })
})

describe('historyParams', () => {
  it('returns requests of either API with their types', async () => {
    const keepSmall = historyParams(offloader, { summarize: summarizeWith(client, { model: 'claude-haiku-5' }) })
    const message = await client.messages.create(await keepSmall({ ...base, system: 'Be brief.' }))
    expectTypeOf(message).toExtend<Anthropic.Message>()
    const beta = await client.beta.messages.create(await keepSmall({ ...base, betas: ['a'] }))
    expectTypeOf(beta).toExtend<Anthropic.Beta.BetaMessage>()
    expectTypeOf(
      keepSmall<Anthropic.MessageCreateParamsStreaming>,
    ).returns.resolves.toEqualTypeOf<Anthropic.MessageCreateParamsStreaming>()
  })

  it('accepts compactors of either API', () => {
    const ofOne = compactorOfRun(offloader, (id: string) => [id], {
      format: anthropicMessages<Anthropic.MessageParam>(),
    })
    const ofBeta = compactorOfRun(offloader, (id: string) => [id], {
      format: anthropicMessages<Anthropic.Beta.BetaMessageParam>(),
    })
    for (const compactor of [ofOne('a'), ofBeta('a')])
      expectTypeOf(historyParams(compactor)).toEqualTypeOf<HistoryParams>()
  })
})

describe('answerToolCalls', () => {
  it('accepts responses of either API, and returns a message of the same API', async () => {
    const response = await client.messages.create({ ...base })
    const beta = await client.beta.messages.create({ ...base })
    for (const one of [response, beta])
      expectTypeOf(await answerToolCalls(one, offloader, () => '')).toEqualTypeOf<ToolResults | undefined>()
    expectTypeOf<ToolResults>().toExtend<Anthropic.MessageParam>()
    expectTypeOf<ToolResults>().toExtend<Anthropic.Beta.BetaMessageParam>()
  })

  it('types the call, and accepts content of either API', () => {
    void ((response: Anthropic.Message) =>
      answerToolCalls(response, offloader, async (toolUse) => {
        expectTypeOf(toolUse).toEqualTypeOf<Anthropic.Beta.BetaToolUseBlock>()
        const context = { toolUse, toolUseBlock: toolUse }
        return readLog.run(readLog.parse(toolUse.input), context)
      }))
    expectTypeOf<Anthropic.TextBlockParam | Anthropic.ImageBlockParam>().toExtend<ResultPart>()
  })
})

it('public types contain no any', () => {
  expectTypeOf<IsAny<Parameters<typeof offloadTools>[0][number]>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<Parameters<RetrievalTool['run']>[0]>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<ReturnType<RetrievalTool['parse']>>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<RetrievalTool['input_schema']>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<ToolResults['content'][number]>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<ResultPart>>().toEqualTypeOf<false>()
})
