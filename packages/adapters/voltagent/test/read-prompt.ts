import { Buffer } from 'node:buffer'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'

/** A call of the model. */
export interface PromptCall {
  readonly prompt: readonly Message[]
  readonly tools?: readonly { readonly name: string; readonly inputSchema?: unknown }[]
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

/** Read the call of the model. */
export function readPrompt({ prompt, tools = [] }: PromptCall): SeenPrompt {
  return {
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
  return { toolCallId, toolName, isError: isError(output), content: readOutput(output) }
}

/** VoltAgent marks thrown errors as values with `error: true`. */
function isError({ type, value }: Output): boolean {
  if (type === 'json') return (Object(value) as { readonly error?: unknown }).error === true
  return type.startsWith('error-') || type === 'execution-denied'
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
      return {
        type: kindOf(mediaType),
        mediaType,
        name,
        data: new Uint8Array(Buffer.from(String(part['data']), 'base64')),
      }
    case 'image-url':
    case 'file-url':
      return { type: part.type === 'image-url' ? 'image' : 'document', mediaType, name, url: String(part['url']) }
    default:
      return { type: 'unknown', value: part }
  }
}

function kindOf(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/', 1)
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}
