import { MissingPeerError } from './preview-fallback.ts'

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
