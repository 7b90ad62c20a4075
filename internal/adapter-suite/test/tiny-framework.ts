/** A framework for agents that is just large enough to run every case of the suite. */

import type { TextBlock } from '@spillway/core'

/** One part of a result with several parts. */
export type TinyPart =
  | TextBlock
  | { readonly type: 'media'; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'media-url'; readonly mediaType: string; readonly url: string }

/** A result that the model sees. */
export type TinyOutput =
  | { readonly type: 'text' | 'error'; readonly value: string }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'parts'; readonly value: readonly TinyPart[] }

export interface TinyToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export type TinyMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly toolCalls: readonly TinyToolCall[]
      readonly providerResults: Readonly<Record<string, unknown>>
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly toolName: string; readonly output: TinyOutput }

/** A tool. `execute` may return an async generator, whose last value is the result. */
export interface TinyTool {
  readonly name: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly needsApproval?: boolean
  readonly providerExecuted?: boolean
  /** Whether the framework does not validate the input, because the tool itself answers invalid input. */
  readonly takesAnything?: boolean
  readonly execute: (input: unknown, context: TinyToolContext) => unknown
}

export interface TinyToolContext {
  readonly toolCallId: string
  readonly signal: AbortSignal | undefined
}

export interface TinyResultContext extends TinyToolContext {
  /** Number of tool calls in the message. */
  readonly calls: number
  readonly toolName: string
  readonly input: unknown
}

/** The input of a model call. */
export interface TinyPrompt {
  /** Empty if there is no system prompt. */
  readonly system: string
  readonly messages: readonly TinyMessage[]
}

/** An agent. An adapter sets its hooks. */
export interface TinyAgent {
  readonly tools: readonly TinyTool[]
  readonly system?: string
  readonly model: (prompt: TinyPrompt, tools: readonly TinyTool[]) => TinyMessage
  readonly approve?: (toolName: string) => boolean
  readonly onOutput?: (toolCallId: string, output: unknown, preliminary: boolean) => void
  readonly beforeModel?: (signal: AbortSignal | undefined) => Promise<void>
  readonly afterTool?: (output: TinyOutput, context: TinyResultContext) => Promise<TinyOutput>
  /** Changes the messages for the model, but not the saved messages. */
  readonly rewrite?: (messages: readonly TinyMessage[]) => readonly TinyMessage[]
  /** Makes the prompt smaller before `rewrite`, but not the saved messages. */
  readonly compact?: (prompt: TinyPrompt, signal: AbortSignal | undefined) => Promise<TinyPrompt>
}

/** Marks a value as an error that the tool returned, or as parts. */
export class TinyResult {
  readonly output: TinyOutput

  constructor(output: TinyOutput) {
    this.output = output
  }
}

/** Run an agent until the model answers with text. Adds all new messages to `messages`, also before it rejects. */
export async function runTinyAgent(
  agent: TinyAgent,
  messages: TinyMessage[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    await agent.beforeModel?.(signal)
    signal?.throwIfAborted()
    const whole = { system: agent.system ?? '', messages }
    const prompt = (await agent.compact?.(whole, signal)) ?? whole
    signal?.throwIfAborted()
    const answer = agent.model(
      { ...prompt, messages: agent.rewrite?.(prompt.messages) ?? prompt.messages },
      agent.tools,
    )
    messages.push(answer)
    if (answer.role !== 'assistant' || !('toolCalls' in answer)) return
    const results = await Promise.all(
      answer.toolCalls.map(async (call, _index, { length }) => runTool(agent, call, length, signal)),
    )
    messages.push(...results.filter((result) => result !== undefined))
  }
}

async function runTool(
  agent: TinyAgent,
  { id, name, input }: TinyToolCall,
  calls: number,
  signal: AbortSignal | undefined,
): Promise<TinyMessage | undefined> {
  const tool = agent.tools.find((one) => one.name === name)
  const message = (output: TinyOutput): TinyMessage => ({ role: 'tool', toolCallId: id, toolName: name, output })
  const refused = (value: string): TinyMessage => message({ type: 'error', value })
  if (tool === undefined) return refused(`There is no tool ${name}.`)
  if (tool.providerExecuted === true) return undefined
  const mistake = tool.takesAnything === true ? undefined : findMistake(tool.inputSchema, input)
  if (mistake !== undefined) return refused(mistake)
  if (tool.needsApproval === true && agent.approve?.(name) !== true) return refused('The user said no.')
  const context = { toolCallId: id, toolName: name, input, calls, signal }
  const original = await execute(agent, tool, context)
  return message((await agent.afterTool?.(original, context)) ?? original)
}

async function execute({ onOutput }: TinyAgent, tool: TinyTool, context: TinyResultContext): Promise<TinyOutput> {
  try {
    let result = await tool.execute(context.input, context)
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
      // Only a generator function of a tool returns such a result.
      for await (const value of result as AsyncIterable<unknown>) {
        onOutput?.(context.toolCallId, value, true)
        result = value
      }
    }
    onOutput?.(context.toolCallId, result instanceof TinyResult ? result.output : result, false)
    return outputOf(result)
  } catch (error) {
    // A thrown value becomes the result, as in any framework that shows errors to the model.
    return { type: 'error', value: error instanceof Error ? error.message : (JSON.stringify(error) ?? 'unknown error') }
  }
}

function outputOf(result: unknown): TinyOutput {
  if (result instanceof TinyResult) return result.output
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result ?? null }
}

interface TinySchema {
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TinySchema>>
  readonly items?: TinySchema
}

/** Check the few keywords of JSON Schema that the cases use. */
export function findMistake(schema: TinySchema, value: unknown, path = 'The input'): string | undefined {
  const { type = 'object', required = [], properties = {}, items } = schema
  if (!hasType(value, type)) return `${path} must be of the type ${type}.`
  if (Array.isArray(value) && items !== undefined)
    return value.map((item, index) => findMistake(items, item, `${path}[${index}]`)).find((one) => one !== undefined)
  const values = value as Readonly<Record<string, unknown>>
  for (const name of required) if (!(name in values)) return `${name} is missing.`
  return Object.entries(properties)
    .map(([name, property]) => (name in values ? findMistake(property, values[name], name) : undefined))
    .find((one) => one !== undefined)
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  return typeof value === type && value !== null && !Array.isArray(value)
}
