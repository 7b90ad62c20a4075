/** Tests that exported names are documented, and that functions and classes of main entries have an example. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listEntries, readExports, type ExportedName } from './exported-names.ts'

/** The package whose names are checked: its path from the root. If unset, all packages. */
const of = process.env['SPILLWAY_DOCS_OF']
const entries = listEntries(join(import.meta.dirname, '../..'), of)
const isCode = ({ kind }: ExportedName): boolean => kind === 'function' || kind === 'class'
const hasExample = ({ documentation }: ExportedName): boolean => /@example[^]*```ts/.test(documentation ?? '')
const placesOf = (names: readonly ExportedName[]): string[] => [
  ...new Set(names.map(({ name, location }) => `${location} ${name}`)),
]

describe('exported names', () => {
  it('have a TSDoc comment that starts with a sentence', () => {
    const names = entries.flatMap((entry) => entry.names)
    const bare = names.filter(({ documentation }) => !/^[\s*]*[A-Z`{][^]*?[.:?]/.test(documentation ?? ''))
    expect(placesOf(bare)).toEqual([])
  })

  it('come with an example if they are functions or classes of a main entry', () => {
    const names = entries.flatMap((entry) => (entry.isMain ? entry.names : []))
    expect(placesOf(names.filter((one) => isCode(one) && !hasExample(one)))).toEqual([])
  })

  it('have an example in every other entry', () => {
    const bare = entries.filter(({ names }) => names.some(isCode) && !names.some(hasExample))
    expect(bare.map(({ name }) => name)).toEqual([])
  })
})

it('exported names include names that are declared, re-exported, renamed, or imported before', () => {
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
