import type { Call } from './call.ts'
import type { Failure } from './describe-failure.ts'

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
