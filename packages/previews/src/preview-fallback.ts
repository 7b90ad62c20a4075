/** Why a previewer's work was not used; its text is previewed by lines then, and its media by their type and size. */
export interface PreviewFallback {
  /** The name of the previewer. */
  readonly previewer: string
  /**
   * - `peer-missing`: a package that it needs is not installed; said once.
   * - `over-budget`: it wrote more tokens than it was given.
   * - `failed`: it threw; `error` is what.
   */
  readonly reason: 'peer-missing' | 'over-budget' | 'failed'
  readonly error?: unknown
}

/**
 * Say that a package which a previewer needs is not installed. Thrown by a previewer, it makes the event
 * `preview-fallback` give `peer-missing` as the reason, once, and the next previewer reads the content.
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
  /** The package, as `npm install` takes it. */
  readonly peer: string

  constructor(peer: string, options?: ErrorOptions) {
    super(`Previews of this kind need the package ${peer}. Install it: npm install ${peer}`, options)
    this.peer = peer
  }
}

/** Codes of a failed import: Node.js, and bundlers that left the package out. */
const NOT_FOUND: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/**
 * Import an optional peer, and throw a {@link MissingPeerError} where it is not installed.
 *
 * @param load - `() => import('the-package')`, literally, so that bundlers see it.
 */
export async function importPeer<Module>(peer: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (NOT_FOUND.has((error as { code?: unknown } | null)?.code)) throw new MissingPeerError(peer, { cause: error })
    throw error
  }
}

/** Describe what a previewer threw. */
export function fallbackOf(previewer: string, error: unknown): PreviewFallback {
  return { previewer, reason: error instanceof MissingPeerError ? 'peer-missing' : 'failed', error }
}

/** Find a package, or a file of one, as an import would; runtimes that cannot tell have none. */
export function locateInstalled(specifier: string): URL | undefined {
  try {
    return new URL(import.meta.resolve(specifier))
  } catch (error) {
    // Not installed, or part of a bundle.
    if (error instanceof Error) return undefined
    throw error
  }
}

/**
 * Import a package if it is installed. Bundlers do not see which: a bundle has no package that nobody asked for, and needs
 * none.
 */
export async function importInstalled<Module>(peer: string): Promise<Module> {
  const found = locateInstalled(peer)
  if (found === undefined) throw new MissingPeerError(peer)
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ found.href)) as Module
}
