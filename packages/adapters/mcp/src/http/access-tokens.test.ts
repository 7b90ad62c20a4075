import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { AccessTokens } from './access-tokens.ts'

const LONG = 'a-token-of-many-characters'
const bearer = (token: string): Headers => new Headers({ authorization: `Bearer ${token}` })

test('a bearer is known by the token, whether that or its digest was given', () => {
  const sha256 = createHash('sha256').update('another-token-of-many').digest('hex')
  const tokens = new AccessTokens([
    { token: LONG, scope: ['one'] },
    { sha256, scope: ['two', 'three'] },
  ])
  expect(tokens.scopeOf(bearer(LONG))).toEqual(['one'])
  expect(tokens.scopeOf(new Headers({ authorization: `bearer   ${LONG}` }))).toEqual(['one'])
  expect(tokens.scopeOf(bearer('another-token-of-many'))).toEqual(['two', 'three'])
})

test.for([
  ['no header', new Headers()],
  ['another token', bearer('some-other-token-entirely')],
  ['the digest in place of the token', bearer(createHash('sha256').update(LONG).digest('hex'))],
  ['a token with more behind it', bearer(`${LONG} x`)],
  ['another scheme', new Headers({ authorization: `Basic ${LONG}` })],
  ['an empty token', bearer('')],
] as const)('%s is a stranger', ([, headers]) => {
  expect(new AccessTokens([{ token: LONG, scope: ['one'] }]).scopeOf(headers)).toBeUndefined()
})

test.for<readonly [string, unknown, string]>([
  ['none', [], 'There is no token'],
  ['a short one', [{ token: 'short', scope: ['a'] }], 'Token 1 must have 16 characters'],
  ['one without a scope', [{ token: LONG, scope: [] }], 'Token 1 must have a scope'],
  ['one whose scope is a text', [{ token: LONG, scope: 'a' }], 'Token 1 must have a scope'],
  ['one in both forms', [{ token: LONG, sha256: 'a'.repeat(64), scope: ['a'] }], 'token or sha256'],
  ['a digest that is none', [{ sha256: 'xyz', scope: ['a'] }], '64 hexadecimal digits'],
  [
    'the same twice',
    [
      { token: LONG, scope: ['a'] },
      { token: LONG, scope: ['b'] },
    ],
    'given twice',
  ],
])('tokens are refused: %s', ([, tokens, message]) => {
  expect(() => new AccessTokens(tokens as never)).toThrow(message)
})
