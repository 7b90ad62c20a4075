import { Buffer } from 'node:buffer'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'

/** A call of a model of any version. */
export interface PromptCall {
  readonly prompt: readonly Message[]
  readonly tools?: readonly { readonly name: string; readonly inputSchema?: unknown }[]
  readonly abortSignal?: AbortSignal | undefined
}

interface Message {
  readonly role: string
  readonly content: string | readonly ResultPart[]
}

interface ResultPart {
  readonly type: string
  readonly toolCallId: string
  readonly toolName: string
  readonly output: Output
}

type Output = { readonly type: string; readonly value?: unknown; readonly reason?: string }

type Part = { readonly type: string } & Readonly<Record<string, unknown>>

/** Read the call of a model. */
export function readPrompt({ prompt, tools = [] }: PromptCall): SeenPrompt {
  return {
    system: prompt
      .flatMap(({ role, content }) => (role === 'system' && typeof content === 'string' ? [content] : []))
      .join('\n\n'),
    results: prompt.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool-result').map(readResult),
    ),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema])),
    messages: JSON.stringify(prompt, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
  }
}

function readResult({ toolCallId, toolName, output }: ResultPart): SeenResult {
  const isError = output.type.startsWith('error-') || output.type === 'execution-denied'
  return { toolCallId, toolName, isError, content: readOutput(output) }
}

function readOutput({ type, value, reason = '' }: Output): ContentBlock[] {
  if (type === 'content') return (value as readonly Part[]).map(readPart)
  if (type === 'execution-denied') return [{ type: 'text', text: reason }]
  return typeof value === 'string' ? [{ type: 'text', text: value }] : [{ type: 'json', value }]
}

function readPart(part: Part): ContentBlock {
  const mediaType = String(part['mediaType'])
  const name = part['filename'] as string | undefined
  switch (part.type) {
    case 'text':
      return { type: 'text', text: String(part['text']) }
    case 'image-data':
    case 'file-data':
      return { type: kindOf(mediaType), mediaType, name, data: bytesOf(part['data']) }
    case 'image-url':
    case 'file-url':
      return { type: part.type === 'image-url' ? 'image' : 'document', mediaType, name, url: String(part['url']) }
    case 'file': {
      const data = part['data'] as { readonly type: string; readonly data?: unknown; readonly url?: unknown }
      if (data.type === 'data') return { type: kindOf(mediaType), mediaType, name, data: bytesOf(data.data) }
      if (data.type === 'url') return { type: kindOf(mediaType), mediaType, name, url: String(data.url) }
      return { type: 'unknown', value: part }
    }
    default:
      return { type: 'unknown', value: part }
  }
}

function bytesOf(data: unknown): Uint8Array {
  return data instanceof Uint8Array ? data : new Uint8Array(Buffer.from(String(data), 'base64'))
}

function kindOf(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/', 1)
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}
