/**
 * Lints small faulty and correct files with the configuration of the workspace, and searches for disabled lint rules.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const BOUNDARY = 'spillway(dependency-rules)'
const COMMENTS = 'spillway(plain-comments)'
const TITLES = 'spillway(plain-titles)'

/** The fault, the path, the source, and the only rule that must report it. */
type Refused = readonly [name: string, path: string, source: string, rule: string]

const importing = (specifier: string): string =>
  `import { value } from '${specifier}'\nexport const copy: unknown = value\n`

const documented = (comment: string): string => `/** ${comment} */\nexport const one = 1\n`

const titled = (title: string): string =>
  `import { expect, it } from 'vitest'\nit.each([1])('${title}', () => {\n  expect(1).toBe(1)\n})\n`

const REFUSED: readonly Refused[] = [
  ['storage imports content', 'packages/core/src/storage/a.ts', importing('../content/x.ts'), BOUNDARY],
  ['text imports previews', 'packages/text/src/lines/a.ts', importing('@spillway/previews'), BOUNDARY],
  ['previews import core', 'packages/previews/src/log/a.ts', importing('@spillway/core'), BOUNDARY],
  ['core imports history', 'packages/core/src/offload/a.ts', importing('@spillway/history'), BOUNDARY],
  ['a test of previews imports core', 'packages/previews/src/log/a.test.ts', importing('@spillway/core'), BOUNDARY],
  [
    'an adapter imports history outside its folder',
    'packages/adapters/ai-sdk/src/b.ts',
    importing('@spillway/history'),
    BOUNDARY,
  ],
  [
    'an adapter imports an internal entry',
    'packages/adapters/ai-sdk/src/c.ts',
    importing('@spillway/core/internal'),
    BOUNDARY,
  ],
  [
    'storage imports a type of offload',
    'packages/core/src/storage/c.ts',
    "import type { X } from '../offload/x.ts'\nexport type Y = X\n",
    BOUNDARY,
  ],
  ['tokens import types', 'packages/text/src/tokens/a.ts', importing('../types/x.ts'), BOUNDARY],
  ['log imports table', 'packages/previews/src/log/b.ts', importing('../table/x.ts'), BOUNDARY],
  ['types import the platform', 'packages/text/src/types/c.ts', importing('#platform'), BOUNDARY],
  ['retrieval imports offload', 'packages/core/src/retrieval/b.ts', importing('../offload/x.ts'), BOUNDARY],
  ['conformance imports offload', 'packages/core/src/conformance/a.ts', importing('../offload/x.ts'), BOUNDARY],
  ['conformance imports the index', 'packages/core/src/conformance/b.ts', importing('../index.ts'), BOUNDARY],
  ['conformance cases import a runner', 'packages/core/src/conformance/cases.ts', importing('vitest'), BOUNDARY],
  [
    'the index exports conformance',
    'packages/core/src/index.ts',
    "export { x } from './conformance/index.ts'\n",
    BOUNDARY,
  ],
  ['a folder without a layer', 'packages/core/src/extras/a.ts', importing('../storage/x.ts'), BOUNDARY],
  ['core imports node', 'packages/core/src/storage/node.ts', importing('node:fs'), BOUNDARY],
  [
    'core imports node on demand',
    'packages/core/src/storage/lazy.ts',
    "export const fs: unknown = await import('node:fs')\n",
    BOUNDARY,
  ],
  ['core imports an undeclared package', 'packages/core/src/storage/d.ts', importing('left-pad'), BOUNDARY],
  ['core imports a development dependency', 'packages/core/src/storage/e.ts', importing('fast-check'), BOUNDARY],
  ['a test of core imports a backend', 'packages/core/src/storage/a.test.ts', importing('@spillway/memory'), BOUNDARY],
  ['a suite of core imports a backend', 'packages/core/test/a.test.ts', importing('@spillway/file'), BOUNDARY],
  ['a backend imports another backend', 'packages/storage/file/src/a.ts', importing('@spillway/memory'), BOUNDARY],
  ['a backend imports the command line', 'packages/storage/file/src/b.ts', importing('@spillway/cli'), BOUNDARY],
  [
    'a backend reaches into core by path',
    'packages/storage/file/src/c.ts',
    importing('../../../core/src/index.ts'),
    BOUNDARY,
  ],
  ['a backend imports an undeclared SDK', 'packages/storage/memory/src/a.ts', importing('ioredis'), BOUNDARY],
  ['a test imports the command line', 'packages/storage/memory/src/a.test.ts', importing('@spillway/cli'), BOUNDARY],
  ['an adapter imports a backend', 'packages/adapters/mcp/src/a.ts', importing('@spillway/memory'), BOUNDARY],
  ['the server imports an adapter', 'packages/server/src/a.ts', importing('@spillway/mcp'), BOUNDARY],
  ['the inspector imports a backend', 'packages/inspector/src/a.ts', importing('@spillway/file'), BOUNDARY],
  ['the server imports the command line', 'packages/server/src/a.ts', importing('@spillway/cli'), BOUNDARY],
  ['an adapter for the edge imports node', 'packages/adapters/ai-sdk/src/a.ts', importing('node:fs'), BOUNDARY],
  ['files import retrieval', 'packages/core/src/files/a.ts', importing('../retrieval/x.ts'), BOUNDARY],
  ['the index of core exports files', 'packages/core/src/index.ts', "export { x } from './files/x.ts'\n", BOUNDARY],
  [
    'Buffer in core',
    'packages/core/src/content/buffer.ts',
    "export const bytes: unknown = Buffer.from('a')\n",
    'eslint(no-restricted-globals)',
  ],
  [
    'process in core',
    'packages/core/src/content/process.ts',
    'export const version: unknown = process.version\n',
    'eslint(no-restricted-globals)',
  ],
  ['console in a library', 'packages/storage/file/src/console.ts', "console.log('stored')\n", 'eslint(no-console)'],
  ['a default export', 'packages/core/src/content/default.ts', 'export default 1\n', 'import(no-default-export)'],
  [
    'an import cycle',
    'packages/core/src/content/cycle-a.ts',
    "import { b } from './cycle-b.ts'\nexport const a = (): unknown => b\n",
    'import(no-cycle)',
  ],
  [
    'instanceof StorageError',
    'packages/storage/file/src/instance.ts',
    "import { StorageError } from '@spillway/core'\nexport const is = (error: unknown): boolean => error instanceof StorageError\n",
    'spillway(no-instanceof-storage-error)',
  ],
  [
    'an empty catch',
    'packages/cli/src/empty.ts',
    'export function run(): void {\n  try {\n    JSON.parse("")\n  } catch {}\n}\n',
    'eslint(no-empty)',
  ],
  [
    'a catch that looks at nothing',
    'packages/cli/src/bare.ts',
    'export function run(): unknown {\n  try {\n    return JSON.parse("")\n  } catch {\n    return undefined\n  }\n}\n',
    'spillway(no-bare-catch)',
  ],
  [
    'a promise whose failure is swallowed',
    'packages/cli/src/swallow.ts',
    'export const run = (work: Promise<number>): Promise<unknown> => work.catch(() => undefined)\n',
    'spillway(no-bare-catch)',
  ],
  [
    'a promise that nobody awaits',
    'packages/cli/src/floating.ts',
    'async function work(): Promise<void> {}\nexport function run(): void {\n  work()\n}\n',
    'typescript(no-floating-promises)',
  ],
  ['an explicit any', 'packages/cli/src/any.ts', 'export const value = 1 as any\n', 'typescript(no-explicit-any)'],
  ['export *', 'packages/cli/src/all.ts', "export * from './any.ts'\n", 'spillway(no-export-all)'],
  [
    'a ts-ignore',
    'packages/cli/src/ignore.ts',
    '// @ts-ignore\nexport const one: string = 1\n',
    'typescript(ban-ts-comment)',
  ],
  ['a comment that begins with "What"', 'packages/cli/src/what.ts', documented('What one is.'), COMMENTS],
  ['a condition with "where"', 'packages/cli/src/where.ts', documented('Rejects where it is closed.'), COMMENTS],
  ['a sentence of 31 words', 'packages/cli/src/long.ts', documented(`Return${' one'.repeat(30)}.`), COMMENTS],
  ['British spelling', 'packages/cli/src/british.ts', documented('The colour of one.'), COMMENTS],
  ['an idiom', 'packages/cli/src/idiom.ts', documented('Return the very object.'), COMMENTS],
  ['a pronoun for a noun', 'packages/cli/src/those.ts', documented('Add the lines to those of the log.'), COMMENTS],
  ['a negated noun', 'packages/cli/src/none.ts', documented('Whether the text is no log.'), COMMENTS],
  ['a title with a condition by "where"', 'packages/cli/src/where.test.ts', titled('fails where one fails'), TITLES],
  ['a title with an idiom', 'packages/cli/src/idiom.test.ts', titled('keeps the value as it is'), TITLES],
  ['a title that begins with "that"', 'packages/cli/src/title.test.ts', titled('that is one is found'), TITLES],
  [
    'a title that begins with "what"',
    'packages/cli/src/case.ts',
    "export const one = { title: 'What is one' }\n",
    TITLES,
  ],
]

const ACCEPTED: readonly (readonly [path: string, source: string])[] = [
  ['packages/core/src/index.ts', "export { value } from './storage/value.ts'\n"],
  ['packages/text/src/lines/value.ts', "export { value } from '#platform'\n"],
  ['packages/previews/src/log/ok.ts', importing('@spillway/text/internal')],
  ['packages/core/src/retrieval/ok.ts', importing('../content/x.ts')],
  ['packages/text/src/json-path/ok.ts', importing('json-p3')],
  ['packages/core/src/offload/ok.ts', importing('../retrieval/x.ts')],
  ['packages/history/src/compact/ok.ts', importing('@spillway/core/internal')],
  ['packages/text/src/platform/node-worker.ts', importing('node:worker_threads')],
  ['packages/core/src/conformance/vitest.ts', importing('vitest')],
  ['packages/core/src/conformance/node-test.ts', importing('node:test')],
  [
    'packages/core/src/storage/ok.test.ts',
    importing('node:fs') + "import fc from 'fast-check'\nexport const check: unknown = fc\n",
  ],
  ['packages/core/src/adapter/ok.ts', importing('../offload/x.ts')],
  ['packages/core/src/files/ok.ts', importing('../content/x.ts')],
  ['packages/adapters/ai-sdk/test/ok.ts', importing('node:fs')],
  ['packages/storage/file/src/ok.ts', importing('@spillway/core')],
  ['packages/storage/file/src/disk.ts', importing('node:fs/promises')],
  ['packages/storage/file/src/ok.test.ts', importing('@spillway/core/conformance/vitest')],
  ['packages/cli/src/ok.ts', importing('@spillway/file')],
  ['packages/cli/src/print.ts', "console.log('stored')\n"],
  [
    'packages/cli/src/plain.ts',
    documented('The folder where `behaviour` is stored. Throws `TypeError` if it is missing.'),
  ],
  ['packages/cli/src/plain.test.ts', documented('What a comment of a test says.') + titled('finds what was stored')],
  [
    'packages/cli/src/callback.ts',
    'export const run = (on: Map<string, () => void>): unknown => on.set("a", () => {})\n',
  ],
  ['packages/cli/src/handled.ts', 'export function run(work: Promise<number>): void {\n  work.catch(() => {})\n}\n'],
  [
    'packages/cli/src/wrapped.ts',
    'export const run = (work: Promise<number>): Promise<unknown> => work.catch((error: unknown) => [error])\n',
  ],
  [
    'packages/cli/src/named.ts',
    'export function run(): unknown {\n  try {\n    return JSON.parse("")\n  } catch (error) {\n    if (error instanceof SyntaxError) return undefined\n    throw error\n  }\n}\n',
  ],
]

interface Diagnostic {
  readonly code: string
  readonly filename: string
}

/** Lint `files` in a separate workspace with the configuration and the package manifests of this workspace. */
async function lint(
  files: readonly (readonly [path: string, source: string])[],
  folder: string,
): Promise<Diagnostic[]> {
  const config = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as Record<string, unknown>
  const copied = ['package.json', 'pnpm-workspace.yaml', 'tsconfig.base.json']
  for (const name of [
    'text',
    'previews',
    'core',
    'history',
    'adapters/ai-sdk',
    'cli',
    'storage/file',
    'storage/memory',
  ])
    copied.push(`packages/${name}/package.json`)
  for (const path of copied) cpSync(join(ROOT, path), join(folder, path))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  config['jsPlugins'] = [join(ROOT, 'internal/lint/plugin.ts')]
  const written: (readonly [path: string, source: string])[] = [
    ...files,
    ['packages/core/src/content/cycle-b.ts', "import { a } from './cycle-a.ts'\nexport const b = (): unknown => a\n"],
    ['.oxlintrc.json', JSON.stringify(config)],
  ]
  for (const [path, source] of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), source)
  }
  const bin = join(ROOT, 'node_modules/oxlint/bin/oxlint')
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [bin, '--format', 'json', 'packages'],
      { cwd: folder, maxBuffer: 1e8 },
      (error, stdout, stderr) => {
        if (stdout.startsWith('{')) resolve(stdout)
        else reject(new Error(`oxlint failed: ${stdout}${stderr}`, { cause: error }))
      },
    )
  })
  return (JSON.parse(output) as { diagnostics: Diagnostic[] }).diagnostics
}

describe('lint', () => {
  const folders: string[] = []
  const found = new Map<string, string[]>()

  beforeAll(async () => {
    for (const files of [REFUSED.map(([, path, source]) => [path, source] as const), ACCEPTED]) {
      const folder = mkdtempSync(join(tmpdir(), 'spillway-lint-'))
      folders.push(folder)
      for (const { filename, code } of await lint(files, folder)) {
        const key = `${files === ACCEPTED ? 'accepted' : 'refused'}:${filename.replaceAll('\\', '/')}`
        found.set(key, [...(found.get(key) ?? []), code])
      }
    }
  })

  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it.each(REFUSED)('refuses %s', (_name, path, _source, rule) => {
    expect(found.get(`refused:${path}`)).toContain(rule)
  })

  it.each(ACCEPTED)('accepts code in %s', (path) => {
    expect(found.get(`accepted:${path}`) ?? []).toEqual([])
  })
})

it('no file disables a lint rule', () => {
  const tracked = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const directive = new RegExp(['(?:ox|es)lint', '-disable|@ts-(?:ignore|nocheck)'].join(''))
  const off = tracked.filter(
    (path) => path !== '' && path !== 'internal/lint/lint.test.ts' && existsSync(join(ROOT, path)),
  )
  expect(off.filter((path) => directive.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})
