/** Other versions of its framework that an adapter is tested with: `packages/adapters/<name>/peers/<set>`. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Environment variable with the folder of a peer set, which `resolve-hook.mjs` reads. */
export const PEERS_VARIABLE = 'SPILLWAY_TEST_PEERS'

/** A folder whose `node_modules` has other versions of packages that an adapter depends on. */
export interface PeerSet {
  /** The name, for example `ai-6.0.0`. */
  readonly name: string
  readonly folder: string
  /** The adapter's folder, relative to the root. */
  readonly adapter: string
  /** The packages that are resolved from the set. */
  readonly packages: readonly string[]
  /** Folders of the adapter that need a package or a feature that the set lacks. Their tests are left out. */
  readonly leavesOut: readonly string[]
}

/** List the peer sets of the workspace at `root`. */
export function listPeerSets(root: string): PeerSet[] {
  return globSync('packages/adapters/*/peers/*/package.json', { cwd: root })
    .toSorted()
    .map((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
        dependencies: Record<string, string>
        leavesOut?: readonly string[]
      }
      const folder = dirname(path).replaceAll('\\', '/')
      const packages = Object.keys(manifest.dependencies)
      return {
        name: basename(folder),
        folder: join(root, folder),
        adapter: dirname(dirname(folder)),
        packages,
        leavesOut: [...(packages.includes('deepagents') ? [] : ['deepagents']), ...(manifest.leavesOut ?? [])],
      }
    })
}
