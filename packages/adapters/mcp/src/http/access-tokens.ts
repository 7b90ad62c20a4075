import { createHash, timingSafeEqual } from 'node:crypto'

/** Who may use a service, and behind which wall. */
export interface AccessToken {
  /** What the bearer sends; or in its place the SHA-256 of it, in hexadecimal, so that no file has the token itself. */
  readonly token?: string | undefined
  readonly sha256?: string | undefined
  /** The segments of the scope that the bearer works in. */
  readonly scope: readonly string[]
}

const MIN_LENGTH = 16

/**
 * Knows callers by the bearer tokens that they send.
 *
 * @example
 * ```ts
 * import { AccessTokens } from '@spillway/mcp/http'
 *
 * const tokens = new AccessTokens([{ token: 'a-long-random-token-1', scope: ['tenant-1'] }])
 * const headers = new Headers({ authorization: 'Bearer a-long-random-token-1' })
 * console.assert(tokens.scopeOf(headers)?.join() === 'tenant-1')
 * console.assert(tokens.scopeOf(new Headers()) === undefined)
 * ```
 */
export class AccessTokens {
  readonly #known: readonly { readonly digest: Buffer; readonly scope: readonly string[] }[]

  /** @throws TypeError where a token is short, is given twice, or has no scope. */
  constructor(tokens: readonly AccessToken[]) {
    if (tokens.length === 0) throw new TypeError('There is no token. Without tokens only this machine can be served.')
    this.#known = tokens.map(({ token, sha256, scope }, index) => {
      const which = `Token ${index + 1}`
      if ((token === undefined) === (sha256 === undefined)) throw new TypeError(`${which} must have token or sha256.`)
      if (token !== undefined && token.length < MIN_LENGTH)
        throw new TypeError(`${which} must have ${MIN_LENGTH} characters or more, chosen at random.`)
      if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
        throw new TypeError(`${which}: sha256 must be 64 hexadecimal digits.`)
      if (!Array.isArray(scope) || scope.length === 0 || scope.some((segment) => typeof segment !== 'string'))
        throw new TypeError(`${which} must have a scope: an array of one segment or more.`)
      return { digest: token === undefined ? Buffer.from(String(sha256), 'hex') : digestOf(token), scope }
    })
    const digests = new Set(this.#known.map(({ digest }) => digest.toString('hex')))
    if (digests.size < tokens.length) throw new TypeError('A token is given twice, so that its scope is not known.')
  }

  /** Return the scope of who sent these headers; `undefined` for a stranger. */
  scopeOf(headers: Headers): readonly string[] | undefined {
    const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    if (token === undefined) return undefined
    const digest = digestOf(token)
    return this.#known.find((known) => timingSafeEqual(known.digest, digest))?.scope
  }
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest()
