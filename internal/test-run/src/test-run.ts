/** Settings of this test run. Short and full runs have the same code, but other counts. */
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether this is the full verification (`pnpm verify --full`): all combinations, long soaks, many property runs. */
export const isFull: boolean = process.env['SPILLWAY_FULL'] === '1'

/** Folder for compiled code of the processes of a run. `NODE_COMPILE_CACHE` names another one. */
export const COMPILE_CACHE: string =
  process.env['NODE_COMPILE_CACHE'] ?? join(import.meta.dirname, '../../../node_modules/.cache/node')

/** List the folders of the workspace's packages, relative to `root`. Peer sets are not packages. */
export function packageFolders(root: string): string[] {
  const manifests =
    '{packages/*,packages/{storage,adapters}/*,examples/*,benchmarks,benchmarks/adapters,internal/*}/package.json'
  return globSync(manifests, { cwd: root }).map((path) => dirname(path).replaceAll('\\', '/'))
}

/** The seed of all random values in this run: `SPILLWAY_SEED`, otherwise a new seed for each process. */
export const seed: number = Number(process.env['SPILLWAY_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/**
 * Parameters of `fc.assert`: the number of inputs, and the seed from which they are generated. A failure prints the
 * seed; `SPILLWAY_SEED` repeats it.
 *
 * @param usual - The number of inputs for each change.
 * @param full - The number of inputs in the full verification.
 */
export function propertyRuns(usual: number, full: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: isFull ? full : usual, seed }
}
