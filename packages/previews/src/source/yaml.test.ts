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

  it('has the kind and the name of each document of a stream, if all documents have a kind', async () => {
    const kinds = ['ConfigMap', 'Service', 'Deployment']
    const part = (index: number): string =>
      `apiVersion: v1\nkind: ${kinds[index % 3]}\nmetadata:\n  name: app-${index}\nspec:\n  size: 1\n  parts: 2\n  team: a\n  zone: b\n`
    const stream = Array.from({ length: 60 }, (_, index) => part(index)).join('---\n')
    const shown = (await preview(stream, 300))!
    expect(shown).toMatch(/^\[YAML, 599 lines, 60 documents, /)
    expect(shown).toMatch(/^12 Service app-1\n22 Deployment app-2$/m)
    expect(await preview(`${stream}---\nname: other\n`, 300)).not.toContain('documents')
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

describe('the preview of a YAML list', () => {
  const pods = (count: number): string => {
    const pod = (index: number): string =>
      `- kind: Pod\n  metadata:\n    labels:\n      app: shop\n    name: pod-${index}\n    uid: ${index * 7919}\n  status:\n    state:\n` +
      (index === 17 ? '      waiting:\n        reason: CrashLoopBackOff\n' : '      running:\n        since: noon\n') +
      `    restarts: ${index === 17 ? 47 : 0}\n`
    return `apiVersion: v1\nitems:\n${Array.from({ length: count }, (_, index) => pod(index)).join('')}kind: List\n`
  }

  it.each([30, 400])(
    'shows the number of %s items, and the lines of the item that is unlike the others',
    async (count) => {
      const text = pods(count)
      const shown = (await preview(text, 200))!
      expect(shown).toMatch(new RegExp(`^2(?:\\||) items:? \\[${count} items\\]$`, 'm'))
      const lines = text.split('\n')
      for (const line of ['    name: pod-17', '        reason: CrashLoopBackOff', '    restarts: 47'])
        expect(shown).toContain(`\n${lines.indexOf(line) + 1}| ${line}\n`)
      expect(shown).not.toMatch(/(?:Pod|metadata:) \[/)
    },
  )

  it('shows the key of the entry that is unlike the others, and unique values around the list', async () => {
    const path = (index: number): string =>
      `  /path/${index}:\n    get:\n      summary: Reads ${index}\n      tags: [main]\n${index === 44 ? '      deprecated: true\n' : ''}`
    const text = `openapi: 3.1.0\ninfo:\n  title: Shop\n  version: 4.2.0\npaths:\n${Array.from({ length: 60 }, (_, index) => path(index)).join('')}`
    const shown = (await preview(text, 200))!
    for (const line of [
      '  title: Shop',
      '  version: 4.2.0',
      'paths: [60 items]',
      '  /path/44:',
      '      deprecated: true',
    ])
      expect(shown).toContain(line)
  })

  it('shows the name of the document that is unlike the others, even if an unusual key is around the name', async () => {
    const part = (index: number): string =>
      `kind: ${index === 20 ? 'DaemonSet' : 'Deployment'}\n${index === 20 ? 'own' : 'metadata'}:\n  name: app-${index}\nspec:\n  replicas: 2\n`
    const text = Array.from({ length: 60 }, (_, index) => part(index)).join('---\n')
    const shown = (await preview(text, 200))!
    for (const line of ['kind: DaemonSet', 'own:', '  name: app-20']) expect(shown).toContain(line)
  })

  it('needs little time for deep nesting', async () => {
    const text = `${Array.from({ length: 1_900 }, (_, index) => `${' '.repeat(index)}k${index % 99}:`).join('\n')}\n`
    expect(await preview(text + 'a: 1\n'.repeat(9_000), 200)).toMatch(/^\[YAML/)
  }, 10_000)
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
