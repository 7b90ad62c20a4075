import { Buffer } from 'node:buffer'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'

/** A call of a model of any specification. */
export interface PromptCall {
  readonly prompt: readonly Message[]
  readonly tools?: readonly { readonly name: string; readonly inputSchema?: unknown }[] | undefined
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
  const isSystem = ({ role }: Message): boolean => role === 'system'
  return {
    results: prompt.flatMap(({ role, content }) =>
      role !== 'tool' || typeof content === 'string'
        ? []
        : content.filter(({ type }) => type === 'tool-result').map(readResult),
    ),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema])),
    // Remove the creation times that Mastra adds to parts.
    system: prompt
      .filter(isSystem)
      .map(({ content }) => (typeof content === 'string' ? content : ''))
      .join('\n\n'),
    messages: JSON.stringify(
      prompt.filter((message) => !isSystem(message)),
      (key, value: unknown) => {
        if (key === 'createdAt') return undefined
        return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
      },
    ),
  }
}

function readResult({ toolCallId, toolName, output }: ResultPart): SeenResult {
  return { toolCallId, toolName, isError: isError(output), content: readOutput(output) }
}

/** Mastra shows errors of MCP as JSON, including the error mark. */
function isError({ type, value }: Output): boolean {
  if (type === 'json') return (Object(value) as { readonly isError?: unknown }).isError === true
  return type.startsWith('error-') || type === 'execution-denied'
}

function readOutput({ type, value, reason = '' }: Output): ContentBlock[] {
  if (type === 'content') return (value as readonly Part[]).map(readPart)
  if (type === 'execution-denied') return [{ type: 'text', text: reason }]
  return typeof value === 'string' ? [{ type: 'text', text: value }] : [{ type: 'json', value }]
}

function readPart(part: Part): ContentBlock {
  const mediaType = String(part['mediaType'])
  switch (part.type) {
    case 'text':
      return { type: 'text', text: String(part['text']) }
    case 'media':
    case 'image-data':
    case 'file-data':
      return { type: kindOf(mediaType), mediaType, data: bytesOf(part['data']) }
    case 'image-url':
    case 'file-url':
      return { type: part.type === 'image-url' ? 'image' : 'document', mediaType, url: String(part['url']) }
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
