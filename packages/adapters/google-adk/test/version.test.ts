import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { version } from '@google/adk'
import { expect, it } from 'vitest'

const FOLDER = join(import.meta.dirname, '..')

it('the oldest supported version is tested in its own peer set once a newer version is installed', () => {
  const manifest = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    readonly peerDependencies: { readonly '@google/adk': string }
  }
  const oldest = manifest.peerDependencies['@google/adk'].replace('^', '')
  const sets = globSync('peers/*', { cwd: FOLDER }).map((path) => basename(path))
  expect([`google-adk-${version}`, ...sets]).toContain(`google-adk-${oldest}`)
})
