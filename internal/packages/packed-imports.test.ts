import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { findMissingImports } from './packed-imports.ts'

const FILES = {
  'package.json': JSON.stringify({
    name: '@s/own',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './gone': './dist/gone.js' },
    imports: { '#engine': { node: './dist/node.js', default: './dist/web.js' } },
    dependencies: { named: '1' },
    peerDependencies: { '@s/peer': '1' },
  }),
  'dist/index.js': `
    import 'node:fs'
    import 'named/inner'
    import '@s/peer'
    import '#engine'
    import './chunk.js'
    export { lost } from './lost.js'
    export const load = (name) => Promise.all([import('unnamed'), import(name)])
  `,
  'dist/chunk.js': `import '@s/own'\nimport '@s/other/entry'\n`,
  'dist/node.js': '',
  'dist/index.d.ts': `
    export type { Kept } from './kept.ts'
    export type { Lost } from './lost.ts'
    export declare const one: import('unnamed-types').One
  `,
  'dist/kept.d.ts': 'export interface Kept {}\n',
}

it('missing imports are files that are not packed, and packages that the manifest does not name', ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-imports-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, 'package', path)), { recursive: true })
    writeFileSync(join(folder, 'package', path), text)
  }
  execFileSync('tar', ['-czf', 'packed.tgz', ...Object.keys(FILES).map((path) => `package/${path}`)], { cwd: folder })
  expect(findMissingImports(readFileSync(join(folder, 'packed.tgz')))).toEqual([
    'dist/index.js imports ./lost.js',
    'dist/index.js imports unnamed',
    'dist/chunk.js imports @s/other/entry',
    'dist/index.d.ts imports ./lost.ts',
    'dist/index.d.ts imports unnamed-types',
    'package.json names ./dist/gone.js',
    'package.json names ./dist/web.js',
  ])
})
