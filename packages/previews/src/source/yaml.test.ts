import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import type { TextSubject } from '../previewer.ts'
import { sourcePreviewer } from './source-previewer.ts'
import { sourceSigns } from './source-signs.ts'

const intent = (path?: string): TextSubject['intent'] => ({ paths: path === undefined ? [] : [path], words: [] })
const preview = (text: string, budgetTokens: number, words: readonly string[] = []): Promise<string | undefined> =>
  previewWith(sourcePreviewer(), text, { budgetTokens, countTokens }, { intent: { paths: ['a.yaml'], words } })

describe('the outline of YAML', () => {
  it('shows outer keys first, with the right line numbers', async () => {
    const job = (index: number): string =>
      `  job-${index}:\n    runs-on: ubuntu-latest\n    steps:\n${`      - run: make ${index}\n`.repeat(12)}`
    const text = `name: ci\non: [push]\njobs:\n${Array.from({ length: 20 }, (_, index) => job(index)).join('')}`
    const shown = (await preview(text, 400))!
    expect(shown).toMatch(/^\[YAML, 303 lines, 303 keys\]/)
    expect(shown).toMatch(/^3(?:\|| )\s?jobs/m)
    const lines = text.split('\n')
    const jobs = [...shown.matchAll(/^(\d+)(?:\| +| )(job-\d+)/gm)]
    expect(jobs).toHaveLength(20)
    for (const [, number, name] of jobs) expect(lines[Number(number) - 1]).toBe(`  ${name}:`)
  })

  it('does not list the keys that every document of a stream has', async () => {
    const part = (index: number): string => `kind: Deployment\nmetadata:\n  name: app-${index}\nspec:\n  replicas: 2\n`
    const text = Array.from({ length: 60 }, (_, index) => part(index)).join('---\n')
    expect(await preview(text, 300)).not.toMatch(/^\d[\d, ]* (?:kind|metadata|spec)$/m)
  })

  it('shows the keys that the call looks for', async () => {
    const service = (index: number): string => `  service-${index}:\n    deploy:\n      image: app-${index}\n`
    const text = `services:\n${Array.from({ length: 200 }, (_, index) => service(index)).join('')}`
    const shown = (await preview(text, 200, ['app-150']))!
    expect(shown).toContain('      image: app-150')
    expect(shown).toContain('  service-150:')
  })
})

const WORKFLOW =
  'name: ci\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n'

const languageOf = (text: string, path?: string, contentType = 'text/plain'): string | undefined =>
  sourceSigns(subjectOf(text, { contentType, intent: intent(path) }))?.language

describe('YAML', () => {
  it.each([
    ['its lines', WORKFLOW, undefined, 'text/plain'],
    ['its path', WORKFLOW, '.github/workflows/ci.yml', 'text/plain'],
    ['its type', WORKFLOW, undefined, 'application/yaml'],
    [
      'lists at the indentation of their key',
      `steps:\n${'- a: 1\n  b:\n    c: 2\n'.repeat(9)}`,
      undefined,
      'text/plain',
    ],
  ])('is recognized by %s', (_, text, path, contentType) => {
    expect(languageOf(text, path, contentType)).toBe('yaml')
  })

  it.each([
    ['flat keys', 'a: 1\nb: 2\nc: 3\n'.repeat(20)],
    ['the headers of an HTTP response', 'HTTP/1.1 200 OK\nContent-Type: text/html\nDate: now\nServer: x\n'],
    ['a log that looks like YAML', 'INFO: start\nsteps:\n  - one: 1\nINFO: done\nDEBUG: x:\n  - y\n'.repeat(20)],
    ['a log with sections', '[INFO]\n[main] a = 1\n[INFO] Building a\n[INFO] b = 2\n'.repeat(20)],
    ['prose', 'Note: this is a text.\nIt has some lines, and a colon: here.\nAnd it ends.\n'.repeat(10)],
    ['JSON', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
  ])('is not recognized in %s', (_, text) => {
    expect(languageOf(text)).toBeUndefined()
  })
})
