/** The reason why a previewer's result was not used. Text is then previewed by lines, and media by type and size. */
export interface PreviewFallback {
  /** The name of the previewer. */
  readonly previewer: string
  /**
   * - `peer-missing`: a required package is not installed. A missing package is reported once.
   * - `over-budget`: the preview had too many tokens.
   * - `failed`: the previewer threw `error`.
   */
  readonly reason: 'peer-missing' | 'over-budget' | 'failed'
  readonly error?: unknown
}

/**
 * Thrown by a previewer if a required package is not installed.
 *
 * The event `preview-fallback` then reports `peer-missing` once, and the next previewer reads the content.
 *
 * @example
 * ```ts
 * import { MissingPeerError } from '@spillway/previews'
 *
 * const error = new MissingPeerError('my-parser')
 * console.assert(error.message.endsWith('npm install my-parser') && error.peer === 'my-parser')
 * ```
 */
export class MissingPeerError extends Error {
  override readonly name = 'MissingPeerError'
  /** Package name for `npm install`. */
  readonly peer: string

  constructor(peer: string, options?: ErrorOptions) {
    super(`Previews of this kind need the package ${peer}. Install it: npm install ${peer}`, options)
    this.peer = peer
  }
}

/** Error codes of a failed import in Node.js, and in bundles that do not contain the package. */
const NOT_FOUND: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/**
 * Import a package. Throws a {@link MissingPeerError} if it is not installed.
 *
 * @param load - Must be literally `() => import('the-package')`, so that bundlers find the package.
 */
export async function importPeer<Module>(peer: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (NOT_FOUND.has((error as { code?: unknown } | null)?.code)) throw new MissingPeerError(peer, { cause: error })
    throw error
  }
}

export function fallbackOf(previewer: string, error: unknown): PreviewFallback {
  return { previewer, reason: error instanceof MissingPeerError ? 'peer-missing' : 'failed', error }
}

/** Resolve a specifier like `import`. Returns `undefined` if the package is not installed or cannot be resolved. */
export function locateInstalled(specifier: string): URL | undefined {
  try {
    return new URL(import.meta.resolve(specifier))
  } catch (error) {
    // The package is not installed, or this module is part of a bundle.
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Import a package without showing the import to bundlers, so that a bundle has only requested packages. */
export async function importInstalled<Module>(peer: string): Promise<Module> {
  const found = locateInstalled(peer)
  if (found === undefined) throw new MissingPeerError(peer)
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ found.href)) as Module
}
