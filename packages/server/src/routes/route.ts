import type { z } from 'zod'
import type { Call } from '../app/call.ts'
import type { Tenant } from '../app/tenants.ts'

export interface RouteContext {
  /** The resources of the caller's scope. */
  readonly tenant: () => Tenant
  readonly call: Call
  /** Fires when the client disconnects or the service ends. */
  readonly signal: AbortSignal
  readonly headers: Headers
  /** The body, for routes that take it raw. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Size limit of a response, in bytes. */
  readonly maxBytes: number
  readonly isHead: boolean
  /** Free the slot of the request while it waits for something other than this process. */
  readonly pause: <Result>(waiting: Promise<Result>) => Promise<Result>
  /** Ask the model, in turn with other callers. Meanwhile, the slot of the request is free. */
  readonly askModel: <Result>(ask: () => Promise<Result>) => Promise<Result>
  /**
   * Reserve memory for content, in addition to the memory of the body. Throws an `HttpError` `overloaded` if it is
   * full.
   */
  readonly reserve: (bytes: number) => void
}

/** The reply of a handler: a JSON value, or a response and the size of its memory in bytes. */
export type Reply =
  | { readonly status?: number | undefined; readonly json: unknown }
  | { readonly response: Response; readonly memoryBytes: number }

export interface ResponseDescription {
  readonly description: string
  readonly schema?: z.ZodType | undefined
  /** Defaults to `application/json` if there is a schema. */
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

interface RouteShape {
  readonly method: 'get' | 'post' | 'delete'
  /** The path as in OpenAPI: `/v1/contents/{reference}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  readonly tag: 'ReMe' | 'Results' | 'History' | 'Service'
  /** Whether failures have ReMe's format. */
  readonly isReme?: boolean | undefined
  /** Whether the endpoint needs no token. */
  readonly isPublic?: boolean | undefined
  /** Parses a part of the JSON body. Defaults to `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined
  /** Changes the body before it is validated. */
  readonly normalize?: ((body: unknown) => unknown) | undefined
  /** Whether the body is streamed content. */
  readonly takesContent?: boolean | undefined
  readonly responses: Readonly<Record<number, ResponseDescription>>
  readonly failureStatuses?: Readonly<Record<number, string>> | undefined
}

/** An endpoint with its handler. Its schemas validate requests, and are part of the OpenAPI document. */
export interface Route extends RouteShape {
  readonly body?: z.ZodType | undefined
  readonly query?: z.ZodObject | undefined
  readonly params?: z.ZodObject | undefined
  handle(input: RouteInput, context: RouteContext): Promise<Reply>
}

export interface RouteInput<Body = unknown, Query = unknown, Params = unknown> {
  readonly body: Body
  readonly query: Query
  readonly params: Params
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** Define a route, inferring the types from its schemas. */
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
