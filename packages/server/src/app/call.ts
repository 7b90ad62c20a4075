import { jsonParts, yieldWhenDue } from '@spillway/core/adapter'
import { concatBytes } from '@spillway/core/driver'
import type { KnownCaller } from '@spillway/core/http'
import type { Failure, FailureCode } from './http-error.ts'

/** The state of a request while it is answered. */
export class Call {
  readonly requestId: string = crypto.randomUUID()
  /** The pattern of the path. */
  route = 'unmatched'
  isReme = false
  caller: KnownCaller | undefined
  /** Identifies the caller for limits: the token, or the address. */
  limitKey = ''
  /** Whether the whole body was received. */
  isBodyTaken = false
  bytesIn = 0
  bytesOut = 0
  code: FailureCode | undefined
  /** The messages of the request, which a failed ReMe response returns. */
  messages: readonly unknown[] = []
}

/** Data and callbacks of the runtime for one request. */
export interface CallEnvironment {
  /** The client's address, which identifies callers without tokens. */
  readonly address?: string | undefined
  /** Called when the request has passed all checks of access. */
  readonly onAdmitted?: (() => void) | undefined
  /** Resolves when the response was sent or the connection has ended. */
  readonly sent?: Promise<void> | undefined
  /** Called when the response is ready to be sent. */
  readonly onDone?: (() => void) | undefined
}

export async function jsonResponse(
  call: Call,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const encoder = new TextEncoder()
  const chunks: Uint8Array[] = []
  for (const part of await jsonParts(value, 0, call.limitKey)) {
    chunks.push(encoder.encode(part))
    await yieldWhenDue(call.limitKey)
  }
  const bytes = concatBytes(chunks) as Uint8Array<ArrayBuffer>
  call.bytesOut = bytes.length
  return new Response(bytes, {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': `${bytes.length}`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** Create the response for a failure, in the format of the endpoint. */
export async function failureResponse(
  call: Call,
  { status, code, message, retryable, headers }: Failure,
): Promise<Response> {
  call.code = code
  const body = call.isReme
    ? { success: false, answer: message, messages: call.messages, metadata: { error: { code, retryable } } }
    : { error: { code, message, retryable } }
  return await jsonResponse(call, body, status, headers)
}
