import { expect, it } from 'vitest'
import { AccessTokens } from './access-tokens.ts'
import { guardRequest, LOOPBACK_HOSTS, type Guarded } from './guard-request.ts'

const guard = (headers: Record<string, string>, tokens?: AccessTokens): Promise<Guarded> =>
  guardRequest(new Headers(headers), { allowedHosts: LOOPBACK_HOSTS, tokens })

it.each<Record<string, string>>([
  { host: 'localhost:8002' },
  { host: '127.0.0.1' },
  { host: '[::1]:8002' },
  { host: 'LOCALHOST:8002' },
  { host: 'localhost', origin: 'http://localhost:5173' },
  { host: 'localhost', origin: 'http://[::1]:5173' },
])('a request with %j passes in the scope of all callers', async (headers) => {
  expect(await guard(headers)).toEqual({ caller: { scope: [], id: '' } })
})

it.each<[string, Record<string, string>]>([
  ['host', {}],
  ['host', { host: 'elsewhere.example' }],
  ['host', { host: 'localhost.elsewhere.example' }],
  ['host', { host: 'elsewhere.example@localhost' }],
  ['host', { host: 'localhost/@elsewhere.example' }],
  ['host', { host: 'localhost:80:80' }],
  ['host', { host: 'elsewhere.example', origin: 'http://localhost' }],
  ['origin', { host: 'localhost', origin: 'http://elsewhere.example' }],
  ['origin', { host: 'localhost', origin: 'null' }],
  ['origin', { host: 'localhost', origin: '' }],
  ['origin', { host: 'localhost', origin: 'http://localhost.elsewhere.example' }],
])('a request is refused because of its %s: %j', async (refused, headers) => {
  expect(await guard(headers)).toMatchObject({ refused, status: 403 })
})

it.each(['forwarded', 'via', 'x-forwarded-for', 'X-Forwarded-Host', 'x-forwarded', 'X-Real-IP', 'cf-connecting-ip'])(
  'a request with %s is refused if there are no tokens',
  async (name) => {
    const headers = { host: 'localhost', [name]: '127.0.0.1' }
    expect(await guard(headers)).toMatchObject({ refused: 'forwarded', status: 403 })
    const tokens = new AccessTokens([{ token: 'a-token-of-many-characters', scope: ['a'] }])
    const authorization = 'Bearer a-token-of-many-characters'
    expect(await guard({ ...headers, authorization }, tokens)).toMatchObject({ caller: { scope: ['a'] } })
  },
)

it('with tokens, requests have a caller, and unknown callers are refused only if the host is known', async () => {
  const tokens = new AccessTokens([{ token: 'a-token-of-many-characters', scope: ['tenant', 'a'] }])
  const authorization = 'Bearer a-token-of-many-characters'
  expect(await guard({ host: 'localhost', authorization }, tokens)).toMatchObject({
    caller: { scope: ['tenant', 'a'] },
  })
  expect(await guard({ host: 'localhost' }, tokens)).toMatchObject({ refused: 'token', status: 401 })
  expect(await guard({ host: 'elsewhere.example', authorization }, tokens)).toMatchObject({ refused: 'host' })
})
