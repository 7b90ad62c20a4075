/** Every name that a package exports says what it is; functions and classes show how they are used. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listExportedNames, readExports } from './exported-names.ts'

/** The package whose names are checked: its path from the root; unset for all. */
const of = process.env['SPILLWAY_DOCS_OF']
const names = listExportedNames(join(import.meta.dirname, '../..'), of)

describe('exported names', () => {
  it('have a TSDoc comment that starts with a sentence', () => {
    const bare = names.filter(({ documentation }) => !/^[\s*]*[A-Z`{][^]*?[.:?]/.test(documentation ?? ''))
    expect(bare.map(({ name, location }) => `${location} ${name}`)).toEqual([])
  })

  it('come with an example where they are functions or classes', () => {
    const code = names.filter(({ kind }) => kind === 'function' || kind === 'class')
    const bare = code.filter(({ documentation }) => !/@example[^]*```ts/.test(documentation ?? ''))
    expect(bare.map(({ name, location }) => `${location} ${name}`)).toEqual([])
  })
})

it('finds names that are declared, passed on, renamed and imported first', () => {
  const root = mkdtempSync(join(tmpdir(), 'spillway-names-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const inner =
    '/** Say one. */\nexport function one(): void {}\n\nexport const two = 2\n/** A three. */\ninterface Three {}\nexport type { Three }\n'
  writeFileSync(join(root, 'inner.ts'), inner)
  const index =
    "import { two } from './inner.ts'\nexport { one as first, type Three } from './inner.ts'\nexport { two }\n/** Four. */\n\nexport class Four {}\n"
  writeFileSync(join(root, 'index.ts'), index)
  expect(readExports(root, 'index.ts')).toEqual([
    { name: 'first', location: 'inner.ts:2', kind: 'function', documentation: ' Say one. ' },
    { name: 'Three', location: 'inner.ts:6', kind: 'type', documentation: ' A three. ' },
    { name: 'two', location: 'inner.ts:4', kind: 'value', documentation: undefined },
    { name: 'Four', location: 'index.ts:6', kind: 'class', documentation: ' Four. ' },
  ])
})
