import { numbered, MARK } from './request-bodies.ts'
import type { CallRequest } from './send-request.ts'

/** Operations of the service. `inline` sends a result within the limit, which is returned unchanged. */
export const OPERATIONS = ['inline', 'offload', 'retrieve', 'range'] as const

export type Operation = (typeof OPERATIONS)[number]

/** Header that tells the bare server which answer to give. The service ignores it. */
export const OPERATION_HEADER = 'x-operation'

/** Bytes that a client requests at a time. */
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

/** Return the stored content of the result with a number. */
export const storedContent = (number: number): Buffer => numbered(STORED, number)

/** Create the request that offloads the result with a number. */
export const offloadRequest = (operation: 'inline' | 'offload', number: number): CallRequest => ({
  method: 'POST',
  path: '/v1/offload',
  headers: JSON_TYPE,
  body: numbered(OFFLOADED[operation], number),
})

/** Create the request that reads stored content: matching lines, a range or, without an operation, all bytes. */
export function readRequest(operation: 'retrieve' | 'range' | undefined, reference: string): CallRequest {
  if (operation === 'retrieve') {
    const body = Buffer.from(JSON.stringify({ reference, pattern: 'worker-7 handled', context_lines: 1 }))
    return { method: 'POST', path: '/v1/retrieve', headers: JSON_TYPE, body }
  }
  const headers: Record<string, string> = operation === undefined ? {} : { range: `bytes=0-${RANGE_BYTES - 1}` }
  return { method: 'GET', path: `/v1/entries/${reference}/content`, headers, body: Buffer.alloc(0) }
}
