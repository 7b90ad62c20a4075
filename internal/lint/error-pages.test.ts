/** Each error code needs a section in docs/errors.md, because errors link to it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const UNIONS = [
  'packages/core/src/storage/storage-error.ts',
  'packages/core/src/retrieval/retrieval-tool.ts',
  'packages/server/src/app/http-error.ts',
]
const COMMAND_LINE = globSync('packages/cli/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] })

it('docs/errors.md has a section for every code', () => {
  const unions = UNIONS.flatMap((path) => {
    const [union = ''] = /^export type \w+ErrorCode =\n(?: {2}\| .*\n)+/m.exec(read(path)) ?? []
    return [...union.matchAll(/'([a-z-]+)'/g)]
  })
  const thrown = COMMAND_LINE.flatMap((path) => [...read(path).matchAll(/new CliError\(\s*'([a-z-]+)'/g)])
  const codes = new Set([...unions, ...thrown].map(([, code]) => code ?? ''))
  const sections = new Set([...read('docs/errors.md').matchAll(/^### `([a-z-]+)`$/gm)].map(([, code]) => code ?? ''))
  expect(codes.size).toBeGreaterThan(40)
  expect([...codes].filter((code) => !sections.has(code))).toEqual([])
})
