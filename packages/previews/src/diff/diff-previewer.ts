import { writePreview } from '../layout/write-preview.ts'
import { formatCount } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { hiddenOf } from '../layout/count-between.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject, WritePreview } from '../previewer.ts'
import type { DiffOutline } from './diff-outline.ts'
import { DiffReader } from './diff-reader.ts'
import { recognizeDiff } from './recognize-diff.ts'

/** Shares of the budget: of files, of hunks, and of what stands between. What one does not need goes to the others. */
const SHARES = [0.4, 0.5, 0.1]

/**
 * Preview a diff: its files with what was added and removed in each, then hunks by weight, changed lines before those
 * around them.
 *
 * Reads unified and combined diffs as git, Subversion, Mercurial and `diff -u` write them, also after the messages of
 * commits, as mails, and `git diff --stat`. The header of a file is written as one line: its path, its counts, and whether
 * it is new, deleted, renamed or binary. Files that tools write, such as lock files, come last; files that the tool call
 * names come first.
 */
export function diffPreviewer(): TextPreviewer {
  return {
    name: 'diff',
    previews: 'text',
    recognize: recognizeDiff,
    read: readDiff,
  }
}

function readDiff({ intent }: TextSubject): ReturnType<TextPreviewer['read']> {
  const reader = new DiffReader([...intent.paths, ...intent.words])
  const lines = new RawLines((line) => reader.push(line))
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const outline = reader.finish()
      return outline.files + outline.statFiles === 0 ? undefined : writerOf(outline, lines.count)
    },
  }
}

function writerOf(outline: DiffOutline, lines: number): WritePreview {
  const { items, fileStarts, hunkStarts } = outline
  const header = headerOf(outline, lines)
  return (options) =>
    writePreview(
      {
        items,
        lines,
        header,
        alwaysHeader: true,
        shares: SHARES,
        lineShare: 0.12,
        endShare: 0,
        hidden: (from, to) =>
          [...hiddenOf(fileStarts, 'file', from, to), ...hiddenOf(hunkStarts, 'hunk', from, to)].join(', '),
      },
      options,
    )
}

function headerOf({ commits, files, added, removed, statFiles }: DiffOutline, lines: number): string {
  const commitCount = commits > 1 ? [countOf(commits, 'commit')] : []
  if (files === 0)
    return ['diffstat: ', [...commitCount, countOf(statFiles, 'file'), countOf(lines, 'line')].join(', ')].join('')
  const counts = [...commitCount, countOf(files, 'file'), `+${formatCount(added)} −${formatCount(removed)}`]
  return `diff: ${counts.join(', ')}; ${countOf(lines, 'line')}`
}
