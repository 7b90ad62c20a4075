import type { FailureCode } from '../app/http-error.ts'

/** The log record of a request, without content, scope or token. */
export interface RequestRecord {
  readonly type: 'request'
  /** Time when the request ended, in ISO 8601. */
  readonly time: string
  /** The id that the client gets as `x-request-id`. */
  readonly requestId: string
  readonly method: string
  /** The pattern of the path; `unmatched` if no pattern matches. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** Bytes of the request body. */
  readonly bytesIn: number
  /** Bytes of the response body. For a stream, the number of bytes sent so far. */
  readonly bytesOut: number
  /** A pseudonym of the token. Absent if the service has no tokens. */
  readonly caller?: string | undefined
  /** Set if the request failed. */
  readonly code?: FailureCode | undefined
}

/** A fault of the service or its storage. */
export interface FaultRecord {
  readonly type: 'fault'
  readonly time: string
  readonly requestId?: string | undefined
  /** The class and location of the error. Its message is left out, because it may quote content. */
  readonly error: string
  readonly stack: readonly string[]
}

/** A line of the service's log: one request, or one fault. */
export type LogRecord = RequestRecord | FaultRecord

/** Describe a fault without its message. */
export function faultRecord(error: unknown, requestId?: string): FaultRecord {
  const chain: unknown[] = []
  for (let next = error; next !== undefined && chain.length < 5; next = Object(next)['cause']) chain.push(next)
  const names = chain.map((one) => {
    const { code } = Object(one) as { readonly code?: unknown }
    const name = one instanceof Error ? one.constructor.name : typeof one
    return typeof code === 'string' ? `${name} (${code.slice(0, 64)})` : name
  })
  const stack = chain.flatMap((one) => (one instanceof Error ? placesOf(one) : []))
  return {
    type: 'fault',
    time: new Date().toISOString(),
    requestId,
    error: names.join(' caused by '),
    stack,
  }
}

/** Return the locations in a stack. The message before them is skipped, because it may look like a location. */
function placesOf({ stack = '', message }: Error): readonly string[] {
  const start = stack.indexOf(message)
  const places = start < 0 ? stack : stack.slice(start + message.length)
  return places.split('\n').flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []))
}
