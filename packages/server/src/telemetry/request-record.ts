import type { FailureCode } from '../app/http-error.ts'

/** What is logged of a request: nothing of its content, its scope or its token. */
export interface RequestRecord {
  readonly type: 'request'
  /** When it ended, in ISO 8601. */
  readonly time: string
  /** Given by the service, and told to the client as `x-request-id`. */
  readonly requestId: string
  readonly method: string
  /** The pattern of the path, such as `/v1/contents/{reference}`; `unmatched` where there is none. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** Bytes of the body that came. */
  readonly bytesIn: number
  /** Bytes of the body that is sent; of a stream what is known of it. */
  readonly bytesOut: number
  /** Tells one token from another, and says nothing of it; absent without tokens and for strangers. */
  readonly caller?: string | undefined
  /** Set where the request failed. */
  readonly code?: FailureCode | undefined
}

/** A fault of the service or of what it stands on. */
export interface FaultRecord {
  readonly type: 'fault'
  readonly time: string
  readonly requestId?: string | undefined
  /** The class of the error, and where it was thrown: never its message, which may quote content. */
  readonly error: string
  readonly stack: readonly string[]
}

/** What the service logs. */
export type LogRecord = RequestRecord | FaultRecord

/** Describe a fault without its message, which may have content in it. */
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

/** Where an error was thrown. The message stands before that, and may have lines that look like it. */
function placesOf({ stack = '', message }: Error): readonly string[] {
  const start = stack.indexOf(message)
  const places = start < 0 ? stack : stack.slice(start + message.length)
  return places.split('\n').flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []))
}
