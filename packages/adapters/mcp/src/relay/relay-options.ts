import type { ContextOffloader } from '@spillway/core'

/** Options of {@link offloadServer} and {@link offloadTransport}. */
export interface McpOffloadOptions {
  /** Names of tools whose results stay, with structured content and output schemas. Defaults to none. */
  readonly exclude?: readonly string[] | undefined
  /** Add `resource_link` blocks for `resources/read`. Defaults to `false`, as some hosts refuse results with links. */
  readonly resourceLinks?: boolean | undefined
  /**
   * Returns the scope of a message by the `authInfo` of the transport's authentication; an empty list means the
   * offloader's own scope.
   */
  readonly scope?: ((authInfo: unknown) => readonly string[]) | undefined
  /** Called with an error that lost no message. Defaults to the transport's `onerror`. */
  readonly onError?: ((error: Error) => void) | undefined
}

const KNOWN = ['exclude', 'resourceLinks', 'scope', 'onError']

export function assertMcpOptions(options: unknown): asserts options is McpOffloadOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`options must be an object, got ${options === null ? 'null' : typeof options}.`)
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name))
      throw new TypeError(`Unknown option ${JSON.stringify(name)}. Known: ${KNOWN.join(', ')}.`)
  const { exclude, resourceLinks, scope, onError } = options as Partial<Record<string, unknown>>
  if (exclude !== undefined && !(Array.isArray(exclude) && exclude.every((name) => typeof name === 'string')))
    throw new TypeError('exclude must be an array of names of tools.')
  if (resourceLinks !== undefined && typeof resourceLinks !== 'boolean')
    throw new TypeError(`resourceLinks must be true or false, got ${typeof resourceLinks}.`)
  for (const [name, value] of Object.entries({ scope, onError }))
    if (value !== undefined && typeof value !== 'function')
      throw new TypeError(`${name} must be a function, got ${typeof value}.`)
}

export interface RelaySettings extends McpOffloadOptions {
  readonly offloader: ContextOffloader
}
