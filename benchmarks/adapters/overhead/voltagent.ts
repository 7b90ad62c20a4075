import { offloadHooks, offloadTools } from '@spillway/voltagent'
import { createTool, type Tool, type ToolExecuteOptions } from '@voltagent/core'
import { z } from 'zod'
import type { Subject } from '../subject.ts'
import * as models from '../voltagent.ts'
import { loop, newOffloader, one, script, type OverheadCase } from './overhead-case.ts'

type ToModelOutput = NonNullable<Tool['toModelOutput']>

/** Cases that call the adapter directly like VoltAgent and the AI SDK, compared with a tool that is not wrapped. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const own = readTool(output, ({ output: value }) =>
    typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: value as never },
  )
  const offloader = newOffloader()
  const [ours] = offloadTools([own], offloader)
  const { onToolStart, onToolEnd } = offloadHooks(offloader)
  const bare = readTool(output)
  const idle = async (): Promise<undefined> => undefined
  return [
    {
      name: 'VoltAgent `toModelOutput`',
      plain: one(() => show(own, output)),
      wrapped: one(() => show(ours, output)),
    },
    {
      name: 'VoltAgent `onToolEnd`',
      plain: one(async () => void [await idle(), await idle()]),
      wrapped: one(async () => {
        const options = optionsOfCall()
        // The part of an event that the hooks read.
        const event = { tool: bare, args: { path: 'a' }, options, context: {}, output, error: undefined }
        await onToolStart?.(event as unknown as Parameters<NonNullable<typeof onToolStart>>[0])
        return onToolEnd?.(event as unknown as Parameters<NonNullable<typeof onToolEnd>>[0])
      }),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages, which a chat sends. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const read = readTool(output)
  const messages = [...pastMessages(history, output), userMessage('Go on.')]
  const run = (setup: Pick<models.AgentSetup, 'tools' | 'hooks'>): Subject =>
    loop(() => {
      const model = models.scriptedModel(script, () => undefined)
      return models
        .newAgent({ model, memory: false, ...setup })
        .generateText(messages, { conversationId: 'session-1', ...models.QUIET })
    })
  const offloader = newOffloader()
  const plain = run({ tools: [read] })
  return [
    {
      name: 'VoltAgent `offloadTools`',
      plain,
      wrapped: run({ tools: offloadTools([read], offloader), hooks: offloadHooks(offloader) }),
    },
  ]
}

function readTool(output: string | object, toModelOutput?: ToModelOutput): Tool {
  return createTool({
    name: 'read',
    description: 'Read.',
    parameters: z.object({ path: z.string() }),
    execute: async () => output,
    ...(toModelOutput && { toModelOutput }),
  })
}

/** The new objects of each call: the AI SDK parses the input, and VoltAgent creates options. */
function optionsOfCall(): ToolExecuteOptions {
  return { conversationId: 'session-1', toolContext: { name: 'read', callId: 'call_1', messages: [] } }
}

async function show(tool: Tool, output: unknown): Promise<unknown> {
  const call = { toolCallId: 'call_1', input: { path: 'a' }, output }
  await tool.hooks?.onStart?.({ tool, args: call.input, options: optionsOfCall() })
  return tool.toModelOutput?.(call)
}

type Messages = Extract<
  Parameters<ReturnType<typeof models.newAgent>['generateText']>[0],
  readonly { parts: unknown }[]
>

const userMessage = (text: string): Messages[number] => ({ id: text, role: 'user', parts: [{ type: 'text', text }] })

/** Return messages. Each message after the first becomes two messages for the model: a call and its result. */
function pastMessages(length: number, output: string): Messages {
  const messages: Messages = [userMessage('Read the files.')]
  for (let index = 0; 2 * index + 1 < length; index += 1) {
    const toolCallId = `past_${index}`
    const call = { type: 'tool-read', toolCallId, state: 'output-available', input: { path: 'a' }, output } as const
    messages.push({ id: toolCallId, role: 'assistant', parts: [call] })
  }
  return messages
}
