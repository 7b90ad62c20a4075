import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import { diffPreviewer, recognizeDiff } from './diff-previewer.ts'

const preview = (text: string, budgetTokens = 400, paths: readonly string[] = []): Promise<string | undefined> =>
  previewWith(diffPreviewer(), text, { budgetTokens }, { intent: { paths, words: [] } })

const fileOf = (path: string, lines: readonly string[]): string => {
  const count = (mark: string): number => lines.filter((line) => !line.startsWith(mark)).length
  return `diff --git a/${path} b/${path}\nindex 1234567..89abcde 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,${count('+')} +1,${count('-')} @@ fn\n${lines.join('\n')}\n`
}

describe('diffPreviewer', () => {
  it('shows each file with its counts and its line, and the diff header as one line', async () => {
    const text = fileOf('src/a.ts', [' a', '-b', '+c', '+d']) + fileOf('src/b.ts', ['-x', '+y'])
    expect(await preview(text)).toBe(
      [
        '[diff: 2 files, +3 −2; 16 lines]',
        '1| src/a.ts [+2 −1]',
        '5| @@ -1,2 +1,3 @@ fn',
        ' a',
        '-b',
        '+c',
        '+d',
        '10| src/b.ts [+1 −1]',
        '14| @@ -1,1 +1,1 @@ fn',
        '-x',
        '+y',
      ].join('\n'),
    )
  })

  it.each(['-', '+'])('prefers changed lines to context: %s', async (mark) => {
    const context = Array.from({ length: 300 }, (_, index) => ` const value${index} = read(${index})`)
    const lines = [...context.slice(0, 200), `${mark}const changed = true`, ...context.slice(200)]
    expect(await preview(fileOf('a.ts', lines), 150)).toContain(`${mark}const changed = true`)
  })

  it('leaves out the header of the only hunk of a new file', async () => {
    const file = 'diff --git a/new.ts b/new.ts\nnew file mode 100644\nindex 000..123\n--- /dev/null\n+++ b/new.ts'
    expect(await preview(`${file}\n@@ -0,0 +1,2 @@\n+a\n+b\n${fileOf('src/b.ts', ['-x', '+y'])}`)).toContain(
      '\n1| new.ts [+2, new]\n7| +a\n+b\n9| src/b.ts [+1 −1]\n',
    )
  })

  it('says whether files were added, deleted or renamed', async () => {
    const text = [
      'diff --git a/old.ts b/lib/new.ts\nsimilarity index 90%\nrename from old.ts\nrename to lib/new.ts',
      'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755',
      'diff --git a/logo.png b/logo.png\nnew file mode 100644\nindex 000..123\nBinary files /dev/null and b/logo.png differ',
      'diff --git a/gone.c b/gone.c\ndeleted file mode 100644\nindex 1..0\n--- a/gone.c\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-int x;\n\\ No newline at end of file',
    ].join('\n')
    const shown = await preview(text)
    expect(shown).toContain('1| lib/new.ts [renamed from old.ts]')
    expect(shown).toContain('5| run.sh [mode 100755]')
    expect(shown).toContain('8| logo.png [new, binary]')
    expect(shown).toContain('12| gone.c [−1, deleted]')
    expect(shown).toContain('[diff: 4 files, +0 −1; 19 lines]')
  })

  it("counts lines that look like headers as content if the hunk's header includes them", async () => {
    const text =
      'diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n x\n'
    expect(await preview(text)).toContain('[diff: 1 file, +1 −1')
  })

  it('reads diffs with several parents', async () => {
    const text = 'diff --cc x.c\nindex 1,2..3\n--- a/x.c\n+++ b/x.c\n@@@ -1,2 -1,2 +1,3 @@@ main\n  a\n +b\n++c\n- d\n'
    expect(await preview(text)).toContain('1| x.c [+2 −1]')
  })

  it('shows changes of sources before changes of lock files', async () => {
    const lock = fileOf(
      'pnpm-lock.yaml',
      Array.from({ length: 400 }, (_, index) => `+  package-${index}: 1.0.${index}`),
    )
    const text = lock + fileOf('src/fix.ts', [' before', '-wrong(value)', '+right(value)', ' after'])
    const shown = await preview(text, 150)
    expect(shown).toContain('pnpm-lock.yaml [+400]')
    expect(shown).toContain('+right(value)')
    expect(shown).toMatch(/\[… \d+ lines/)
  })

  it('shows the files that the call names first', async () => {
    const text = Array.from({ length: 200 }, (_, index) =>
      fileOf(`src/part-${index}.ts`, [`-old${index}`, `+new${index}`]),
    ).join('')
    const shown = await preview(text, 150, ['src/part-150.ts'])
    expect(shown).toContain('+new150')
  })

  it('says how many files and hunks a gap hides', async () => {
    const text = Array.from({ length: 100 }, (_, index) =>
      fileOf(`src/part-${index}.ts`, [`-old${index}`, `+new${index}`]),
    ).join('')
    const shown = await preview(text, 60)
    expect(shown).toMatch(/\[… [\d,]+ lines(?:, \d+ files?, \d+ hunks?|, all but these \d+)\]/)
  })

  it('counts commits and shows their messages', async () => {
    const commit = (index: number): string =>
      `commit ${String(index).repeat(40)}\nAuthor: A <a@b.c>\nDate:   Fri May 17\n\n    Message ${index}\n\n${fileOf('a.c', ['-a', '+b'])}`
    const shown = await preview(Array.from({ length: 9 }, (_, index) => commit(index + 1)).join('\n'), 300)
    expect(shown).toContain('[diff: 9 commits, 9 files, +9 −9')
    expect(shown).toContain('    Message 1')
  })

  it('shows the subjects of a series of patches, and not the fields of the mails', async () => {
    const patch = (_: unknown, index: number): string =>
      `From ${String(index).repeat(40)} Mon Sep 17 00:00:00 2001\nFrom: Maintainers of the project\n <people@example.com>\n` +
      `Date: Mon, 30 Nov 2026\nSubject: [PATCH ${index}/9] Change number ${index} of the parser\n\n---\n` +
      ` src/file${index}.ts | 8 ++++----\n 1 file changed, 4 insertions(+), 4 deletions(-)\n\n` +
      fileOf(`src/file${index}.ts`, ['-a', '+b', '-c', '+d', '-e', '+f', '-g', '+h'])
    const shown = await preview(Array.from({ length: 10 }, patch).join(''), 800)
    expect(shown?.match(/^\d+\| Subject: .* of the parser$/gm)?.length).toBeGreaterThan(7)
    expect(shown).not.toContain('people@example.com')
  })

  it('shows the largest changes of diff statistics, and their sum', async () => {
    const stats = Array.from(
      { length: 300 },
      (_, index) => ` src/part-${index}.ts | ${index === 170 ? 900 : 2} +-`,
    ).join('\n')
    const shown = await preview(`${stats}\n 300 files changed, 1200 insertions(+), 300 deletions(-)\n`, 100)
    expect(shown).toMatch(/^\[diffstat: 300 files, 301 lines\]/)
    expect(shown).toContain('src/part-170.ts | 900')
    expect(shown).toContain(' 300 files changed')
  })

  it('leaves a text without files to other previewers', async () => {
    expect(await preview('only words\n')).toBeUndefined()
  })

  it('counts exactly the added and removed lines', async () => {
    const change = fc.constantFrom(' same', '-removed', '+added', '-', '+', ' ')
    const files = fc.array(fc.array(change, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        const text = all.map((lines, index) => fileOf(`f${index}.ts`, lines)).join('')
        const count = (mark: string): number => all.flat().filter((line) => line.startsWith(mark)).length
        const header = `[diff: ${all.length} file${all.length === 1 ? '' : 's'}, +${count('+')} −${count('-')}; `
        expect((await preview(text))?.startsWith(header)).toBe(true)
      }),
    )
  })
})

const sureness = (text: string): number => recognizeDiff(subjectOf(text))
const hunk = '--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,2 @@ int main\n int a;\n-int b;\n+int c;\n'

describe('recognizeDiff', () => {
  it.each([
    ['of git', `diff --git a/x.c b/x.c\nindex 1234567..89abcde 100644\n${hunk}`],
    ['of diff -u', hunk],
    [
      'of Subversion',
      `Index: x.c\n${'='.repeat(67)}\n--- x.c\t(revision 1)\n+++ x.c\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n`,
    ],
    [
      'of Mercurial',
      `diff -r 0123456789ab x.c\n--- a/x.c\tFri May 17 10:21:00 2024 +0000\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n`,
    ],
    [
      'of git show',
      `commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b.c>\nDate:   Fri May 17\n\n    Fix it\n\ndiff --git a/x.c b/x.c\n${hunk}`,
    ],
    ['of two parents', 'diff --cc x.c\nindex 1,2..3\n--- a/x.c\n+++ b/x.c\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n +b\n++c\n'],
    [
      'in colors',
      `\u001b[1mdiff --git a/x.c b/x.c\u001b[m\n\u001b[36m@@ -1 +1 @@\u001b[m\n\u001b[31m-a\u001b[m\n\u001b[32m+b\u001b[m\n`,
    ],
    ['with CRLF', `diff --git a/x.c b/x.c\r\n${hunk.replaceAll('\n', '\r\n')}`],
    ['of a rename', 'diff --git a/x.c b/y.c\nsimilarity index 100%\nrename from x.c\nrename to y.c\n'],
    [
      'in a mail',
      `From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nSubject: [PATCH] Fix\n\n---\n x.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/x.c b/x.c\n${hunk}-- \n2.39.0\n`,
    ],
  ])('is certain of a diff %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThanOrEqual(0.9)
  })

  it('recognizes a diff after a few words', () => {
    expect(sureness(`The change:\n\ndiff --git a/x.c b/x.c\n${hunk}`)).toBeGreaterThanOrEqual(0.7)
  })

  it('recognizes the statistics of git', () => {
    const stat =
      ' src/a.ts | 12 +++++-----\n src/b.ts |  3 +--\n img.png  | Bin 0 -> 12 bytes\n 3 files changed, 7 insertions(+), 8 deletions(-)\n'
    expect(sureness(stat)).toBeGreaterThanOrEqual(0.8)
  })

  it.each([
    ['a list', '- one\n- two\n+ three\n'.repeat(50)],
    [
      'the expected and received values of a failed test',
      'FAIL a.test.ts\n- Expected\n+ Received\n\n- foo\n+ bar\n'.repeat(20),
    ],
    ['a log with a diff in it', `${'INFO step done\n'.repeat(100)}${hunk}${'INFO step done\n'.repeat(100)}`],
    ['a log after a diff', `diff --git a/x.c b/x.c\n${hunk}${'INFO step done\n'.repeat(300)}`],
    ['a table with vertical bars', 'name | 1\nother | 2\n'],
    ['front matter', '--- \ntitle: a\n---\n# b\n'],
  ])('is not certain of %s', (_, text) => {
    expect(sureness(text)).toBeLessThanOrEqual(0.3)
  })
})
