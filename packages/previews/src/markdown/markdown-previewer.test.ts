import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import type { TextSubject } from '../previewer.ts'
import { markdownPreviewer, recognizeMarkdown } from './markdown-previewer.ts'

const preview = (text: string, budgetTokens = 300, subject: Partial<TextSubject> = {}): Promise<string | undefined> =>
  previewWith(markdownPreviewer(), text, { budgetTokens, countTokens }, subject)

const section = (index: number, words = 40): string =>
  `## Part ${index}\n\nPart ${index} begins so. ${'And it goes on like this. '.repeat(words)}\n`

describe('markdownPreviewer', () => {
  it('shows headings with their line numbers', async () => {
    const text = `# Report\n\n${Array.from({ length: 30 }, (_, index) => section(index)).join('\n')}`
    const shown = (await preview(text, 500))!
    const lines = text.split('\n')
    const headings = shown.split('\n').filter((line) => /^\d+\| #/.test(line))
    expect(headings.length).toBeGreaterThan(20)
    for (const line of headings) {
      const [number, heading] = line.split('| ') as [string, string]
      expect(lines[Number(number) - 1]).toBe(heading)
    }
    expect(shown).toMatch(/^\[Markdown: 121 lines, 31 headings\]/)
  })

  it('does not read two hyphens as the underline of a heading', async () => {
    const comments = Array.from(
      { length: 40 },
      (_, index) => `author: ada\nstatus: none\n--\nComment ${index} is here.\n--\n`,
    )
    const shown = await preview(`# Issue\n\n${section(1)}\n- one\n- two\n\n${comments.join('')}`)
    expect(shown).toMatch(/^\[Markdown: \d+ lines, 2 headings\]/)
  })

  it('shows the first releases of a long list of changes, and few repetitions of its titles', async () => {
    const release = (index: number): string =>
      `## [${200 - index}.0.0](https://example.com/compare/v${199 - index}.0.0...v${200 - index}.0.0)\n\n### Bug Fixes\n\n- Fix ${index}\n\n### Features\n\n- Add ${index}\n`
    const old = Array.from(
      { length: 100 },
      (_, index) => `## v0.${100 - index}\n\n### Bug Fixes\n\n- Repair ${index}\n`,
    )
    const shown = (await preview(
      [...Array.from({ length: 100 }, (_, index) => release(index)), ...old].join('\n'),
      600,
    ))!
    expect(shown).toMatch(/1\| ## \[200\.0\.0\][^]*\n\d+\| ## \[199\.0\.0\]/)
    const count = (pattern: RegExp): number => shown.match(pattern)!.length
    expect(count(/### (?:Bug Fixes|Features)/g)).toBeLessThan(count(/\| ## /g))
  })

  it('recognizes underlined headings, and does not mistake comments in code for headings', async () => {
    const text = `Title\n=====\n\n\`\`\`sh\n# a comment\n\`\`\`\n\nPart\n----\n\n${section(1)}`
    const shown = (await preview(text, 60))!
    expect(shown).toContain('3 headings')
    expect(shown).toContain('1| Title')
    expect(shown).toContain('8| Part')
  })

  it('shows the last underlined heading without earlier headings of the same level', async () => {
    const parts = Array.from({ length: 40 }, (_, index) => `Part ${index}\n-------\n\n${'And so on. '.repeat(40)}\n`)
    const shown = (await preview(`Title\n=====\n\n${parts.join('\n')}`, 40))!
    expect(shown.match(/\| Part \d+/g)).toContain('| Part 39')
    expect(shown).not.toContain('| Part 1\n')
  })

  it('ends a code block only at a matching fence', async () => {
    const text = `# A\n\n~~~~md\n\`\`\`\n# no heading\n~~~\n# none either\n~~~~\n\n# B\n\n${section(1)}`
    expect(await preview(text, 60)).toContain('3 headings')
  })

  it('counts the rows of tables', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => `| name ${index}     | ${index} |`).join('\n')
    const shown = (await preview(`# T\n\n| name | size |\n| --- | --- |\n${rows}\n\nAfter it.\n\n${section(1)}`, 100))!
    expect(shown).toContain('| name | size | [50 rows]')
  })

  it("removes a tool's line numbers, and gives line numbers of the file", async () => {
    const text = Array.from({ length: 10 }, (_, index) => section(index))
      .join('\n')
      .split('\n')
    const numbered = text.map((line, index) => `${String(index + 101).padStart(6)}\t${line}`).join('\n')
    const shown = (await preview(numbered, 200))!
    expect(shown).toContain('line 1 is 101 of the file')
    expect(shown).toContain('5| ## Part 1')
    expect(shown).not.toContain('\t')
  })

  it('keeps the last section, which has the conclusion', async () => {
    const text = `# Report\n\n${Array.from({ length: 60 }, (_, index) => section(index)).join('\n')}\n## Last\n\nShip it on Monday.\n`
    const shown = (await preview(text, 250))!
    expect(shown).toContain('## Last')
    expect(shown).toContain('Ship it on Monday.')
  })

  it("shows the code line that opens a block before the block's content", async () => {
    const code =
      '```ts\nimport a from "a"\n\nexport function start(options: Options) {\n' + '  a(1)\n'.repeat(200) + '}\n```\n'
    const shown = (await preview(`# Plan\n\n${section(1)}\n${code}\n${section(2)}`, 200))!
    expect(shown).toContain('export function start(options: Options) {')
  })

  it('shows lines with words of the call first', async () => {
    const parts = Array.from({ length: 80 }, (_, index) => section(index)).join('\n')
    const text = `${parts}\n## Later\n\nOnce more, the retention is ninety days.\n\n${parts}`
    const words = { intent: { paths: [], words: ['retention'] } }
    expect(await preview(text, 200, words)).toContain('the retention is ninety days')
  })

  it('distinguishes front matter from a rule on the first line', async () => {
    const shown = (await preview(`---\ntitle: Plan\ntags: [a]\n---\n\n# Plan\n\n${section(1)}`, 120))!
    expect(shown).toContain('title: Plan')
    expect(shown).toContain('2 headings')
    expect(await preview(`---\n\n# One\n\n${section(1)}\n# Two\n`, 80)).toContain('3 headings')
  })

  it('shows everything if everything fits', async () => {
    const text = '# A\n\nSome words.\n\n- one\n- two\n'
    expect(await preview(text, 500)).toBe('# A\n\nSome words.\n\n- one\n- two')
  })
})

const sureness = (text: string, path?: string, contentType = 'text/plain'): number =>
  recognizeMarkdown(subjectOf(text, { contentType, intent: { paths: path === undefined ? [] : [path], words: [] } }))

const REPORT =
  '## Summary\n\nThe build breaks since the last change to the parser.\n\n### Causes\n\n- **Lexer**: reads one token too many\n- The parser never asks for it\n\n```ts\nparse(text)\n```\n\nSee [the issue](https://a.b/c) for what was tried before.\n'

describe('recognizeMarkdown', () => {
  it('is certain of a report, with or without line numbers', () => {
    expect(sureness(REPORT)).toBeGreaterThanOrEqual(0.7)
    const numbered = REPORT.split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
      .join('\n')
    expect(sureness(numbered)).toBeGreaterThanOrEqual(0.7)
  })

  it('is more certain if the content type or the path confirms Markdown', () => {
    expect(sureness(REPORT, undefined, 'text/markdown')).toBe(0.95)
    expect(sureness('# Title\n\nSome words of it.\n', 'docs/plan.md')).toBeGreaterThan(0.9)
  })

  it('ignores a type that the content contradicts', () => {
    expect(sureness('int a;\nint b;\nreturn a;\n'.repeat(20), undefined, 'text/markdown')).toBe(0)
  })

  it.each([
    ['a log', '2024-05-17T10:21:03Z INFO - started\n2024-05-17T10:21:04Z INFO - **done**\n'.repeat(30)],
    ['Python', '# a comment\n\ndef f(x):\n    return [x](1)\n\n## another\nx = f(1)\ny = f(2)\n'.repeat(10)],
    ['a shell script', '#!/bin/sh\n# comment\nset -e\necho "a"\nfor f in *; do\n  rm $f\ndone\n'.repeat(10)],
    ['YAML', '# comment\nname: x\nsteps:\n  - run: a\n  - run: b\n'.repeat(20)],
    ['only a table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(100)}`],
    ['HTML', `<!doctype html>\n<html>\n<body>\n${'<p>words</p>\n'.repeat(50)}`],
    ['only a list', '- one\n- two\n'.repeat(50)],
    ['output between fences', `### State\n- URL: a\n- Title: b\n\`\`\`yaml\n${'- row [ref=e1]:\n'.repeat(90)}\`\`\`\n`],
    ['compiler output', '# github.com/a/b\n./x.go:1:2: undefined: y\n./x.go:2:2: undefined: z\n'.repeat(20)],
  ])('does not recognize %s', (_, text) => {
    expect(sureness(text)).toBe(0)
  })
})
