import { numbered, MARK } from './request-bodies.ts'
import type { CallRequest } from './send-request.ts'

/** An operation of the service: `inline` offloads a result within the limit, which comes back unchanged. */
export const OPERATIONS = ['inline', 'offload', 'retrieve', 'range'] as const

export type Operation = (typeof OPERATIONS)[number]

/** The header by which the bare server knows what to answer. The service ignores it. */
export const OPERATION_HEADER = 'x-operation'

/** Bytes that a client asks for at a time. */
const RANGE_BYTES = 16_384
const INLINE_LINES = 50
const STORED_LINES = 500

export const JSON_TYPE = { 'content-type': 'application/json' }
const linesOf = (count: number): string =>
  Array.from(
    { length: count },
    (_, line) => `2026-08-23 12:00:00 INFO worker-${line % 16} handled request ${line} ${MARK}\n`,
  ).join('')
const STORED = Buffer.from(linesOf(STORED_LINES))
const bodyOf = (text: string): Buffer =>
  Buffer.from(JSON.stringify({ toolName: 'read_log', toolCallId: `call_${MARK}`, content: [{ type: 'text', text }] }))
const OFFLOADED = { inline: bodyOf(linesOf(INLINE_LINES)), offload: bodyOf(STORED.toString()) }

/** Return the content that the result of a number has in storage. */
export const storedContent = (number: number): Buffer => numbered(STORED, number)

/** Write the request that offloads the result of a number. */
export const offloadRequest = (operation: 'inline' | 'offload', number: number): CallRequest => ({
  method: 'POST',
  path: '/v1/offload',
  headers: JSON_TYPE,
  body: numbered(OFFLOADED[operation], number),
})

/** Write the request that reads what is stored: lines of a pattern, or bytes. Without an operation, all bytes. */
export function readRequest(operation: 'retrieve' | 'range' | undefined, reference: string): CallRequest {
  if (operation === 'retrieve') {
    const body = Buffer.from(JSON.stringify({ reference, pattern: 'worker-7 handled', context_lines: 1 }))
    return { method: 'POST', path: '/v1/retrieve', headers: JSON_TYPE, body }
  }
  const headers: Record<string, string> = operation === undefined ? {} : { range: `bytes=0-${RANGE_BYTES - 1}` }
  return { method: 'GET', path: `/v1/entries/${reference}/content`, headers, body: Buffer.alloc(0) }
}
