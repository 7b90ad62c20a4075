// Finds the peers outside the repository, and imports their modules.
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export const peersDir = process.env.SPILLWAY_PEERS ?? path.join(os.tmpdir(), 'spillway-peers')
/** import a package (or './node_modules/…' file), resolved from the peers folder */
export async function peer(spec) {
  const { default: load } = await import(pathToFileURL(path.join(peersDir, 'load.mjs')).href).catch((cause) => {
    throw new Error(`peers not found in ${peersDir}: run setup.sh or set SPILLWAY_PEERS`, { cause })
  })
  return load(spec)
}
