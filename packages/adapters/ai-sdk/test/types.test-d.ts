/** Type tests for every version. They are compiled and never run. */
import type { ContextOffloader } from '@spillway/core'
import {
  dynamicTool,
  generateText,
  streamText,
  tool,
  ToolLoopAgent,
  wrapLanguageModel,
  type InferToolInput,
  type InferToolOutput,
  type InferUITools,
  type LanguageModel,
  type PrepareStepFunction,
  type Tool,
  type ToolSet,
  type TypedToolCall,
  type TypedToolResult,
} from 'ai'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { historyPrepareStep, summarizeWith } from '../src/history/index.ts'
import {
  offloadMiddleware,
  offloadPrepareStep,
  offloadTools,
  retrievalTool,
  type OffloadedTools,
  type RetrievalOutput,
  type RetrievalToolEntry,
} from '../src/index.ts'

declare const offloader: ContextOffloader
declare const model: LanguageModel
declare const languageModel: Parameters<typeof wrapLanguageModel>[0]['model']

const readLog = tool({
  description: 'Read a log.',
  inputSchema: z.object({ path: z.string(), lines: z.number().optional() }),
  execute: async ({ path }) => ({ path, lines: [path] }),
})
const streamed = tool({
  inputSchema: z.object({ query: z.string() }),
  async *execute({ query }) {
    yield { status: 'searching' as const, query }
    yield { status: 'done' as const, query }
  },
})
const mapped = tool({
  inputSchema: z.object({ id: z.number() }),
  execute: ({ id }) => new Uint8Array(id),
  toModelOutput: ({ output }) => ({ type: 'text', value: String(output.byteLength) }),
})
const clientSide = tool({ inputSchema: z.object({ question: z.string() }), outputSchema: z.boolean() })
const dynamic = dynamicTool({ inputSchema: z.object({}), execute: async () => 'anything' })

const plain = { readLog, streamed, mapped, clientSide, dynamic }
const wrapped = offloadTools(plain, offloader)
type Plain = typeof plain
type Wrapped = typeof wrapped
type Own = { retrieve_offloaded_content: RetrievalToolEntry }

/** `true` if the type is `any`, which no public type may be. */
type IsAny<TYPE> = 0 extends 1 & TYPE ? true : false

describe('offloadTools', () => {
  it('keeps every tool, and adds the retrieval tool', () => {
    expectTypeOf<keyof Wrapped>().toEqualTypeOf<keyof Plain | 'retrieve_offloaded_content'>()
    expectTypeOf<Wrapped>().toEqualTypeOf<OffloadedTools<Plain>>()
    expectTypeOf<Wrapped['readLog']>().toEqualTypeOf<Plain['readLog']>()
    expectTypeOf<Wrapped['streamed']>().toEqualTypeOf<Plain['streamed']>()
    expectTypeOf<Wrapped['mapped']>().toEqualTypeOf<Plain['mapped']>()
    expectTypeOf<Wrapped['clientSide']>().toEqualTypeOf<Plain['clientSide']>()
    expectTypeOf<Wrapped['dynamic']>().toEqualTypeOf<Plain['dynamic']>()
    expectTypeOf(wrapped).toExtend<ToolSet>()
  })

  it('keeps inputs and outputs', () => {
    expectTypeOf<InferToolInput<Wrapped['readLog']>>().toEqualTypeOf<{ path: string; lines?: number | undefined }>()
    expectTypeOf<InferToolOutput<Wrapped['readLog']>>().toEqualTypeOf<{ path: string; lines: string[] }>()
    expectTypeOf<InferToolOutput<Wrapped['streamed']>['status']>().toEqualTypeOf<'searching' | 'done'>()
    expectTypeOf<InferToolOutput<Wrapped['clientSide']>>().toEqualTypeOf<boolean>()
    expectTypeOf<InferUITools<Pick<Wrapped, 'readLog'>>>().toEqualTypeOf<InferUITools<Pick<Plain, 'readLog'>>>()
  })

  it('keeps the types of calls and results, and adds the types of the retrieval tool', () => {
    expectTypeOf<TypedToolCall<Wrapped>>().toEqualTypeOf<TypedToolCall<Plain & Own>>()
    expectTypeOf<TypedToolResult<Wrapped>>().toEqualTypeOf<TypedToolResult<Plain & Own>>()
    type Call<NAME extends keyof Wrapped> = Extract<TypedToolCall<Pick<Wrapped, NAME>>, { toolName: NAME }>
    type Result<NAME extends keyof Wrapped> = Extract<TypedToolResult<Pick<Wrapped, NAME>>, { toolName: NAME }>
    expectTypeOf<Call<'readLog'>['input']>().toEqualTypeOf<{ path: string; lines?: number | undefined }>()
    expectTypeOf<Result<'mapped'>['output']>().toEqualTypeOf<InferToolOutput<typeof mapped>>()
    expectTypeOf<Result<'retrieve_offloaded_content'>['output']>().toEqualTypeOf<RetrievalOutput>()
    expectTypeOf<Call<'retrieve_offloaded_content'>['input']>().toEqualTypeOf<unknown>()
  })

  it('keeps the types of tools during a run', async () => {
    const { toolCalls, toolResults } = await generateText({ model, tools: wrapped, prompt: '' })
    expectTypeOf(toolCalls).toEqualTypeOf<TypedToolCall<Wrapped>[]>()
    expectTypeOf(toolResults).toEqualTypeOf<TypedToolResult<Wrapped>[]>()
  })

  it('accepts tool sets of unknown tools', () => {
    const some: ToolSet = plain
    expectTypeOf(offloadTools(some, offloader)).toExtend<ToolSet>()
    expectTypeOf(offloadTools({}, offloader)).toExtend<Own>()
  })

  it('rejects values that are not tool sets or offloaders', () => {
    expectTypeOf<{ broken: { execute: string } }>().not.toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<typeof plain>().toExtend<Parameters<typeof offloadTools>[0]>()
    expectTypeOf<ContextOffloader['options']['storage']>().not.toExtend<Parameters<typeof offloadTools>[1]>()
  })
})

describe('retrievalTool', () => {
  it('is a tool whose input has the type unknown', () => {
    const entry = retrievalTool(offloader)
    expectTypeOf(entry).toExtend<Tool<unknown, RetrievalOutput>>()
    expectTypeOf<InferToolInput<typeof entry>>().toEqualTypeOf<unknown>()
    expectTypeOf<InferToolOutput<typeof entry>>().toEqualTypeOf<RetrievalOutput>()
    expectTypeOf<ReturnType<typeof entry.execute>>().toEqualTypeOf<Promise<RetrievalOutput>>()
  })

  it('contains no any', () => {
    expectTypeOf<IsAny<InferToolInput<RetrievalToolEntry>>>().toEqualTypeOf<false>()
    expectTypeOf<IsAny<InferToolOutput<RetrievalToolEntry>>>().toEqualTypeOf<false>()
    expectTypeOf<IsAny<Wrapped['retrieve_offloaded_content']>>().toEqualTypeOf<false>()
    expectTypeOf<IsAny<Parameters<typeof offloadTools>[0]>>().toEqualTypeOf<false>()
    expectTypeOf<IsAny<ReturnType<typeof offloadMiddleware>>>().toEqualTypeOf<false>()
    expectTypeOf<IsAny<Parameters<RetrievalToolEntry['execute']>[1]>>().toEqualTypeOf<false>()
  })
})

describe('offloadPrepareStep', () => {
  const prepareStep = offloadPrepareStep(offloader)

  it('is accepted by every loop', () => {
    expectTypeOf(() => generateText({ model, tools: wrapped, prompt: '', prepareStep })).toBeFunction()
    expectTypeOf(() => streamText({ model, tools: wrapped, prompt: '', prepareStep })).toBeFunction()
    expectTypeOf(() => new ToolLoopAgent({ model, tools: wrapped, prepareStep })).toBeFunction()
    expectTypeOf(() => generateText({ model, prompt: '', prepareStep })).toBeFunction()
  })

  it('passes the types of the loop to the function that it calls', () => {
    void (() =>
      generateText({
        model,
        tools: wrapped,
        prompt: '',
        prepareStep: offloadPrepareStep(offloader, ({ stepNumber, steps, messages }) => {
          expectTypeOf(stepNumber).toEqualTypeOf<number>()
          expectTypeOf<IsAny<typeof messages>>().toEqualTypeOf<false>()
          expectTypeOf<IsAny<(typeof steps)[number]>>().toEqualTypeOf<false>()
          return stepNumber === 0 ? { toolChoice: 'required' as const } : { messages }
        }),
      }))
    void (() =>
      streamText({
        model,
        tools: wrapped,
        prompt: '',
        prepareStep: offloadPrepareStep(offloader, async ({ stepNumber }) =>
          stepNumber === 0 ? { toolChoice: 'required' as const } : undefined,
        ),
      }))
    void (() =>
      new ToolLoopAgent({
        model,
        tools: wrapped,
        prepareStep: offloadPrepareStep(offloader, ({ messages }) => ({ messages })),
      }))
  })

  it('keeps the declared type of a function', () => {
    const declared = async (options: {
      stepNumber: number
      own?: boolean
    }): Promise<{ toolChoice: 'none' } | undefined> => (options.own ? { toolChoice: 'none' } : undefined)
    expectTypeOf(offloadPrepareStep(offloader, declared)).toExtend<typeof declared>()
  })

  it('rejects a result that the loop does not accept', () => {
    type Returned = Awaited<ReturnType<PrepareStepFunction<Record<string, Tool>>>>
    expectTypeOf<{ toolChoice: 'perhaps' }>().not.toExtend<Returned>()
    expectTypeOf<{ toolChoice: 'required' }>().toExtend<Returned>()
  })
})

describe('historyPrepareStep', () => {
  const prepareStep = historyPrepareStep(offloader, { maxTotalTokens: 50_000, summarize: summarizeWith(model) })
  const both = offloadPrepareStep(offloader, prepareStep)

  it('is accepted by every loop, alone or with offloadPrepareStep', () => {
    expectTypeOf(() => generateText({ model, tools: wrapped, prompt: '', prepareStep })).toBeFunction()
    expectTypeOf(() => generateText({ model, prompt: '', prepareStep })).toBeFunction()
    expectTypeOf(() => streamText({ model, tools: wrapped, prompt: '', prepareStep })).toBeFunction()
    expectTypeOf(() => new ToolLoopAgent({ model, tools: wrapped, prepareStep })).toBeFunction()
    expectTypeOf(() => generateText({ model, tools: wrapped, prompt: '', prepareStep: both })).toBeFunction()
    expectTypeOf(() => streamText({ model, tools: wrapped, prompt: '', prepareStep: both })).toBeFunction()
    expectTypeOf(() => new ToolLoopAgent({ model, tools: wrapped, prepareStep: both })).toBeFunction()
  })

  it('passes the types of the loop to the function that it calls', () => {
    void (() =>
      generateText({
        model,
        tools: wrapped,
        prompt: '',
        prepareStep: historyPrepareStep(offloader, {}, ({ stepNumber, steps, messages }) => {
          expectTypeOf(stepNumber).toEqualTypeOf<number>()
          expectTypeOf<IsAny<typeof messages>>().toEqualTypeOf<false>()
          expectTypeOf<IsAny<(typeof steps)[number]>>().toEqualTypeOf<false>()
          return stepNumber === 0 ? { toolChoice: 'required' as const } : { messages }
        }),
      }))
    void (() =>
      new ToolLoopAgent({
        model,
        tools: wrapped,
        prepareStep: historyPrepareStep(offloader, {}, async ({ messages }) => ({ messages })),
      }))
    void (() =>
      generateText({
        model,
        tools: wrapped,
        prompt: '',
        prepareStep: historyPrepareStep(offloader, {}, offloadPrepareStep(offloader)),
      }))
  })
})

describe('offloadMiddleware', () => {
  it('is accepted by wrapLanguageModel', () => {
    const middleware = offloadMiddleware(offloader)
    expectTypeOf(wrapLanguageModel({ model: languageModel, middleware })).toExtend<LanguageModel>()
  })
})
