import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../packages/public-packages.ts'
import type { Checks } from './checks.ts'
import { HTTP_API, writtenHttpApi } from './http-api.ts'
import { listOptionReadmes, withOptionTables } from './option-tables.ts'

/** Check that written parts of documents are current. */
export async function checkWritten(checks: Checks): Promise<void> {
  await checks.run('docs/http-api.md is current', async () =>
    readFileSync(HTTP_API, 'utf8') === (await writtenHttpApi()) ? [] : ['node internal/docs/write-http-api.ts'],
  )
  for (const path of listOptionReadmes())
    await checks.run(`${path} has current option tables`, () =>
      unformatted(readFileSync(join(ROOT, path), 'utf8')) === unformatted(withOptionTables(path))
        ? []
        : ['node internal/docs/write-option-tables.ts'],
    )
}

/** Remove the spaces and dashes that the formatter adds to tables. */
const unformatted = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
