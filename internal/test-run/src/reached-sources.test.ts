import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { reachedSources } from './reached-sources.ts'

const CORE = JSON.stringify({
  name: '@x/core',
  exports: { '.': './src/index.ts', './driver': './src/driver.ts' },
  imports: { '#engine': { node: './src/node.ts', default: './src/web.ts' } },
})
const FILE = JSON.stringify({ name: '@x/file', exports: './src/index.ts', dependencies: { '@x/core': '*' } })
const FILES = {
  'packages/core/package.json': CORE,
  'packages/core/src/index.ts': "export { retrieve } from './retrieve.ts'\nexport * from './driver.ts'\n",
  'packages/core/src/retrieve.ts': 'export const retrieve = 1\n',
  'packages/core/src/driver.ts': "import '#engine'\nimport type { retrieve } from './retrieve.ts'\n",
  'packages/core/src/node.ts': '',
  'packages/core/src/web.ts': '',
  'packages/storage/file/package.json': FILE,
  'packages/storage/file/src/index.ts': "import '@x/core/driver' // or '@x/core'\n",
  'packages/storage/file/test/kill.ts': '',
}

/** List the files that the package `of` reaches in a workspace of {@link FILES} and `more`. */
function pathsOf(of: string, more: Record<string, string> = {}): readonly string[] {
  return linesOf(of, more).map((line) => line.slice(line.indexOf(' ') + 1))
}

function linesOf(of: string, more: Record<string, string> = {}): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'spillway-reached-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, content] of Object.entries({ ...FILES, ...more })) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return reachedSources(root).get(of) ?? []
}

const DRIVER = ['package.json', 'src/driver.ts', 'src/node.ts', 'src/web.ts'].map((path) => `packages/core/${path}`)

it('a package reaches files that its imports load under any condition, but no files named only in comments or types', () => {
  expect(pathsOf('packages/storage/file')).toEqual(DRIVER)
  expect(pathsOf('packages/core')).toEqual([])
})

it.each([
  ['a later import', "export const load = () => import('@x/core')\n"],
  ['a path to its module', "new URL('../../../core/src/retrieve.ts', import.meta.url)\n"],
  ['a path from the root', "join(ROOT, 'packages/core/src/retrieve.ts')\n"],
  ['a folder, if the name is not known', 'new URL(`../../../core/src/${name}.ts`, import.meta.url)\n'],
  ['its manifest, which names commands', "require.resolve('@x/core/package.json')\n"],
  ['its scope, if the name is not known', 'import(`@x/${name}`)\n'],
])('a module is reached by %s', (_, code) => {
  expect(pathsOf('packages/storage/file', { 'packages/storage/file/src/more.ts': code })).toContain(
    'packages/core/src/retrieve.ts',
  )
})

it('a script is reached by its file name in the code of the same folder', () => {
  const more = {
    'packages/core/src/driver.ts': "join(import.meta.dirname, 'process.ts')\n",
    'packages/core/src/process.ts': '',
  }
  expect(pathsOf('packages/storage/file', more)).toContain('packages/core/src/process.ts')
})

it.each([
  ['a comment in a line of its own', 'one()\n// A comment.\ntwo()\n'],
  ['a comment of two lines', 'one()\n  /** A\n   *  comment. */\ntwo()\n'],
  ['an imported type', "import type { Storage } from '@x/file'\none()\ntwo()\n"],
])('%s does not change a hash', (_, code) => {
  expect(hashOfNode(code)).toBe(hashOfNode('one()\ntwo()\n'))
})

it.each(['one()\ntwo(1)\n', 'one() ; two()\n', 'one()\n\ntwo()\n'])('the code %j changes the hash', (code) => {
  expect(hashOfNode(code)).not.toBe(hashOfNode('one()\ntwo()\n'))
})

const hashOfNode = (code: string): string | undefined =>
  linesOf('packages/storage/file', { 'packages/core/src/node.ts': code }).find((line) => line.endsWith('/node.ts'))
