import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { reportApi } from './api-report.ts'

const ENTRIES = {
  '.': { types: './dist/index.d.ts' },
  './internal': { types: './dist/internal.d.ts' },
  './package.json': './package.json',
}

it('the report has the declarations of public names, and marks the names that may change', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-api-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = {
    'package.json': JSON.stringify({ exports: ENTRIES }),
    'dist/index.d.ts': "export { keep, type Kept as Saved } from './a/keep.ts'\nexport { x } from 'other'\n",
    'dist/internal.d.ts': 'export declare const hidden: string\n',
    'dist/a/keep.d.ts':
      '/**\n * Keep it.\n * @experimental\n */\nexport declare function keep(one: Kept): void\n/** Odd. */\ninterface Kept {\n  /** Size. */\n  size: number\n}\nexport type { Kept }\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'package', path)), { recursive: true })
    writeFileSync(join(folder, 'package', path), text)
  }
  execFileSync('tar', ['-czf', 'packed.tgz', ...Object.keys(files).map((path) => `package/${path}`)], { cwd: folder })
  expect(reportApi(readFileSync(join(folder, 'packed.tgz')))).toBe(
    ".\n\nexport { Kept as Saved }\ninterface Kept {\n  size: number\n}\n@experimental\nexport declare function keep(one: Kept): void\nexport { x } from 'other'\n",
  )
})
