import { describe, expect, it } from 'vitest'
import { subjectOf } from '../../test/preview-with.ts'
import { recognizeDiff } from './recognize-diff.ts'

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
      'in colours',
      `\u001b[1mdiff --git a/x.c b/x.c\u001b[m\n\u001b[36m@@ -1 +1 @@\u001b[m\n\u001b[31m-a\u001b[m\n\u001b[32m+b\u001b[m\n`,
    ],
    ['with CRLF', `diff --git a/x.c b/x.c\r\n${hunk.replaceAll('\n', '\r\n')}`],
    ['of a rename', 'diff --git a/x.c b/y.c\nsimilarity index 100%\nrename from x.c\nrename to y.c\n'],
    [
      'in a mail',
      `From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nSubject: [PATCH] Fix\n\n---\n x.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/x.c b/x.c\n${hunk}-- \n2.39.0\n`,
    ],
  ])('is sure of a diff %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThanOrEqual(0.9)
  })

  it('takes a diff after a few words', () => {
    expect(sureness(`The change:\n\ndiff --git a/x.c b/x.c\n${hunk}`)).toBeGreaterThanOrEqual(0.7)
  })

  it('takes the statistics of git', () => {
    const stat =
      ' src/a.ts | 12 +++++-----\n src/b.ts |  3 +--\n img.png  | Bin 0 -> 12 bytes\n 3 files changed, 7 insertions(+), 8 deletions(-)\n'
    expect(sureness(stat)).toBeGreaterThanOrEqual(0.8)
  })

  it.each([
    ['a list', '- one\n- two\n+ three\n'.repeat(50)],
    ['the difference that a test reports', 'FAIL a.test.ts\n- Expected\n+ Received\n\n- foo\n+ bar\n'.repeat(20)],
    ['a log with a diff in it', `${'INFO step done\n'.repeat(100)}${hunk}${'INFO step done\n'.repeat(100)}`],
    ['a log after a diff', `diff --git a/x.c b/x.c\n${hunk}${'INFO step done\n'.repeat(300)}`],
    ['a table of bars', 'name | 1\nother | 2\n'],
    ['front matter', '--- \ntitle: a\n---\n# b\n'],
  ])('is not sure of %s', (_, text) => {
    expect(sureness(text)).toBeLessThanOrEqual(0.3)
  })
})
