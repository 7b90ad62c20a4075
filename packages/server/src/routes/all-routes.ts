import { z } from 'zod'
import { contextOffloadRoute } from '../reme/context-offload.ts'
import { grepRoute, readFileRoute } from '../reme/read-files.ts'
import { remeFailureSchema } from '../reme/schemas.ts'
import type { ServiceMetrics } from '../telemetry/service-metrics.ts'
import { contentRoute } from '../v1/content.ts'
import { deleteRoute, listRoute, statRoute } from '../v1/entries.ts'
import type { HistoryServices } from '../v1/history-services.ts'
import { historyRoutes } from '../v1/history.ts'
import { offloadContentRoute, offloadRoute } from '../v1/offload.ts'
import { retrieveRoute } from '../v1/retrieve.ts'
import { failureSchema } from '../v1/schemas.ts'
import { searchRoute } from '../v1/search.ts'
import { statsRoute } from '../v1/stats.ts'
import { defineRoute, type ResponseDescription, type Route } from './route.ts'

const INFO = {
  title: 'Spillway',
  version: '1',
  description:
    'Keeps large tool results and long histories out of the context of agents. A caller only reaches content of its ' +
    'scope, which its token determines. Without tokens the service only serves its own machine.',
}

/** Create all endpoints, in the order of the OpenAPI document. */
export function allRoutes(metrics: ServiceMetrics, history: HistoryServices): readonly Route[] {
  let document: unknown
  const routes: Route[] = [
    contextOffloadRoute(history),
    grepRoute,
    readFileRoute,
    offloadRoute,
    offloadContentRoute,
    retrieveRoute,
    searchRoute,
    listRoute,
    statRoute,
    contentRoute,
    deleteRoute,
    statsRoute,
    ...historyRoutes(history),
    healthRoute,
    metricsRoute(metrics),
    documentRoute(() => (document ??= openApiDocument(routes))),
  ]
  return routes
}

const healthRoute: Route = defineRoute({
  method: 'get',
  path: '/health',
  operationId: 'health',
  summary: 'Check that the service is running',
  tag: 'Service',
  isPublic: true,
  responses: {
    200: {
      description: 'The service is running.',
      schema: z.object({ status: z.literal('healthy') }).meta({ id: 'Health' }),
    },
    429: { description: 'The address has sent too many requests.' },
    503: { description: 'The service is shutting down.' },
  },
  handle: async () => ({ json: { status: 'healthy' } }),
})

const metricsRoute = (metrics: ServiceMetrics): Route =>
  defineRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'metrics',
    summary: 'Return metrics for Prometheus, as totals of all callers',
    description: 'Metrics contain no content, scope or token. If tokens are set, the request needs one of them.',
    tag: 'Service',
    responses: { 200: { description: 'Metrics in the text format.', contentType: 'text/plain' } },
    handle: async (_input, { call }) => {
      const bytes = new TextEncoder().encode(metrics.text())
      call.bytesOut = bytes.length
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
      return { response: new Response(bytes, { headers }), memoryBytes: bytes.length }
    },
  })

const documentRoute = (document: () => unknown): Route =>
  defineRoute({
    method: 'get',
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'Return this document',
    tag: 'Service',
    isPublic: true,
    responses: {
      200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) },
      429: { description: 'The address has sent too many requests.' },
      503: { description: 'The service is shutting down.' },
    },
    handle: async () => ({ json: document() }),
  })

type Json = Readonly<Record<string, unknown>>

const COMMON_FAILURES: Readonly<Record<number, string>> = {
  400: 'The body is not valid JSON; or a path, glob or reference is invalid.',
  401: 'No known token.',
  403: 'The `Host` or `Origin` is not allowed, or a proxy forwarded the request to a service without tokens.',
  408: 'The request arrived too slowly.',
  413: 'The body is too large, or has too many values.',
  415: 'The body is not of the type that the endpoint takes.',
  422: 'A field is missing, unknown, or of the wrong type; or the service cannot do what the request asks.',
  429: 'Too many requests. `Retry-After` says when to try again.',
  431: 'The headers are too large.',
  500: 'The service or its storage failed.',
  503: 'The service is overloaded, is shutting down, or its storage is down. `Retry-After` says when to try again.',
}

function openApiDocument(routes: readonly Route[]): Json {
  const components: Record<string, unknown> = {}
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): unknown => hoist(schema, io, components)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const failure = schemaOf(route.isReme === true ? remeFailureSchema : failureSchema, 'output')
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, failure, schemaOf) }
  }
  return {
    openapi: '3.1.0',
    info: { ...INFO, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'ReMe', description: 'The endpoints of ReMe, which shorten histories and read virtual files.' },
      { name: 'Results', description: 'Tool results and stored entries.' },
      { name: 'History', description: 'Shorten histories, and restore them.' },
      { name: 'Service', description: 'The state of the service.' },
    ],
    paths,
    components: {
      schemas: components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'The token determines the scope.' } },
    },
  }
}

type WriteSchema = (schema: z.ZodType, io: 'input' | 'output') => unknown

function operationOf(route: Route, failure: unknown, schemaOf: WriteSchema): Json {
  const parameters = [...parametersOf(route.params, 'path', schemaOf), ...parametersOf(route.query, 'query', schemaOf)]
  const body = bodyOf(route, schemaOf)
  const responses: Record<string, unknown> = {}
  for (const [status, response] of Object.entries(route.responses)) responses[status] = responseOf(response, schemaOf)
  if (route.isPublic !== true) {
    const own = route.failureStatuses ?? {}
    for (const [status, description] of Object.entries({ ...COMMON_FAILURES, ...own }))
      responses[status] ??= { description, content: { 'application/json': { schema: failure } } }
  }
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: [route.tag],
    // A service without tokens serves only this machine.
    security: route.isPublic === true ? [] : [{ bearer: [] }, {}],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses,
  }
}

function bodyOf({ body, takesContent }: Route, schemaOf: WriteSchema): Json | undefined {
  if (takesContent === true) return { required: true, content: { '*/*': {} } }
  if (body === undefined) return undefined
  return { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } }
}

function responseOf({ description, schema, contentType, headers }: ResponseDescription, schemaOf: WriteSchema): Json {
  const type = contentType ?? (schema === undefined ? undefined : 'application/json')
  return {
    description,
    ...(headers !== undefined && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
      ),
    }),
    ...(type !== undefined && {
      content: { [type]: schema === undefined ? {} : { schema: schemaOf(schema, 'output') } },
    }),
  }
}

function parametersOf(shape: z.ZodObject | undefined, place: 'path' | 'query', schemaOf: WriteSchema): Json[] {
  if (shape === undefined) return []
  return Object.entries(shape.shape).map(([name, one]) => {
    const { description, ...schema } = schemaOf(one as z.ZodType, 'input') as { readonly description?: string }
    const required = place === 'path' || !(one as z.ZodType).safeParse(undefined).success
    return { name, in: place, required, ...(description !== undefined && { description }), schema }
  })
}

function hoist(schema: z.ZodType, io: 'input' | 'output', components: Record<string, unknown>): unknown {
  const written = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any', reused: 'inline' })
  const { $defs = {}, $schema: _dialect, ...own } = written as { $defs?: Record<string, unknown>; $schema?: string }
  for (const [name, one] of Object.entries($defs)) components[name] ??= moved(one)
  const { id } = schema.meta() ?? {}
  if (id === undefined) return moved(own)
  components[id] ??= moved(own)
  return { $ref: `#/components/schemas/${id}` }
}

function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'id' && name !== '$id')
      .map(([name, one]) => [
        name,
        name === '$ref' && typeof one === 'string' ? one.replace(/^#\/\$defs\//, '#/components/schemas/') : moved(one),
      ]),
  )
}
