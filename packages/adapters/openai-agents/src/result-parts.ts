import type { AgentInputItem } from '@openai/agents'
import type { ContentBlock } from '@spillway/core'
import { encodeBlock, mediaFromData, mediaFromUrl, parseJsonText } from '@spillway/core/adapter'

/** A text, or parts. */
export type ResultOutput = Extract<AgentInputItem, { type: 'function_call_result' }>['output']

export type ResultPart = Extract<ResultOutput, readonly unknown[]>[number]

const URL_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** Media given by id become unknown blocks. */
export function partToBlock(part: unknown): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { type, text, image, file, filename } = Object(part) as Readonly<Record<string, unknown>>
  if ((type === 'input_text' || type === 'text') && typeof text === 'string') return { type: 'text', text }
  const { url = file } = Object(file) as { readonly url?: unknown }
  const source = type === 'input_image' ? image : type === 'input_file' ? url : undefined
  const kind = type === 'input_image' ? 'image/*' : ''
  const name = typeof filename === 'string' ? filename : undefined
  const isUrl = typeof source === 'string' && URL_SCHEME.test(source)
  const media = isUrl ? mediaFromUrl(kind, source, name) : mediaFromData(kind, source, name)
  return media ?? { type: 'unknown', value: part }
}

export function blockToPart(block: ContentBlock): ResultPart {
  const encoded = encodeBlock(block)
  if (encoded.type === 'text') return { type: 'input_text', text: encoded.text }
  const { type, mediaType, data, filename } = encoded
  const url = `data:${mediaType};base64,${data}`
  return type === 'image' ? { type: 'input_image', image: url } : { type: 'input_file', file: url, filename }
}

export function toolOutput(blocks: readonly ContentBlock[]): unknown {
  const [first, ...others] = blocks.map(encodeBlock).map((encoded) => {
    if (encoded.type === 'text') return encoded
    const { type, ...content } = encoded
    return type === 'image' ? { type, image: content } : { type: 'file', file: content }
  })
  return first !== undefined && 'text' in first && others.length === 0 ? first.text : [first, ...others]
}

/** Whether a program of the provider made the call, so that no model reads the result. */
export function isForProgram(item: object): boolean {
  return 'caller' in item && (Object(item.caller) as { readonly type?: unknown }).type === 'program'
}

/** Parses JSON text. Other text is returned unchanged. */
export function parseJson(text: string): unknown {
  const value = parseJsonText(text)
  return value === undefined ? text : value
}
