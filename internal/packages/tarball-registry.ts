import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { listPublicPackages, tarballOf } from './public-packages.ts'

/** A registry on the loopback interface with the packed packages. */
export interface TarballRegistry {
  /** The URL of the registry, with a slash at the end. */
  readonly url: string
  close(): void
}

/**
 * Serve the packed packages like npm's registry, so that printed install lines work. In a rehearsal,
 * `SPILLWAY_REGISTRY` names a registry to which the packages were published.
 */
export async function startTarballRegistry(): Promise<TarballRegistry> {
  const published = process.env['SPILLWAY_REGISTRY']
  if (published !== undefined) return { url: published, close: () => {} }
  const packed = listPublicPackages().filter(({ folder }) => existsSync(tarballOf(folder)))
  const tarballs = new Map(packed.map(({ name, folder }) => [name, readFileSync(tarballOf(folder))]))
  // Package managers cache responses of a registry, so each registry has another URL.
  const prefix = `/${randomUUID()}/`
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(prefix.length)
    const name = path.replace(/\.tgz$/, '')
    const tarball = tarballs.get(name)
    if (tarball === undefined) response.writeHead(404).end('{}')
    else if (path !== name) response.end(tarball)
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(describePackage(tarball, url)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
  return {
    url,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Describe the only version of a package, like `GET /name` of a registry. */
function describePackage(tarball: Buffer, url: string): object {
  const manifest = JSON.parse(readFromTarball(tarball, 'package.json')) as { name: string; version: string }
  const { name, version } = manifest
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const dist = { integrity, tarball: `${url}${name}.tgz` }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}

const BLOCK = 512

/** List the files of a packed package. */
export function listTarball(tarball: Uint8Array): string[] {
  return [...entriesOf(tarball)].map(([path]) => path)
}

/** Read all files of a packed package. */
export function readTarball(tarball: Uint8Array): Map<string, Buffer> {
  return new Map(entriesOf(tarball))
}

/** Read a file of a packed package as text. Throws if the file is missing. */
export function readFromTarball(tarball: Uint8Array, path: string): string {
  for (const [name, content] of entriesOf(tarball)) if (name === path) return content.toString()
  throw new Error(`The tarball has no ${path}.`)
}

function* entriesOf(tarball: Uint8Array): Generator<[path: string, content: Buffer]> {
  const tar = gunzipSync(tarball)
  for (let offset = 0; tar[offset] !== undefined && tar[offset] !== 0;) {
    const name = tar.toString('utf8', offset, tar.indexOf(0, offset))
    const size = Number.parseInt(tar.toString('ascii', offset + 124, offset + 135), 8) || 0
    const start = offset + BLOCK
    yield [name.replace('package/', ''), tar.subarray(start, start + size)]
    offset = start + Math.ceil(size / BLOCK) * BLOCK
  }
}
