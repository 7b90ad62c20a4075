import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { startService } from './start-service.ts'

interface Document {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Record<
    string,
    Record<string, { operationId: string; security: unknown[]; responses: Record<string, unknown> }>
  >
  readonly components: { readonly schemas: Record<string, unknown> }
}

async function openApi(): Promise<Document> {
  const service = await startService()
  return (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
}

it('the description is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator()
  const result = await validator.validate((await openApi()) as unknown as Record<string, unknown>)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

it('the description names the server that it comes from', async () => {
  const { servers } = await openApi()
  expect(servers).toEqual([{ url: '/' }])
})

it('the description has every endpoint under a unique id', async () => {
  const { paths } = await openApi()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operationId,
    })),
  )
  expect(operations.map(({ name }) => name)).toEqual([
    'POST /context_offload',
    'POST /grep',
    'POST /read_file',
    'POST /v1/offload',
    'POST /v1/offload/content',
    'POST /v1/retrieve',
    'POST /v1/search',
    'GET /v1/entries',
    'GET /v1/entries/{reference}',
    'DELETE /v1/entries/{reference}',
    'GET /v1/entries/{reference}/content',
    'GET /v1/stats',
    'POST /v1/history/compact',
    'POST /v1/history/expand',
    'GET /health',
    'GET /metrics',
    'GET /openapi.json',
  ])
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
})

it('the description says that unknown callers may only request /health and the description itself', async () => {
  const { paths } = await openApi()
  for (const [path, methods] of Object.entries(paths))
    for (const { security, responses } of Object.values(methods)) {
      const isPublic = path === '/health' || path === '/openapi.json'
      expect([path, security.length > 0, '401' in responses]).toEqual([path, !isPublic, !isPublic])
    }
})

it('the description is the same before the first call and after the service has ended', async () => {
  const { paths } = await openApi()
  for (const methods of Object.values(paths))
    for (const { security, responses } of Object.values(methods)) {
      expect(Object.keys(responses)).toContain('503')
      if (security.length > 0) for (const status of ['408', '431']) expect(Object.keys(responses)).toContain(status)
    }
})

it('the description has no broken references', async () => {
  const document = await openApi()
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(50)
  for (const name of names)
    expect(Object.keys(document.components.schemas).map((one) => `#/components/schemas/${one}`)).toContain(name)
})
