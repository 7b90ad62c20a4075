import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folderFaults } from './folder-rules.ts'

const ROOT = join(import.meta.dirname, '../..')

it('files and folders follow the folder rules', () => {
  expect(folderFaults(ROOT, globSync('packages/{*,storage/*,adapters/*}/src/**/*.ts', { cwd: ROOT }))).toEqual([])
})

describe('folderFaults', () => {
  it('names a file that only one other file of its folder imports', () => {
    const faults = faultsOf({ 'a.ts': "import { b } from './b.ts'\n", 'b.ts': 'export const b = 1\n' })
    expect(faults).toEqual(['packages/x/src/b.ts is only imported by a.ts: join the two files.'])
  })

  it('accepts a file that an entry, two files, or a lazy import needs, and a file that is too long to be joined', () => {
    const long = '\n'.repeat(400)
    expect(faultsOf({ 'index.ts': "export { b } from './b.ts'\n", 'b.ts': '' })).toEqual([])
    const shared = "import { b } from './b.ts'\n"
    expect(faultsOf({ 'a.ts': shared, 'c.ts': shared, 'b.ts': '' })).toEqual([])
    expect(faultsOf({ 'a.ts': "const b = await import('./b.ts')\n", 'b.ts': '' })).toEqual([])
    expect(faultsOf({ 'a.ts': shared, 'b.ts': long })).toEqual([])
  })

  it('counts the levels of imports, ignoring imports of types', () => {
    const chain = (keyword: string): Record<string, string> =>
      Object.fromEntries(
        [1, 2, 3, 4, 5, 6].map((level) => [
          `${level}.ts`,
          `${level === 6 ? '' : `${keyword} { x } from './${level + 1}.ts'\n`}${'\n'.repeat(300)}`,
        ]),
      )
    expect(faultsOf(chain('import'))).toEqual(['packages/x/src has 6 levels of imports; 5 are enough.'])
    expect(faultsOf(chain('import type'))).toEqual([])
  })

  it('counts the files of a folder, ignoring tests', () => {
    const files = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`${index}.ts`, '']))
    expect(faultsOf(files)).toEqual(['packages/x/src has 13 files; 12 are enough.'])
    const { '12.ts': _, ...twelve } = files
    expect(faultsOf({ ...twelve, '0.test.ts': '' })).toEqual([])
  })
})

function faultsOf(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'folder-rules-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const paths = Object.keys(files).map((name) => `packages/x/src/${name}`)
  for (const [index, text] of Object.values(files).entries()) {
    const path = join(root, paths[index]!)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return folderFaults(root, paths)
}
