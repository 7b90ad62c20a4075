import { createSha256 } from '@spillway/text/internal'

/** Who may use a service, and behind which wall. */
export interface AccessToken {
  /** What the bearer sends; or in its place the SHA-256 of it, in hexadecimal, so that no file has the token itself. */
  readonly token?: string | undefined
  readonly sha256?: string | undefined
  /** The segments of the scope that the bearer works in. */
  readonly scope: readonly string[]
}

/** Who sent a request. */
export interface KnownCaller {
  readonly scope: readonly string[]
  /** Tells one token from another in logs and limits; nothing of the token can be learned from it. */
  readonly id: string
}

interface KnownToken extends KnownCaller {
  readonly digest: Uint8Array
}

const MIN_LENGTH = 16
const ID_DIGITS = 12

/**
 * Knows callers by the bearer tokens that they send.
 *
 * @example
 * ```ts
 * import { AccessTokens } from '@spillway/core/http'
 *
 * const tokens = new AccessTokens([{ token: 'a-long-random-token-1', scope: ['tenant-1'] }])
 * const headers = new Headers({ authorization: 'Bearer a-long-random-token-1' })
 * console.assert((await tokens.scopeOf(headers))?.join() === 'tenant-1')
 * console.assert((await tokens.scopeOf(new Headers())) === undefined)
 * ```
 */
export class AccessTokens {
  readonly #tokens: readonly AccessToken[]
  #known: Promise<readonly KnownToken[]> | undefined

  /** @throws TypeError where a token is short, is given twice in the same form, or has no scope. */
  constructor(tokens: readonly AccessToken[]) {
    if (tokens.length === 0) throw new TypeError('There is no token. Without tokens only this machine can be served.')
    for (const [index, token] of tokens.entries()) assertToken(token, `Token ${index + 1}`)
    const given = new Set(tokens.map(({ token, sha256 }) => token ?? String(sha256).toLowerCase()))
    if (given.size < tokens.length) throw givenTwice()
    // As they are now: a later change must not let anybody in.
    this.#tokens = tokens.map(({ token, sha256, scope }) => ({ token, sha256, scope: [...scope] }))
  }

  /** Make what callers are compared with. Rejects with a `TypeError` where a token is given as itself and by its digest. */
  async ready(): Promise<void> {
    this.#known ??= readTokens(this.#tokens)
    await this.#known
  }

  /** Return the scope of who sent these headers; `undefined` for a stranger. Rejects like {@link AccessTokens.ready}. */
  async scopeOf(headers: Headers): Promise<readonly string[] | undefined> {
    return (await this.callerOf(headers))?.scope
  }

  /** Return who sent these headers; `undefined` for a stranger. Rejects like {@link AccessTokens.ready}. */
  async callerOf(headers: Headers): Promise<KnownCaller | undefined> {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    if (token === undefined) return undefined
    this.#known ??= readTokens(this.#tokens)
    const digest = await sha256Of(new TextEncoder().encode(token))
    let found: KnownToken | undefined
    // All of them, so that the time says nothing of which it was.
    for (const known of await this.#known) if (isEqual(known.digest, digest)) found = known
    return found && { scope: found.scope, id: found.id }
  }
}

function assertToken({ token, sha256, scope }: AccessToken, which: string): void {
  if ((token === undefined) === (sha256 === undefined)) throw new TypeError(`${which} must have token or sha256.`)
  if (token !== undefined && (typeof token !== 'string' || token.length < MIN_LENGTH))
    throw new TypeError(`${which} must have ${MIN_LENGTH} characters or more, chosen at random.`)
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError(`${which} must have printable ASCII characters alone: others cannot stand in a header.`)
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new TypeError(`${which}: sha256 must be 64 hexadecimal digits.`)
  if (!Array.isArray(scope) || scope.length === 0 || scope.some((one) => typeof one !== 'string' || one === ''))
    throw new TypeError(`${which} must have a scope: an array of one segment or more, none of them empty.`)
}

async function readTokens(tokens: readonly AccessToken[]): Promise<readonly KnownToken[]> {
  const known = await Promise.all(
    tokens.map(async ({ token, sha256 = '', scope }) => {
      const digest = token === undefined ? fromHex(sha256) : await sha256Of(new TextEncoder().encode(token))
      return { digest, scope, id: toHex(await sha256Of(digest)).slice(0, ID_DIGITS) }
    }),
  )
  if (new Set(known.map(({ digest }) => toHex(digest))).size < known.length) throw givenTwice()
  return known
}

const givenTwice = (): TypeError => new TypeError('A token is given twice, so that its scope is not known.')

async function sha256Of(bytes: Uint8Array): Promise<Uint8Array> {
  const hash = createSha256()
  hash.update(bytes)
  return await hash.digest()
}

/** In a time that does not depend on where they differ. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!
  return difference === 0
}

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
