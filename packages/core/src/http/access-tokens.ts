import { createSha256, toHex } from '@spillway/text/internal'

/** A bearer token and the scope that it gives access to. */
export interface AccessToken {
  /** The bearer token. Use `sha256` instead to keep the token out of files. */
  readonly token?: string | undefined
  readonly sha256?: string | undefined
  /** Segments of the bearer's scope. */
  readonly scope: readonly string[]
}

/** The caller of a request. */
export interface KnownCaller {
  readonly scope: readonly string[]
  /** Identifies a token in logs and limits, without revealing it. */
  readonly id: string
}

interface KnownToken extends KnownCaller {
  readonly digest: Uint8Array
}

const MIN_LENGTH = 16
const ID_DIGITS = 12

/**
 * Identify callers by their bearer tokens.
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

  /** @throws TypeError if a token is too short, is listed twice in the same form, or has no scope. */
  constructor(tokens: readonly AccessToken[]) {
    if (tokens.length === 0)
      throw new TypeError('tokens is empty. Give a token, or leave tokens out and listen on 127.0.0.1.')
    for (const [index, token] of tokens.entries()) assertToken(token, `Token ${index + 1}`)
    const given = new Set(tokens.map(({ token, sha256 }) => token ?? String(sha256).toLowerCase()))
    if (given.size < tokens.length) throw givenTwice()
    // The tokens are copied, so that a later change of the caller's objects cannot grant access.
    this.#tokens = tokens.map(({ token, sha256, scope }) => ({ token, sha256, scope: [...scope] }))
  }

  /** Compute the token digests. Rejects with a `TypeError` if the same token is listed as text and as digest. */
  async ready(): Promise<void> {
    this.#known ??= readTokens(this.#tokens)
    await this.#known
  }

  /** Return the sender's scope, or `undefined` if the token is unknown. Rejects like {@link AccessTokens.ready}. */
  async scopeOf(headers: Headers): Promise<readonly string[] | undefined> {
    return (await this.callerOf(headers))?.scope
  }

  /** Return the sender, or `undefined` if the token is unknown. Rejects like {@link AccessTokens.ready}. */
  async callerOf(headers: Headers): Promise<KnownCaller | undefined> {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    if (token === undefined) return undefined
    this.#known ??= readTokens(this.#tokens)
    const digest = await sha256Of(new TextEncoder().encode(token))
    let found: KnownToken | undefined
    // Compares all tokens, so that the time does not reveal the matching token.
    for (const known of await this.#known) if (isEqual(known.digest, digest)) found = known
    return found && { scope: found.scope, id: found.id }
  }
}

function assertToken({ token, sha256, scope }: AccessToken, which: string): void {
  if ((token === undefined) === (sha256 === undefined)) throw new TypeError(`${which} needs either token or sha256.`)
  if (token !== undefined && (typeof token !== 'string' || token.length < MIN_LENGTH))
    throw new TypeError(`${which} must have ${MIN_LENGTH} characters or more, chosen at random.`)
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError(`${which} must have only printable ASCII characters, since it is sent in a header.`)
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

const givenTwice = (): TypeError => new TypeError('A token is given twice. Remove one, so that its scope is clear.')

async function sha256Of(bytes: Uint8Array): Promise<Uint8Array> {
  const hash = createSha256()
  hash.update(bytes)
  return await hash.digest()
}

/** Compare bytes in constant time. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!
  return difference === 0
}

const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
