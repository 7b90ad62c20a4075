/** Generates HTTP requests of a caller with a token, to a service that also stores the secret of another caller. */
import assert from 'node:assert/strict'
import { AccessTokens } from '@spillway/core/http'
import { createApp } from '@spillway/server'
import fc from 'fast-check'
import { callsOf } from './calls.ts'
import { texts } from './content.ts'
import { assertNoSecret, measured } from './invariants.ts'
import { filled, PLACES, twoTenants } from './sessions.ts'

const GETS = [
  ...['/v1/entries', '/v1/entries/<secret>', '/v1/entries/<secret>/content', '/v1/stats', '/health', '/metrics'],
  ...['/openapi.json', '/', '//', '/v1/..', '/v1/entries/%00', '/v1/entries/..%2fvictim', '/v1/entries/%ff/content'],
]
const NAMED = '?toolName=a&toolCallId=b'
const QUERIES = ['', '', NAMED, '?limit=5', '?prefix=../victim', '?cursor=x', `${NAMED}&name=%00`, '?limit=-1']

/** A value of the wrong type, for one place in a body. */
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, '', {}, [], -1, '__proto__', '../victim', '/etc/passwd', 'x'.repeat(100_000)),
)
const orOdd = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary: value }, { weight: 1, arbitrary: odd })

const small = orOdd(fc.integer({ min: 1, max: 5_000 }))
const glob = orOdd(fc.constantFrom('*', '**/*.txt', '*'.repeat(60), '{a,b}*', '[', '../*'))

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: orOdd(texts) }),
  fc.record({ type: fc.constant('json'), value: orOdd(fc.jsonValue()) }),
  fc.record({ type: fc.constant('image'), mediaType: orOdd(fc.constant('image/png')), data: orOdd(fc.base64String()) }),
  fc.record({ type: fc.constant('link'), url: orOdd(fc.webUrl()) }),
)
const call = fc.record({
  id: orOdd(fc.constant('call_1')),
  function: fc.record({ name: odd, arguments: orOdd(texts) }),
})
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system'), content: orOdd(texts) }),
  fc.record({ role: fc.constant('tool'), tool_call_id: orOdd(fc.constant('call_1')), content: orOdd(texts) }),
  fc.record({ role: fc.constant('assistant'), content: odd, tool_calls: orOdd(fc.array(call, { maxLength: 2 })) }),
)
const messages = orOdd(fc.array(message, { maxLength: 6 }))

const BODIES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  '/v1/retrieve': callsOf(PLACES),
  '/v1/search': fc.record(
    { pattern: fc.string(), limit: small, paths: glob, references: orOdd(fc.constantFrom(['<secret>'], ['<0>'])) },
    { requiredKeys: ['pattern'] },
  ),
  '/v1/offload': fc.record({
    toolName: orOdd(fc.string({ minLength: 1 })),
    toolCallId: orOdd(fc.string({ minLength: 1 })),
    content: orOdd(fc.array(part, { maxLength: 3 })),
  }),
  '/v1/offload/content': texts,
  '/v1/history/compact': fc.record(
    { format: orOdd(fc.constant('openai-chat')), messages, maxTotalTokens: small },
    { requiredKeys: ['format', 'messages'] },
  ),
  '/context_offload': fc.record(
    {
      messages,
      context_manage_mode: orOdd(fc.constantFrom('compact', 'auto')),
      max_total_tokens: small,
      store_dir: odd,
    },
    { requiredKeys: ['messages'] },
  ),
  '/grep': fc.record({ pattern: fc.string(), path: glob, glob, limit: small }, { requiredKeys: ['pattern'] }),
  '/read_file': fc.record(
    { absolute_path: orOdd(fc.string()), offset: small, limit: small },
    { requiredKeys: ['absolute_path'] },
  ),
}

interface Requested {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: unknown
  readonly cut: number | null
  readonly headers: Readonly<Record<string, string>>
}

const endpoint = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom(...Object.keys(BODIES)).chain((path) =>
      fc.record({
        method: fc.constant('POST'),
        path: fc.constant(path + (path.endsWith('content') ? NAMED : '')),
        body: BODIES[path]!,
      }),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'DELETE', 'HEAD'),
      path: fc.constantFrom(...GETS),
      body: fc.constant(undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('PUT', 'OPTIONS', 'PATCH', 'POST'),
      path: fc.constantFrom(...GETS),
      body: odd,
    }),
  },
)
const headers = fc.dictionary(
  fc.constantFrom('content-type', 'origin', 'range', 'accept', 'x-forwarded-for', 'traceparent', 'x-scope'),
  fc.constantFrom('application/json', 'text/plain', 'bytes=0-5,9-', 'bytes=99999999999-', 'http://localhost', 'victim'),
  { maxKeys: 3 },
)

export const requests: fc.Arbitrary<readonly Requested[]> = fc.array(
  fc
    .record({
      asked: endpoint,
      query: fc.constantFrom(...QUERIES),
      cut: fc.oneof({ weight: 16, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(200) }),
      headers: fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
    })
    .map(({ asked, ...rest }) => ({ ...asked, ...rest })),
  { minLength: 1, maxLength: 6 },
)

const TOKENS = [
  { token: 'token-of-the-attacker', scope: ['attacker'] },
  { token: 'token-of-the-victim', scope: ['victim'] },
]

export async function runRequests(sent: readonly Requested[]): Promise<void> {
  const { offloader, secret } = await twoTenants()
  const app = createApp(offloader, { tokens: new AccessTokens(TOKENS), scope: [] })
  const own: string[] = []
  for (const { method, path, query, body, cut, headers: more } of sent) {
    const text = JSON.stringify(filled(body, own, secret)) ?? ''
    const request = new Request(`http://localhost${path.replace('<secret>', secret)}${query}`, {
      method,
      headers: { 'content-type': 'application/json', ...more, authorization: 'Bearer token-of-the-attacker' },
      ...(method !== 'GET' && method !== 'HEAD' && { body: cut === null ? text : text.slice(0, cut) }),
    })
    const { status, told } = await measured(async () => {
      const response = await app.fetch(request)
      return { status: response.status, told: await response.text() }
    })
    assertNoSecret(told)
    assert.ok(status < 500, `${method} ${path} answered ${status}: ${told.slice(0, 500)}`)
    own.push(...(told.match(/"reference":"[^"]+"/g) ?? []).map((found) => found.slice(13, -1)))
  }
}
