import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../packages/public-packages.ts'
import { listOptionReadmes, withOptionTables } from './option-tables.ts'

/** Remove the spaces and dashes that the formatter adds to tables. */
const unformatted = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')

it.each(listOptionReadmes())(
  '%s has current option tables: node internal/docs/write-option-tables.ts writes them',
  (path) => {
    expect(unformatted(readFileSync(join(ROOT, path), 'utf8'))).toBe(unformatted(withOptionTables(path)))
  },
)
