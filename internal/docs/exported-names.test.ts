import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readExports } from './exported-names.ts'

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
