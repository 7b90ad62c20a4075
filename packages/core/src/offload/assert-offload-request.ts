import { type ContentBlock, isBytes } from '@spillway/text/internal'
import { assertChunks, assertContentType } from '../storage/assert-input.ts'
import type { OffloadRequest, OffloadStreamRequest } from './offload-request.ts'

/** Refuse with a `TypeError` what is no tool result, before anything is done with it. */
export function assertOffloadRequest(request: unknown): asserts request is OffloadRequest {
  const { toolName, toolCallId, content, purpose, signal } = Object(request) as Partial<
    Record<keyof OffloadRequest, unknown>
  >
  assertCall(toolName, toolCallId, purpose, signal)
  if (!Array.isArray(content)) throw new TypeError(`content must be an array of content blocks, got ${typeof content}.`)
  assertBlocks(content)
}

/** Refuse with a `TypeError` what are no content blocks. */
export function assertBlocks(content: readonly unknown[]): asserts content is readonly ContentBlock[] {
  for (const [index, block] of content.entries()) assertBlock(block, `content[${index}]`)
}

/** Refuse with a `TypeError` what is no stream of output, before anything of it is read. */
export function assertOffloadStreamRequest(request: unknown): asserts request is OffloadStreamRequest {
  const { toolName, toolCallId, chunks, contentType, isError, purpose, signal } = Object(request) as Partial<
    Record<keyof OffloadStreamRequest, unknown>
  >
  assertCall(toolName, toolCallId, purpose, signal)
  assertChunks(chunks)
  if (contentType !== undefined) assertContentType(contentType)
  if (isError !== undefined && typeof isError !== 'function')
    throw new TypeError(`isError must be a function, got ${typeof isError}.`)
}

function assertCall(toolName: unknown, toolCallId: unknown, purpose: unknown, signal: unknown): void {
  if (typeof toolName !== 'string') throw new TypeError(`toolName must be a string, got ${typeof toolName}.`)
  if (typeof toolCallId !== 'string') throw new TypeError(`toolCallId must be a string, got ${typeof toolCallId}.`)
  if (purpose !== undefined && typeof purpose !== 'string')
    throw new TypeError(`purpose must be a string, or left out, got ${typeof purpose}.`)
  if (signal !== undefined && typeof (signal as AbortSignal | null)?.addEventListener !== 'function')
    throw new TypeError('signal must be an AbortSignal, or left out.')
}

function assertBlock(block: unknown, name: string): void {
  const { type, text, data, url, mediaType, ...fields } = Object(block) as Record<string, unknown>
  for (const field of type === 'unknown' ? [] : ['name', 'context'])
    if (fields[field] !== undefined && typeof fields[field] !== 'string')
      throw new TypeError(`${name}.${field} must be a string, got ${typeof fields[field]}.`)
  switch (type) {
    case 'text':
      if (typeof text !== 'string') throw new TypeError(`${name}.text must be a string, got ${typeof text}.`)
      if (mediaType !== undefined && typeof mediaType !== 'string')
        throw new TypeError(`${name}.mediaType must be a MIME type such as 'text/html', got ${typeof mediaType}.`)
      return
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      if (typeof mediaType !== 'string')
        throw new TypeError(`${name}.mediaType must be a MIME type such as 'image/png'.`)
      if (data === undefined ? typeof url !== 'string' : !isBytes(data))
        throw new TypeError(`${name} must have data (a Uint8Array) or a url.`)
      return
    case 'link':
      if (typeof url !== 'string') throw new TypeError(`${name}.url must be a string, got ${typeof url}.`)
      return
    case 'json':
    case 'unknown':
      return
    default:
      throw new TypeError(
        `${name}.type must be a content block type, got ${typeof type === 'string' ? JSON.stringify(type) : typeof type}. Pass other blocks as { type: 'unknown', value }.`,
      )
  }
}
