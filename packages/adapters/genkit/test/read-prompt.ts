import { Buffer } from 'node:buffer'
import type { CaseOutput, SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { OFFLOADED_KEY } from '@spillway/core/adapter'
import type { GenerateRequest, Part, ToolResponsePart } from 'genkit'

/** Read the call of a model. */
export function readPrompt({ messages, tools = [] }: GenerateRequest): SeenPrompt {
  return {
    results: messages.flatMap(({ content }) => content.flatMap(readResult)),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema])),
    system: messages
      .filter(isSystem)
      .flatMap(({ content }) => content.map(({ text = '' }) => text))
      .join('\n\n'),
    messages: JSON.stringify(messages.filter((message) => !isSystem(message)).map(visible)),
  }
}

/** Removes metadata from results, as plugins do when they send a request. */
const visible = ({ content, ...message }: GenerateRequest['messages'][number]): object => ({
  ...message,
  content: content.map(({ metadata, ...part }) => (part.toolResponse === undefined ? { ...part, metadata } : part)),
})

const isSystem = ({ role }: GenerateRequest['messages'][number]): boolean => role === 'system'

function readResult({ toolResponse }: Part): SeenResult[] {
  if (toolResponse === undefined) return []
  const { name, ref = '', output, content = [] } = toolResponse
  const error = readError(output)
  const blocks = [...(output === undefined ? [] : [readOutput(error ?? output)]), ...content.map(readPart)]
  return [{ toolCallId: ref, toolName: name, isError: error !== undefined, content: blocks }]
}

/** Genkit cannot mark errors. Its plugin for MCP writes them in this form. */
function readError(output: unknown): string | undefined {
  // A long string has a property for each character.
  if (typeof output !== 'object' || output === null) return undefined
  const { error, ...others } = output as { readonly error?: unknown }
  return typeof error === 'string' && Object.keys(others).length === 0 ? error : undefined
}

function readOutput(output: unknown): ContentBlock {
  return typeof output === 'string' ? { type: 'text', text: output } : { type: 'json', value: output }
}

function readPart({ text, media, data }: Part): ContentBlock {
  if (text !== undefined) return { type: 'text', text }
  if (media === undefined) return { type: 'json', value: data }
  const { url, contentType: mediaType = '' } = media
  const kind = mediaType.split('/')[0]
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
  if (!url.startsWith('data:')) return { type, mediaType, url }
  return { type, mediaType, data: new Uint8Array(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')) }
}

/** Reads a tool response as a program does: its output, its content, and its stored blocks. */
export function seenOutput({ toolResponse, metadata }: ToolResponsePart): CaseOutput {
  const { ref = '', output, content } = toolResponse
  const { stored } = Object(metadata?.[OFFLOADED_KEY]) as Pick<CaseOutput, 'stored'>
  return { toolCallId: ref, output: content === undefined ? output : { output, content }, ...(stored && { stored }) }
}
