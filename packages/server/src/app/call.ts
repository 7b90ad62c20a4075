import type { KnownCaller } from '@spillway/core/http'
import type { Failure, FailureCode } from './http-error.ts'

/** What becomes known of a request while it is answered. */
export interface Call {
  readonly requestId: string
  /** The pattern of its path. */
  route: string
  isReme: boolean
  caller: KnownCaller | undefined
  /** Whether its body was taken in, all of it. */
  isBodyTaken: boolean
  bytesIn: number
  bytesOut: number
  code: FailureCode | undefined
  /** Set where it is still worked on while the answer is sent; it never rejects. */
  done: Promise<unknown> | undefined
  /** The messages that came, for an answer that gives them back where it fails. */
  messages: readonly unknown[]
}

/** What the service knows of a request from what it runs in. */
export interface CallEnvironment {
  /** Where it comes from; callers without tokens are told apart by it. */
  readonly address?: string | undefined
  /** Resolves when the answer was sent, or cannot be any more. */
  readonly sent?: Promise<void> | undefined
  /** Called when nothing is left to be done but to send the answer. */
  readonly onDone?: (() => void) | undefined
}

/** Begin with what is known of any request. */
export const newCall = (): Call => ({
  requestId: crypto.randomUUID(),
  route: 'unmatched',
  isReme: false,
  caller: undefined,
  isBodyTaken: false,
  bytesIn: 0,
  bytesOut: 0,
  code: undefined,
  done: undefined,
  messages: [],
})

/** Answer with a value as JSON. */
export function jsonResponse(
  call: Call,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
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

/** Answer with a failure, in the form that the endpoint has for it. */
export function failureResponse(call: Call, { status, code, message, retryable, headers }: Failure): Response {
  call.code = code
  const body = call.isReme
    ? { success: false, answer: message, messages: call.messages, metadata: { error: { code, retryable } } }
    : { error: { code, message, retryable } }
  return jsonResponse(call, body, status, headers)
}
