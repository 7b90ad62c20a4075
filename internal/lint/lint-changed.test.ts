import { expect, it } from 'vitest'
import { foldersToLint, hashFolders } from './lint-changed.ts'

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{}',
  'internal/lint/plugin.ts': 'rule',
  'internal/lint/plugin.test.ts': 'test of the rule',
  'packages/core/src/retrieve.ts': 'code',
  'packages/core/dist/retrieve.d.ts': 'declaration',
  'packages/core/test/tiny-storage.ts': 'code of tests',
  'packages/storage/file/src/index.ts': 'code',
  'packages/storage/file/test/kill.test.ts': 'test',
}
const ALL = [
  'internal',
  'benchmarks',
  'examples',
  'scripts',
  'vitest.config.ts',
  'packages/core',
  'packages/storage/file',
]

function lintedAfter(changes: Readonly<Record<string, string>>): string[] {
  const hash = (files: Readonly<Record<string, string>>) =>
    hashFolders(Object.keys(files), (path) => Buffer.from(files[path] ?? ''))
  return foldersToLint(hash({ ...FILES, ...changes }), Object.fromEntries(hash(FILES)))
}

it.each([
  ['nothing has changed', {}, []],
  ['code behind an unchanged declaration has', { 'packages/core/src/retrieve.ts': 'other' }, ['packages/core']],
  ['a test has', { 'packages/storage/file/test/kill.test.ts': 'other' }, ['packages/storage/file']],
  ['a new file is there', { 'packages/core/src/new.ts': '' }, ['packages/core']],
  ['a declaration has', { 'packages/core/dist/retrieve.d.ts': 'other' }, ALL],
  ['code of tests, which others import, has', { 'packages/core/test/tiny-storage.ts': 'other' }, ALL],
  ['a rule has', { 'internal/lint/plugin.ts': 'other' }, ALL],
  ['a manifest has', { 'package.json': '{ "dependencies": {} }' }, ALL],
])('if %s, the expected folders are linted', (_, changes, folders) => {
  expect(lintedAfter(changes as Record<string, string>)).toEqual(folders)
})

it('everything is linted if nothing has passed', () => {
  const hashes = hashFolders(Object.keys(FILES), (path) => Buffer.from(FILES[path] ?? ''))
  expect(foldersToLint(hashes, {})).toEqual(ALL)
})
