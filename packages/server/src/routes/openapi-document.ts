import { z } from 'zod'
import type { ResponseDescription, Route } from './route.ts'

type Json = Readonly<Record<string, unknown>>

/** What the document says of the service as a whole. */
export interface DocumentInfo {
  readonly title: string
  readonly version: string
  readonly description: string
}

/** Failures that any endpoint may have, beside its own. */
const COMMON_FAILURES: Readonly<Record<number, string>> = {
  400: 'The body is no JSON; or a path, glob or reference cannot be one.',
  401: 'No known token.',
  403: 'The `Host` or `Origin` is not allowed.',
  408: 'The request arrived too slowly.',
  413: 'The body is too large, or has too many values.',
  415: 'The body is not of the type that the endpoint takes.',
  422: 'A field is missing or of the wrong type; or what was asked for cannot be done.',
  429: 'Too many requests. `Retry-After` says when to try again.',
  431: 'The headers are too large.',
  500: 'The service or its storage failed.',
  503: 'The service has too much to do, is shutting down, or its storage is down. `Retry-After` says when to try again.',
}

/** Write the OpenAPI 3.1 document of routes, from the schemas by which they check what is sent. */
export function openApiDocument(
  routes: readonly Route[],
  info: DocumentInfo,
  failures: { readonly v1: z.ZodType; readonly reme: z.ZodType },
): Json {
  const components: Record<string, unknown> = {}
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): unknown => hoist(schema, io, components)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const failure = schemaOf(route.isReme === true ? failures.reme : failures.v1, 'output')
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, failure, schemaOf) }
  }
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: 'http://127.0.0.1:8002' }],
    tags: [
      { name: 'ReMe', description: 'The endpoints of ReMe: histories in, shorter histories out; virtual files.' },
      { name: 'Results', description: 'Results of tools, and what is stored of them.' },
      { name: 'History', description: 'Histories, reversibly made shorter.' },
      { name: 'Service', description: 'The service itself.' },
    ],
    paths,
    components: {
      schemas: components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token says in which scope.' } },
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
    // A service without tokens serves this machine alone.
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

/** Write a schema as JSON Schema 2020-12, which OpenAPI 3.1 has; those with names stand among the components, once. */
function hoist(schema: z.ZodType, io: 'input' | 'output', components: Record<string, unknown>): unknown {
  const written = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any', reused: 'inline' })
  const { $defs = {}, $schema: _dialect, ...own } = written as { $defs?: Record<string, unknown>; $schema?: string }
  for (const [name, one] of Object.entries($defs)) components[name] ??= moved(one)
  const { id } = schema.meta() ?? {}
  if (id === undefined) return moved(own)
  components[id] ??= moved(own)
  return { $ref: `#/components/schemas/${id}` }
}

/** Let references lead to the components. */
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
