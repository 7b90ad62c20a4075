import type { z } from 'zod'
import type { Call } from '../app/call.ts'
import type { Failure } from '../app/http-error.ts'
import type { Tenant } from '../app/tenants.ts'
import type { ServiceTelemetry } from '../telemetry/service-telemetry.ts'

/** What a handler works with, beside what was sent. */
export interface RouteContext {
  /** What belongs to the caller's scope. */
  readonly tenant: () => Tenant
  readonly call: Call
  readonly telemetry: ServiceTelemetry
  /** Fires when the client goes away, or the service has to end. */
  readonly signal: AbortSignal
  /** Say what a client is told of an error, once the answer has begun; a fault is logged. */
  readonly describeFailure: (error: unknown) => Failure
  readonly headers: Headers
  /** The body as it arrives; for routes that take it raw. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Bytes that an answer may have. */
  readonly maxBytes: number
  /** Whether only the headers of the answer are wanted. */
  readonly isHead: boolean
  /**
   * Say that so many bytes of content will be held beside the body. Throws an `HttpError` `overloaded` where there is no
   * memory for them.
   */
  readonly reserve: (bytes: number) => void
}

/** What a handler answers: a value that becomes JSON, or a response, with the bytes of memory that it takes while it is sent. */
export type Reply =
  | { readonly status?: number | undefined; readonly json: unknown }
  | {
      readonly response: Response
      readonly memoryBytes: number
    }
  | {
      readonly response: Response
      /** It is still worked on while it is sent; `bytesOut` of the call says at the end what was written. It never rejects. */
      readonly done: Promise<unknown>
    }

/** An answer as the OpenAPI document describes it. */
export interface ResponseDescription {
  readonly description: string
  readonly schema?: z.ZodType | undefined
  /** Defaults to `application/json` where there is a schema. */
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What is common to all routes. */
interface RouteShape {
  readonly method: 'get' | 'post' | 'delete'
  /** As OpenAPI writes it: `/v1/contents/{reference}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  readonly tag: 'ReMe' | 'Results' | 'History' | 'Service'
  /** Whether it has the failures of ReMe: `{ success, answer, messages, metadata }`. */
  readonly isReme?: boolean | undefined
  /** Whether strangers may use it. */
  readonly isPublic?: boolean | undefined
  /** What its body is parsed by. Defaults to `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined
  /** Whether the body is content that is taken as it arrives. */
  readonly takesContent?: boolean | undefined
  readonly responses: Readonly<Record<number, ResponseDescription>>
  /** Its failures by status, beside those that any route has. */
  readonly failureStatuses?: Readonly<Record<number, string>> | undefined
}

/** An endpoint: what it takes, what it answers, and what it does. Document and checks come from the same schemas. */
export interface Route extends RouteShape {
  readonly body?: z.ZodType | undefined
  readonly query?: z.ZodObject | undefined
  readonly params?: z.ZodObject | undefined
  handle(input: RouteInput, context: RouteContext): Promise<Reply>
}

/** What was sent, as the schemas of the route read it. */
export interface RouteInput<Body = unknown, Query = unknown, Params = unknown> {
  readonly body: Body
  readonly query: Query
  readonly params: Params
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** Write a route down, with the types of what its schemas read. */
export function defineRoute<
  const Body extends z.ZodType | undefined = undefined,
  const Query extends z.ZodObject | undefined = undefined,
  const Params extends z.ZodObject | undefined = undefined,
>(
  route: RouteShape & {
    readonly body?: Body
    readonly query?: Query
    readonly params?: Params
    handle(input: RouteInput<OutputOf<Body>, OutputOf<Query>, OutputOf<Params>>, context: RouteContext): Promise<Reply>
  },
): Route {
  return route
}
