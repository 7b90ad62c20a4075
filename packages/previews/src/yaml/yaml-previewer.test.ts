import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import type { TextSubject } from '../previewer.ts'
import { keyOf, opensText, recognizeYaml, yamlLine, yamlPreviewer } from './yaml-previewer.ts'

const preview = (text: string, budgetTokens = 300, subject: Partial<TextSubject> = {}): Promise<string | undefined> =>
  previewWith(yamlPreviewer(), text, { budgetTokens, countTokens }, subject)

/** That each numbered line of a preview is that line of the text. */
function expectRightNumbers(shown: string, text: string): void {
  const lines = text.split('\n')
  for (const line of shown.split('\n')) {
    const numbered = /^(\d+)\| (.*?)(?: \[.*)?$/.exec(line)
    if (numbered !== null) expect(lines[Number(numbered[1]) - 1]?.trimEnd().startsWith(numbered[2]!), line).toBe(true)
  }
}

const manifest = (kind: string, name: string): string =>
  `apiVersion: apps/v1\nkind: ${kind}\nmetadata:\n  labels:\n    app: ${name}\n  name: ${name}\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n${[1, 2, 3, 4, 5].map((index) => `        - name: c${index}\n          image: app:${index}\n`).join('')}`

describe('yamlPreviewer', () => {
  it('shows the kind, name and line of each of several documents', async () => {
    const names = Array.from({ length: 30 }, (_, index) => [`Kind${index % 3}`, `name-${index}`] as const)
    const text = names.map(([kind, name]) => manifest(kind, name)).join('---\n')
    const shown = (await preview(text, 700))!
    expect(shown).toMatch(/^\[YAML: 659 lines, 30 documents\]/)
    for (const [kind, name] of names) expect(shown).toContain(`| apiVersion: apps/v1 [${kind} ${name}]`)
    expectRightNumbers(shown, text)
  })

  it('shows outer keys first, with the lengths of lists', async () => {
    const job = (index: number): string =>
      `  job-${index}:\n    runs-on: ubuntu-latest\n    steps:\n${`      - run: make ${index}\n`.repeat(12)}`
    const text = `name: ci\non: [push]\njobs:\n${Array.from({ length: 20 }, (_, index) => job(index)).join('')}`
    const shown = (await preview(text, 400))!
    expect(shown).toContain('3| jobs:')
    for (let index = 0; index < 20; index++) expect(shown).toContain(`|   job-${index}:`)
    expect(shown).toContain('    steps: [12 items]')
    expectRightNumbers(shown, text)
  })

  it('accepts dashes at the indentation of their key', async () => {
    const shown = (await preview(`steps:\n${'- a: 1\n  b: 2\n'.repeat(50)}after: x\n`, 60))!
    expect(shown).toContain('1| steps: [50 items]')
    expect(shown).toContain('102| after: x')
    expect(shown).toContain('2 top-level keys')
  })

  it('does not read lines of a block text as keys', async () => {
    const text = `script: |\n${'  key: value\n\n'.repeat(30)}next: 1\n`
    const shown = (await preview(text, 60))!
    expect(shown).toContain('2 top-level keys')
    expect(shown).toContain('1| script: | [30 lines]')
    expect(shown).toContain('62| next: 1')
  })

  it('shows what the call looks for first, with the keys around it', async () => {
    const service = (index: number): string => `  service-${index}:\n    deploy:\n      image: app-${index}\n`
    const text = `services:\n${Array.from({ length: 200 }, (_, index) => service(index)).join('')}`
    const shown = (await preview(text, 120, { intent: { paths: [], words: ['app-150'] } }))!
    expect(shown).toContain('      image: app-150')
    expect(shown).toContain('  service-150:')
  })

  it('shows everything if everything fits', async () => {
    const text = 'a: 1\nb:\n  - x\n  - y\n\nc: |\n  text\n'
    expect(await preview(text, 500)).toBe(text.trimEnd())
  })

  it('takes bounded time for deep nesting', async () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `${' '.repeat(index % 1_000)}a:`).join('\n')
    const shown = (await preview(text, 200))!
    expect(shown).toContain('20,000 lines')
  })
})

const sureness = (text: string, path?: string, contentType = 'text/plain'): number =>
  recognizeYaml(subjectOf(text, { contentType, intent: { paths: path === undefined ? [] : [path], words: [] } }))

const WORKFLOW =
  'name: ci\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          npm ci\n          npm test\n'

describe('recognizeYaml', () => {
  it('recognizes YAML by its content, its path, and its type', () => {
    expect(sureness(WORKFLOW)).toBe(0.75)
    expect(sureness(`apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  x:\n    - b\n`)).toBe(0.85)
    expect(sureness(WORKFLOW, '.github/workflows/ci.yml')).toBe(0.92)
    expect(sureness(WORKFLOW, undefined, 'application/yaml')).toBe(0.95)
  })

  it.each([
    ['flat keys', 'a: 1\nb: 2\nc: 3\n'.repeat(20)],
    ['the headers of an answer', 'HTTP/1.1 200 OK\nContent-Type: text/html\nDate: now\nServer: x\n'],
    ['a log that looks like YAML', 'INFO: start\nsteps:\n  - one: 1\nINFO: done\nDEBUG: x:\n  - y\n'.repeat(20)],
    ['a log with sections', '[INFO]\n[main] a = 1\n[INFO] Building a\n[INFO] b = 2\n'.repeat(20)],
    ['Python', 'class A:\n    def f(self):\n        return 1\n    def g(self):\n        pass\n'.repeat(20)],
    ['prose', 'Note: this is a text.\nIt has some lines, and a colon: here.\nAnd it ends.\n'.repeat(10)],
    ['JSON', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['a log in a file of YAML', '2024-05-17T10:21:03 a: b\n'.repeat(30)],
  ])('does not recognize %s', (_, text) => {
    expect(sureness(text)).toBe(0)
  })

  it('ignores a file name that the content contradicts', () => {
    expect(sureness('int main() {\n  return 0;\n}\nvoid f() {\n}\n'.repeat(20), 'a.yaml')).toBe(0)
  })
})

describe('yamlLine', () => {
  it.each([
    ['name: x', 'key', 'name', 'x'],
    ['  "a b": 1', 'key', 'a b', '1'],
    ['/pets/{id}:', 'key', '/pets/{id}', ''],
    ['größe: 1', 'key', 'größe', '1'],
    ['- run: make', 'key', 'run', 'make'],
    ['- - a: 1', 'key', 'a', '1'],
    ['- plain', 'value', '', 'plain'],
    ['image: app:1.2 # c', 'key', 'image', 'app:1.2 # c'],
    ['http://a.b/c', 'value', '', 'http://a.b/c'],
    ['if (x): y', 'value', '', 'if (x): y'],
    ['a, b: c', 'value', '', 'a, b: c'],
  ])('reads %j', (line, kind, key, value) => {
    const read = yamlLine(line)
    expect([read.kind, keyOf(line, read), line.slice(read.valueStart)]).toEqual([kind, key, value])
  })

  it('recognizes documents and comments, and the position of dashes', () => {
    expect(['---', '--- # x', '...', '%YAML 1.2', '# a', '  # b'].map((line) => yamlLine(line).kind)).toEqual([
      'document',
      'document',
      'document',
      'document',
      'comment',
      'comment',
    ])
    expect(yamlLine('  - - a').dashes).toEqual([2, 4])
  })

  it.each(['run: |', 'run: >-', 'run: |2-', 'run: &a |', '- |', 'run: | # c'])(
    'recognizes %j as the start of a block text',
    (line) => {
      expect(opensText(line, yamlLine(line))).toBe(true)
    },
  )

  it.each(['run: a | b', 'run: a >', 'run:', 'a: &b'])('does not recognize %j as the start of a block text', (line) => {
    expect(opensText(line, yamlLine(line))).toBe(false)
  })

  it('takes bounded time for long lines that are almost keys', () => {
    const line = `a${' '.repeat(1_000_000)}`
    expect(yamlLine(`${line}b`)).toEqual(yamlLine('ab'))
  })
})
