import { describe, expect, it } from 'vitest'
import { subjectOf } from '../../test/preview-with.ts'
import { recognizeMarkdown } from './recognize-markdown.ts'

const sureness = (text: string, path?: string, contentType = 'text/plain'): number =>
  recognizeMarkdown(subjectOf(text, { contentType, intent: { paths: path === undefined ? [] : [path], words: [] } }))

const REPORT =
  '## Summary\n\nThe build breaks since the last change to the parser.\n\n### Causes\n\n- **Lexer**: reads one token too many\n- The parser never asks for it\n\n```ts\nparse(text)\n```\n\nSee [the issue](https://a.b/c) for what was tried before.\n'

describe('recognizeMarkdown', () => {
  it('is sure of reports, also with numbers before their lines', () => {
    expect(sureness(REPORT)).toBeGreaterThanOrEqual(0.7)
    const numbered = REPORT.split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
      .join('\n')
    expect(sureness(numbered)).toBeGreaterThanOrEqual(0.7)
  })

  it('is surer where the type or the path says so', () => {
    expect(sureness(REPORT, undefined, 'text/markdown')).toBe(0.95)
    expect(sureness('# Title\n\nSome words of it.\n', 'docs/plan.md')).toBeGreaterThan(0.9)
  })

  it('does not believe a type that the content contradicts', () => {
    expect(sureness('int a;\nint b;\nreturn a;\n'.repeat(20), undefined, 'text/markdown')).toBe(0)
  })

  it.each([
    ['a log', '2024-05-17T10:21:03Z INFO - started\n2024-05-17T10:21:04Z INFO - **done**\n'.repeat(30)],
    ['Python', '# a comment\n\ndef f(x):\n    return [x](1)\n\n## another\nx = f(1)\ny = f(2)\n'.repeat(10)],
    ['a shell script', '#!/bin/sh\n# comment\nset -e\necho "a"\nfor f in *; do\n  rm $f\ndone\n'.repeat(10)],
    ['YAML', '# comment\nname: x\nsteps:\n  - run: a\n  - run: b\n'.repeat(20)],
    ['a table alone', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(100)}`],
    ['HTML', `<!doctype html>\n<html>\n<body>\n${'<p>words</p>\n'.repeat(50)}`],
    ['a list alone', '- one\n- two\n'.repeat(50)],
    ['compiler output', '# github.com/a/b\n./x.go:1:2: undefined: y\n./x.go:2:2: undefined: z\n'.repeat(20)],
  ])('leaves %s', (_, text) => {
    expect(sureness(text)).toBe(0)
  })
})
