import { describe, expect, it } from 'vitest'
import { toolIntent } from '../detect/tool-intent.ts'
import type { TextSubject } from '../previewer.ts'
import { sourceSigns } from './source-signs.ts'

function subject(start: string, input?: unknown, contentType = 'text/plain'): TextSubject {
  const toolName = 'tool'
  return { toolName, input, intent: toolIntent(toolName, input), contentType, start, isWhole: true }
}

const PYTHON = `import os
from a.b import c


class Store(Base):
    """Keeps things."""

    def open(self, path: str) -> None:
        if not path:
            raise ValueError("no path")
        self.file = os.open(path)


def main() -> None:
    Store().open("a")
`
const GO = `package main

import (
	"fmt"
)

func main() {
	for i := 0; i < 3; i++ {
		fmt.Println(i)
	}
}
`
const numbered = (text: string): string =>
  text
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .join('\n')

describe('source code', () => {
  it('is not recognized in a document with code, if the call names several files', () => {
    const document = `\`\`\`python\n${PYTHON}`
    expect(sourceSigns(subject(document, { path: 'a.py' }))).toMatchObject({ language: 'python' })
    expect(sourceSigns(subject(document, { paths: ['a.py', 'b.py'] }))).toBeUndefined()
  })

  it.each([
    ['by its path', PYTHON, { path: 'a.py' }, 'text/plain', 'python', 0.9],
    ['by its path, numbered', numbered(GO), { path: 'main.go' }, 'text/plain', 'go', 0.9],
    [
      'by the file that a command prints',
      PYTHON,
      { command: 'cd x && sed -n 1,40p a.py' },
      'text/plain',
      'python',
      0.9,
    ],
    ['by its content type', GO, undefined, 'text/x-go', 'go', 0.95],
    ['by its lines', PYTHON, undefined, 'text/plain', 'python', 0.7],
    ['by its lines, numbered', numbered(GO), undefined, 'text/plain', 'go', 0.8],
    [
      'by its first line',
      `#!/bin/sh\nset -e\nrun() {\n  echo "a"\n}\nrun "$1"\n`,
      undefined,
      'text/plain',
      'bash',
      0.7,
    ],
    [
      'by a path that the tool says',
      `Here is the file src/a.py:\n${numbered(PYTHON)}`,
      undefined,
      'text/plain',
      'python',
      0.9,
    ],
    [
      'in the tags of a tool',
      `<returncode>0</returncode>\n<output>\n${PYTHON}</output>`,
      undefined,
      'text/plain',
      'python',
      0.7,
    ],
  ])('is recognized %s', (_, text, input, contentType, language, least) => {
    const signs = sourceSigns(subject(text, input, contentType))
    expect(signs?.language).toBe(language)
    expect(signs?.sureness).toBeGreaterThanOrEqual(least)
  })

  it.each([
    ['a log', '2024-01-02T10:00:00Z INFO started\n2024-01-02T10:00:01Z INFO import done (3)\n'.repeat(20)],
    [
      'a stack trace',
      `Traceback (most recent call last):\n${'  File "a.py", line 3, in run\n    x = run()\n'.repeat(20)}`,
    ],
    ['the output of grep', 'src/a.py:3:def run(self):\nsrc/a.py:9:def main():\nsrc/b.py:1:import os\n'.repeat(9)],
    [
      'a diff',
      `diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-def a():\n+def b():\n${'+    return 1\n'.repeat(20)}`,
    ],
    ['prose', 'We import goods from many lands. A class of ships, for example, sails weekly.\n'.repeat(20)],
    ['Markdown around code', `# Plan\n\nDo this:\n\n\`\`\`python\n${PYTHON}\`\`\`\n`],
    ['a page', `<!doctype html>\n<html>\n<script>\nconst a = 1;\nfunction b() {\n}\nconst c = 2;\n</script>\n`],
    ['a listing of files', './a/b.py\n./a/c.py\n./main.go\n'.repeat(20)],
    [
      'errors of a compiler',
      'src/a.c:3:5: error: expected ;\n    int x\n        ^\nsrc/b.c:9:1: note: here\n'.repeat(9),
    ],
    [
      'a trace of system calls',
      '812 read(3, "", 832) = 0\n812 access("/etc/a", R_OK) = -1 ENOENT (No such file or directory)\n'.repeat(9),
    ],
    ['nothing', ''],
  ])('is not recognized in %s', (_, text) => {
    expect(sourceSigns(subject(text))).toBeUndefined()
  })

  it.each([
    [
      'git blame x.py',
      (line: string, at: number) => `a1b2c3d4${at % 9} (Ana Li 2026-11-26 10:00:00 +0000 ${at}) ${line}`,
    ],
    ['git blame x.py', (line: string, at: number) => `^1b2c3d4 (Ana Li 2026-11-26 10:00:00 +0000 ${at}) ${line}`],
    ['hg annotate x.py', (line: string, at: number) => `ana ${at % 7}: ${line}`],
    ['hg annotate -c x.py', (line: string, at: number) => `a1b2c3d4e5f${at % 9}: ${line}`],
  ])('is not recognized if each line has its revision, as in the output of %s', (command, write) => {
    const revisions = PYTHON.repeat(3).split('\n').map(write).join('\n')
    expect(sourceSigns(subject(revisions, { command }))).toBeUndefined()
    expect(sourceSigns(subject(revisions, { path: 'x.py' }))).toBeUndefined()
  })

  it('is not recognized in a log of SQL statements', () => {
    const statement = (at: number): string =>
      `# Query_time: ${at}.5  Rows_sent: 9\nuse shop;\nSELECT id FROM orders WHERE customer_id = ${at};\n`
    expect(sourceSigns(subject(Array.from({ length: 60 }, (_, at) => statement(at)).join('')))).toBeUndefined()
  })

  it("is not recognized in a program's output, even if the call has a path of source code", () => {
    const log = 'PASS test one\n  ok in 12 ms\nFAIL test two\n  12 was not 13\n'.repeat(20)
    expect(sourceSigns(subject(log, { command: 'cat a.py > /dev/null; pytest a.py' }))).toBeUndefined()
    expect(
      sourceSigns(subject('3:def run(self):\n9:def main():\n'.repeat(20), { command: 'grep -n def a.py' })),
    ).toBeUndefined()
  })
})
