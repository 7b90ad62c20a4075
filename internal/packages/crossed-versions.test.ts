/** Runs core of one release together with a backend of another release, like users who update only one of them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isFull } from '../test-run/src/test-run.ts'
import { runIn } from './consumer-project.ts'
import { chosen, listPublicPackages, tarballOf, type PublicPackage } from './public-packages.ts'
import { unpackPackages } from './published-layout.ts'

/** Packages that are always released together. */
const CORE = ['@spillway/text', '@spillway/previews', '@spillway/core']

/** Expressions that create a storage, by backend. */
const BACKENDS: Readonly<Record<string, string>> = {
  memory: 'new backend.InMemoryStorage(settings)',
  file: 'new backend.FileStorage({ directory: folder(), ...settings })',
  sqlite: "new backend.SqliteStorage({ path: folder() + '/store.db', ...settings })",
}

/**
 * Cases with 20 MB or thousands of entries, which take half of the time. They call no methods that others do not call.
 */
const OF_MUCH_CONTENT = 'at-boundaries|late-differences|20-mb|of-large-content|beyond-one-page'

const crossings = chosen(Object.keys(BACKENDS), (name) => `packages/storage/${name}`).flatMap((backend) => [
  { backend, newer: CORE, older: [`@spillway/${backend}`] },
  { backend, newer: [`@spillway/${backend}`], older: CORE },
])

it.each(crossings)('$newer of the next minor release works with the released $older', async (crossing) => {
  const { backend, newer, older } = crossing
  const packages = listPublicPackages().filter(({ name }) => newer.includes(name) || older.includes(name))
  const folder = unpackPackages(packages, (one) =>
    newer.includes(one.name) ? tarballOf(one.folder) : tarballOfLastRelease(one),
  )
  try {
    const core = manifestIn(folder, '@spillway/core')
    makeNextRelease(folder, newer, core.version)
    expect(manifestIn(folder, '@spillway/core').version).not.toBe(manifestIn(folder, `@spillway/${backend}`).version)
    // Package managers accept all releases before 1.0, in both directions.
    expect(manifestIn(folder, `@spillway/${backend}`).peerDependencies['@spillway/core']).toBe('0.x')
    const source = `
      import { storageConformance } from '@spillway/core/conformance/node-test'
      import * as backend from '@spillway/${backend}'
      import { mkdtempSync } from 'node:fs'

      const folder = () => mkdtempSync('store-')
      const create = async (limits) => {
        let time = Date.now()
        const clock = { now: () => time, advance: (milliseconds) => void (time += milliseconds) }
        const settings = { ...limits, now: clock.now }
        return { storage: ${BACKENDS[backend]}, powers: { clock } }
      }
      const harness = { name: 'crossed', settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'], create }
      storageConformance(harness, { filter: (id) => ${isFull} || !/${OF_MUCH_CONTENT}/.test(id) })
    `
    writeFileSync(join(folder, 'crossed.test.mjs'), source)
    const printed = await runIn(folder, 'crossed.test.mjs')
    expect(printed).toMatch(/^\S+ pass \d{2,}$/m)
    expect(printed).toMatch(/^\S+ fail 0$/m)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Set the version of packages in a folder, and of their dependencies on each other, to the next minor release. */
function makeNextRelease(folder: string, names: readonly string[], version: string): void {
  const next = version.replace(/^0\.(\d+)\..*$/, (_, minor: string) => `0.${Number(minor) + 1}.0`)
  for (const name of names) {
    const path = join(folder, 'node_modules', name, 'package.json')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/": "0\.\d+\.\d+"/g, `": "${next}"`))
  }
}

/**
 * Find the newest release on npm that is not newer than this commit. Without any release, use this commit's tarball.
 */
function tarballOfLastRelease({ name, folder, manifest }: PublicPackage): string {
  const version = String(manifest['version'])
  if (version === '0.0.0') return tarballOf(folder)
  const target = mkdtempSync(join(tmpdir(), 'spillway-release-'))
  try {
    const args = ['pack', '--silent', '--pack-destination', target, `${name}@<=${version}`]
    const printed = execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' })
    return join(target, printed.trim().split('\n').at(-1) ?? '')
  } catch (error) {
    // The first release is prepared, but not published yet.
    if (/E404|ETARGET/.test((error as { readonly stderr: string }).stderr)) return tarballOf(folder)
    throw error
  }
}

interface Manifest {
  readonly version: string
  readonly peerDependencies: Readonly<Record<string, string>>
}

function manifestIn(folder: string, name: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest
}
