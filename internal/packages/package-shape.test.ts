/** Checks that packages have the same structure, and that bundlers, Node.js, and TypeScript resolve them equally. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, it } from 'vitest'
import { listPeerSets } from '../peers/peer-sets.ts'
import { reportApi } from './api-report.ts'
import { findMissingImports } from './packed-imports.ts'
import { chosen, exists, listPublicPackages, OLDEST_NODE, ROOT, tarballOf } from './public-packages.ts'
import { listTarball, readFromTarball } from './tarball-registry.ts'

type Entries = Record<string, unknown>

interface SetManifest {
  readonly dependencies: Readonly<Record<string, string>>
}

const WEBSITE = 'https://github.com/spillway-js/spillway'
const REPOSITORY = `git+${WEBSITE}.git`

/** The packages that core consists of, with all their dependencies. */
const BELOW_BACKENDS: Readonly<Record<string, readonly string[]>> = {
  '@spillway/text': ['@eslint-community/regexpp', 'json-p3'],
  '@spillway/previews': ['@spillway/text'],
  '@spillway/core': ['@spillway/previews', '@spillway/text'],
}

const names = new Set(listPublicPackages().map(({ name }) => name))
const packages = chosen(listPublicPackages(), ({ folder }) => folder)

describe.each(packages)('$name', ({ name, folder, manifest }) => {
  const version = manifest['version']
  const publishConfig = manifest['publishConfig'] as Entries
  const sources = { ...(manifest['exports'] as Entries), ...(manifest['bin'] as Entries | undefined) }
  const published = { ...(publishConfig['exports'] as Entries | undefined), ...(publishConfig['bin'] as Entries) }

  it('describes itself with the same fields as every package', () => {
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      type: 'module',
      repository: { type: 'git', url: REPOSITORY, directory: folder },
      homepage: `${WEBSITE}/tree/main/${folder}#readme`,
      bugs: `${WEBSITE}/issues`,
      author: 'The Spillway authors',
      files: ['dist', '!dist/.tsbuildinfo', 'CHANGELOG.md', 'NOTICE'],
      engines: { node: `>=${OLDEST_NODE}` },
      publishConfig: { access: 'public' },
      scripts: { build: `node ${relative(folder, 'internal/build/build.ts')}` },
    })
    expect(manifest['description']).toMatch(/\.$/)
    expect(manifest['keywords']).toContain('agent')
    expect(manifest['sideEffects']).toBe(manifest['bin'] === undefined ? false : undefined)
    expect(exists(folder, 'README.md')).toBe(true)
    expect(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')).toContain(`"${folder}"`)
    expect(readFileSync(join(ROOT, 'internal/docs/package.json'), 'utf8')).toContain(`"${name}"`)
  })

  it('resolves to sources in the workspace and to dist after publishing', () => {
    for (const [entry, source] of Object.entries(sources)) {
      if (source === './package.json') continue
      expect(source, entry).toMatch(/^\.\/src\/.+\.ts$/)
      expect(exists(folder, String(source)), String(source)).toBe(true)
      const built = String(source).replace('./src/', './dist/').replace(/\.ts$/, '')
      const isBin = entry in ((manifest['bin'] as Entries | undefined) ?? {})
      expect(published[entry], entry).toEqual(
        isBin ? `${built}.js` : { types: `${built}.d.ts`, default: `${built}.js` },
      )
    }
  })

  it('has core as a peer, unless it is the command line, or core depends on it', () => {
    const peers = (manifest['peerDependencies'] ?? {}) as Entries
    const dependencies = (manifest['dependencies'] ?? {}) as Entries
    const below = BELOW_BACKENDS[name]
    if (below !== undefined) expect(Object.keys(dependencies)).toEqual(below)
    else if (name === '@spillway/cli') expect(dependencies['@spillway/core']).toBe('workspace:^')
    // History uses internal entries, which minor releases may change. Other packages use names that are stable until
    // 1.0.
    else expect(peers['@spillway/core']).toBe(name === '@spillway/history' ? 'workspace:^' : 'workspace:0.x')
  })

  it('accepts every version of its framework that its suite runs with', () => {
    const peers = (manifest['peerDependencies'] ?? {}) as Readonly<Record<string, string>>
    for (const set of listPeerSets(ROOT).filter(({ adapter }) => adapter === folder)) {
      const { dependencies } = JSON.parse(readFileSync(join(set.folder, 'package.json'), 'utf8')) as SetManifest
      for (const [framework, version] of Object.entries(dependencies)) {
        const [oldest = '0.0.0'] = /\d+\.\d+\.\d+/.exec(peers[framework] ?? '') ?? []
        const isAccepted = version.startsWith('^') || version.localeCompare(oldest, 'en', { numeric: true }) >= 0
        expect(isAccepted, `${framework}@${version}`).toBe(true)
      }
    }
  })

  it('packs the license and the notice of the project', () => {
    const tarball = readFileSync(tarballOf(folder))
    for (const file of ['LICENSE', 'NOTICE'])
      expect(readFromTarball(tarball, file), file).toBe(readFileSync(join(ROOT, file), 'utf8'))
  })

  it('packs its modules, their types, and nothing else', () => {
    const files = listTarball(readFileSync(tarballOf(folder)))
    const texts = ['LICENSE', 'NOTICE', 'README.md', 'package.json', ...(version === '0.0.0' ? [] : ['CHANGELOG.md'])]
    expect(files.filter((path) => !path.startsWith('dist/')).toSorted()).toEqual(texts.toSorted())
    // Tests are not packed, and neither are source maps, because sources would be missing. The inspector packs its
    // page.
    const others = files.filter(
      (path) =>
        path.startsWith('dist/') && !path.startsWith('dist/page/') && !/^(?!.*\.test\.).*\.(?:js|d\.ts)$/.test(path),
    )
    expect(others).toEqual([])
  })

  it('names no private package in its manifest', () => {
    const packed = JSON.parse(readFromTarball(readFileSync(tarballOf(folder)), 'package.json')) as Entries
    const needed = { ...(packed['dependencies'] as Entries), ...(packed['peerDependencies'] as Entries) }
    expect(Object.keys(needed).filter((one) => one.startsWith('@spillway') && !names.has(one))).toEqual([])
    expect(JSON.stringify(needed)).not.toContain('workspace:')
  })

  it('imports only files that it packs, and packages that its manifest names', () => {
    expect(findMissingImports(readFileSync(tarballOf(folder)))).toEqual([])
  })

  // `pnpm api` updates the report. Its differences show how a change affects users.
  it('exports exactly the names in its API report', async () => {
    const path = join(import.meta.dirname, 'api', `${name.slice('@spillway/'.length)}.txt`)
    await expect(reportApi(readFileSync(tarballOf(folder)))).toMatchFileSnapshot(path)
  })

  it('packs without an error of publint', async () => {
    const tarball = readFileSync(tarballOf(folder))
    const pack = { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length) }
    const { messages, pkg } = await publint({ pack, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })
})
