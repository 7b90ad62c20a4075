import { readFileSync } from 'node:fs'

export function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

/** The oldest version of Node.js that the packages support, as their `engines` say. */
export const OLDEST_NODE = '22.14'

/** Whether a version of Node.js, such as `22.13.1`, is too old. */
export const isTooOld = (version: string): boolean => rank(version) < rank(OLDEST_NODE)

function rank(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1_000 + minor
}
