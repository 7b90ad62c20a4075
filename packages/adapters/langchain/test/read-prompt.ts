import { Buffer } from 'node:buffer'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import { SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import type { ContentBlock } from '@spillway/core'

/** A tool as providers get it: a function, or a tool that the provider runs. */
export type ToolDefinition =
  | { readonly function: { readonly name: string; readonly parameters?: unknown } }
  | { readonly type: string; readonly name: string }

type Part = Readonly<Record<string, unknown>>

/** Read the call of a model. */
export function readPrompt(messages: readonly BaseMessage[], tools: readonly ToolDefinition[]): SeenPrompt {
  const functions = tools.map((tool) =>
    'function' in tool ? tool.function : { name: tool.name, parameters: undefined },
  )
  const [first, ...others] = messages
  const system = SystemMessage.isInstance(first) ? first : undefined
  return {
    results: messages.filter((message) => ToolMessage.isInstance(message)).map(readResult),
    toolNames: functions.map(({ name }) => name),
    toolSchemas: Object.fromEntries(functions.map(({ name, parameters }) => [name, parameters])),
    messages: JSON.stringify((system === undefined ? messages : others).map(visible)),
    system: system?.text ?? '',
  }
}

/** The fields of a message that providers get, without the id that LangChain generates, and without the artifact. */
function visible(message: BaseMessage): object {
  const { type, content, name, additional_kwargs, tool_calls, tool_call_id, status } = message as BaseMessage & Part
  return { type, content: withoutStack(content), name, additional_kwargs, tool_calls, tool_call_id, status }
}

/** Remove stack lines: for refused arguments, LangChain shows the model its stack, which contains the middleware. */
function withoutStack<Content>(content: Content): Content | string {
  return typeof content === 'string' ? content.replaceAll(/\n {4}at [^\n]*/g, '') : content
}

function readResult({ tool_call_id, name = '', status, content }: ToolMessage): SeenResult {
  return {
    toolCallId: tool_call_id,
    toolName: name,
    isError: status === undefined ? undefined : status === 'error',
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Part[]).map(readPart),
  }
}

function readPart(part: Part): ContentBlock {
  const { type, text, image_url: image, mimeType, data, url } = part
  if (type === 'text') return { type, text: String(text) }
  if (type === 'image_url') {
    const [header = '', base64 = ''] = (image as { readonly url: string }).url.split(',', 2)
    return { type: 'image', mediaType: header.slice('data:'.length, -';base64'.length), data: bytesOf(base64) }
  }
  if (type !== 'image' && type !== 'audio' && type !== 'video' && type !== 'file') return { type: 'json', value: part }
  const block = { type: type === 'file' ? 'document' : type, mediaType: String(mimeType) } as const
  return typeof url === 'string' ? { ...block, url } : { ...block, data: bytesOf(data as string) }
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
