import { z } from 'zod'
import type { ServiceTelemetry } from '../telemetry/service-telemetry.ts'
import { defineRoute, type Route } from './route.ts'

/** Say that the service answers. */
const healthRoute: Route = defineRoute({
  method: 'get',
  path: '/health',
  operationId: 'health',
  summary: 'Say that the service answers',
  tag: 'Service',
  isPublic: true,
  responses: {
    200: { description: 'It does.', schema: z.object({ status: z.literal('healthy') }).meta({ id: 'Health' }) },
    503: { description: 'It is shutting down.' },
  },
  handle: async () => ({ json: { status: 'healthy' } }),
})

/** Give metrics to Prometheus. */
const metricsRoute = (telemetry: ServiceTelemetry): Route =>
  defineRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'metrics',
    summary: 'Give numbers of all callers together to Prometheus',
    description: 'No content, scope or token is in them. Where there are tokens, any of them will do.',
    tag: 'Service',
    responses: { 200: { description: 'Metrics in the text format.', contentType: 'text/plain' } },
    handle: async (_input, { call }) => {
      const bytes = new TextEncoder().encode(telemetry.metricsText())
      call.bytesOut = bytes.length
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
      return { response: new Response(bytes, { headers }), memoryBytes: bytes.length }
    },
  })

/** Give the OpenAPI document. */
const documentRoute = (document: () => unknown): Route =>
  defineRoute({
    method: 'get',
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'Give this document',
    tag: 'Service',
    isPublic: true,
    responses: {
      200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) },
      503: { description: 'It is shutting down.' },
    },
    handle: async () => ({ json: document() }),
  })

/** The endpoints of the service itself. */
export function serviceRoutes(telemetry: ServiceTelemetry, document: () => unknown): readonly Route[] {
  return [healthRoute, metricsRoute(telemetry), documentRoute(document)]
}
