import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import type { TextSubject } from '../previewer.ts'
import { configKind, configPreviewer } from './config-previewer.ts'

const preview = (text: string, budgetTokens = 300, subject: Partial<TextSubject> = {}): Promise<string | undefined> =>
  previewWith(configPreviewer(), text, { budgetTokens, countTokens }, subject)
const named = (path: string): Partial<TextSubject> => ({ intent: { paths: [path], words: [] } })

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

describe('configPreviewer', () => {
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

  it('shows sections with the number of their keys', async () => {
    const text = Array.from(
      { length: 40 },
      (_, index) => `[section-${index}]\n${'key = 1\n'.repeat(index === 7 ? 30 : 3)}`,
    ).join('\n')
    const shown = (await preview(text, 400, named('a.ini')))!
    expect(shown).toMatch(/^\[config: \d+ lines, 40 sections, 147 keys\]/)
    expect(shown).toContain('| [section-7] [30 keys]')
    expect(shown).toContain('| [section-39]')
    expectRightNumbers(shown, text)
  })

  it('reads blocks in braces', async () => {
    const block = (index: number): string =>
      `resource "aws_instance" "web-${index}" {\n  ami = "a-${index}"\n  tags = {\n    n = ${index}\n  }\n}\n`
    const text = Array.from({ length: 30 }, (_, index) => block(index)).join('\n')
    const shown = (await preview(text, 500, named('main.tf')))!
    expect(shown).toMatch(/^\[config: 209 lines, 60 blocks, 60 keys\]/)
    for (let index = 0; index < 30; index++) expect(shown).toContain(`"web-${index}" {`)
    expectRightNumbers(shown, text)
  })

  it('reads files without sections', async () => {
    const text = Array.from({ length: 300 }, (_, index) => `KEY_${index}=value ${index}`).join('\n')
    const shown = (await preview(text, 200, named('.env')))!
    expect(shown).toContain('300 keys')
    expect(shown).toContain('KEY_0=value 0')
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

const kind = (text: string, path?: string, contentType = 'text/plain'): ReturnType<typeof configKind> =>
  configKind(subjectOf(text, { contentType, intent: { paths: path === undefined ? [] : [path], words: [] } }))

const WORKFLOW =
  'name: ci\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          npm ci\n          npm test\n'
const CARGO =
  '[package]\nname = "a"\nversion = "0.1.0"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\nlog = "0.4"\n'
const TERRAFORM =
  'resource "aws_instance" "web" {\n  ami = "a"\n  tags = {\n    Name = "b"\n  }\n}\n\nvariable "region" {\n  default = "x"\n}\n\nmodule "net" {\n  source = "./net"\n}\n\noutput "ip" {\n  value = "y"\n}\n\ndata "a" "b" {\n  c = 1\n}\n'

describe('configKind', () => {
  it('recognizes nesting by the content alone', () => {
    expect(kind(WORKFLOW)).toMatchObject({ dialect: 'indented', sureness: 0.75 })
    expect(kind(CARGO)).toMatchObject({ dialect: 'sections', sureness: 0.8 })
    expect(kind(TERRAFORM)).toMatchObject({ dialect: 'braces', sureness: 0.8 })
    expect(kind(`apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  x:\n    - b\n`).sureness).toBeGreaterThan(
      0.8,
    )
  })

  it('is more certain if the path or the type confirms it', () => {
    expect(kind(WORKFLOW, '.github/workflows/ci.yml').sureness).toBe(0.92)
    expect(kind(WORKFLOW, undefined, 'application/yaml').sureness).toBe(0.95)
    expect(kind('A=1\nB=2\nC=3\n', '.env.local')).toEqual({ sureness: 0.92, dialect: 'sections' })
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
    expect(kind(text).sureness).toBe(0)
  })

  it('ignores a file name that the content contradicts', () => {
    expect(kind('int main() {\n  return 0;\n}\nvoid f() {\n}\n'.repeat(20), 'a.yaml').sureness).toBe(0)
  })
})
