/** Length of this test run. The same code runs with other counts. */
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether this is the full verification (`pnpm verify --full`): all combinations, long soaks, many property runs. */
export const isFull: boolean = process.env['SPILLWAY_FULL'] === '1'

/** The folder of code that processes of a run have compiled. `NODE_COMPILE_CACHE` names another one. */
export const COMPILE_CACHE: string =
  process.env['NODE_COMPILE_CACHE'] ?? join(import.meta.dirname, '../../../node_modules/.cache/node')

/** List the folders of the workspace's packages, relative to `root`. Sets of older framework versions are not packages. */
export function packageFolders(root: string): string[] {
  const manifests =
    '{packages/*,packages/{storage,adapters}/*,examples/*,benchmarks,benchmarks/adapters,internal/*}/package.json'
  return globSync(manifests, { cwd: root }).map((path) => dirname(path).replaceAll('\\', '/'))
}

/** The seed of everything random in this run: `SPILLWAY_SEED`, otherwise a new one for each process. */
export const seed: number = Number(process.env['SPILLWAY_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/**
 * Parameters of `fc.assert`: how many inputs are tried, and the seed that they are made from. A failure prints the seed;
 * `SPILLWAY_SEED` repeats it.
 *
 * @param usual - The number of inputs for each change.
 * @param full - The number of inputs in the full verification.
 */
export function propertyRuns(usual: number, full: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: isFull ? full : usual, seed }
}
