import { Buffer } from 'node:buffer'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { AgentInputItem, ModelRequest } from '@openai/agents'
import type { ContentBlock } from '@spillway/core'

type Result = Extract<AgentInputItem, { type: 'function_call_result' }>
type Request = Pick<ModelRequest, 'input' | 'tools' | 'systemInstructions'>
type Part = Readonly<Record<string, unknown>>

/** Read the call of a model. */
export function readPrompt({ input, tools, systemInstructions = '' }: Request): SeenPrompt {
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input
  return {
    system: systemInstructions,
    results: items.flatMap((item) => (item.type === 'function_call_result' ? [readResult(item)] : [])),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(
      tools.map((tool) => [tool.name, 'parameters' in tool ? tool.parameters : undefined]),
    ),
    messages: JSON.stringify(items),
  }
}

/** The SDK cannot mark errors. */
function readResult({ callId, name, output }: Result): SeenResult {
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output]
  return { toolCallId: callId, toolName: name, isError: undefined, content: parts.map(readPart) }
}

function readPart(part: unknown): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { type, text, image, file } = part as Part
  if (type === 'text' || type === 'input_text') return { type: 'text', text: String(text) }
  const source = type === 'input_image' ? image : ((file as Part | undefined)?.['url'] ?? file)
  const [, mediaType, base64] = /^data:([^;]*);base64,([^]*)$/.exec(String(source)) ?? []
  if (mediaType === undefined)
    return { type: type === 'input_image' ? 'image' : 'document', mediaType: '', url: String(source) }
  return { type: kindOf(mediaType), mediaType, data: new Uint8Array(Buffer.from(base64 ?? '', 'base64')) }
}

function kindOf(mediaType: string): 'image' | 'audio' | 'document' {
  const [kind] = mediaType.split('/', 1)
  return kind === 'image' || kind === 'audio' ? kind : 'document'
}
