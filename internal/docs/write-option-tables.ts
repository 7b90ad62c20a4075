/** Writes the option tables of all READMEs: `node internal/docs/write-option-tables.ts`, then `pnpm format`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../packages/public-packages.ts'
import { listOptionReadmes, withOptionTables } from './option-tables.ts'

for (const path of listOptionReadmes()) writeFileSync(join(ROOT, path), withOptionTables(path))
