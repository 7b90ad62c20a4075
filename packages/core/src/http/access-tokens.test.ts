import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { AccessTokens } from './access-tokens.ts'

const LONG = 'a-token-of-many-characters'
const bearer = (token: string): Headers => new Headers({ authorization: `Bearer ${token}` })
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

it('a caller is recognized by the token, given directly or as its digest', async () => {
  const tokens = new AccessTokens([
    { token: LONG, scope: ['one'] },
    { sha256: digestOf('another-token-of-many').toUpperCase(), scope: ['two', 'three'] },
  ])
  expect(await tokens.scopeOf(bearer(LONG))).toEqual(['one'])
  expect(await tokens.scopeOf(new Headers({ authorization: `bearer   ${LONG}` }))).toEqual(['one'])
  expect(await tokens.scopeOf(bearer('another-token-of-many'))).toEqual(['two', 'three'])
})

it('an id is unique for each token, does not change, and does not reveal the token', async () => {
  const list = [
    { token: LONG, scope: ['one'] },
    { token: `${LONG}-2`, scope: ['one'] },
  ]
  const ids = await Promise.all(
    [LONG, `${LONG}-2`].map(async (token) => (await new AccessTokens(list).callerOf(bearer(token)))?.id),
  )
  expect(ids[0]).toMatch(/^[0-9a-f]{12}$/)
  expect(ids[0]).not.toBe(ids[1])
  expect(digestOf(LONG)).not.toContain(ids[0])
  expect((await new AccessTokens(list.toReversed()).callerOf(bearer(LONG)))?.id).toBe(ids[0])
})

it('later changes of the given list have no effect', async () => {
  const list = [{ token: LONG, scope: ['one'] }]
  const tokens = new AccessTokens(list)
  list[0]!.scope.push('other')
  list[0]!.token = 'some-other-token-entirely'
  expect(await tokens.scopeOf(bearer(LONG))).toEqual(['one'])
})

it.each([
  ['no header', new Headers()],
  ['another token', bearer('some-other-token-entirely')],
  ['the digest in place of the token', bearer(digestOf(LONG))],
  ['a token followed by other text', bearer(`${LONG} x`)],
  ['another scheme', new Headers({ authorization: `Basic ${LONG}` })],
  ['an empty token', bearer('')],
])('a request with %s is not authorized', async (_name, headers) => {
  expect(await new AccessTokens([{ token: LONG, scope: ['one'] }]).scopeOf(headers)).toBeUndefined()
})

it.each<[string, unknown, string]>([
  ['none', [], 'tokens is empty'],
  ['a short one', [{ token: 'short', scope: ['a'] }], 'Token 1 must have 16 characters'],
  ['one that no header can carry', [{ token: 'a token with blanks', scope: ['a'] }], 'printable ASCII'],
  ['one without a scope', [{ token: LONG, scope: [] }], 'Token 1 must have a scope'],
  ['one with an empty segment', [{ token: LONG, scope: ['a', ''] }], 'Token 1 must have a scope'],
  ['one whose scope is a text', [{ token: LONG, scope: 'a' }], 'Token 1 must have a scope'],
  ['one in both forms', [{ token: LONG, sha256: 'a'.repeat(64), scope: ['a'] }], 'token or sha256'],
  ['an invalid digest', [{ sha256: 'xyz', scope: ['a'] }], '64 hexadecimal digits'],
  [
    'the same token twice',
    [
      { token: LONG, scope: ['a'] },
      { token: LONG, scope: ['b'] },
    ],
    'given twice',
  ],
])('tokens cannot be %s', (_name, tokens, message) => {
  expect(() => new AccessTokens(tokens as never)).toThrow(message)
})

it('a token cannot be given both directly and by its digest', async () => {
  const tokens = new AccessTokens([
    { token: LONG, scope: ['a'] },
    { sha256: digestOf(LONG), scope: ['b'] },
  ])
  await expect(tokens.ready()).rejects.toThrow('given twice')
  await expect(tokens.scopeOf(bearer(LONG))).rejects.toThrow('given twice')
})
