import { formatCount } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { checkedShares } from '../layout/checked-shares.ts'
import { hiddenOf } from '../layout/count-between.ts'
import { writeItems } from '../layout/items-preview.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject, WritePreview } from '../previewer.ts'
import type { DiffOutline } from './diff-outline.ts'
import { DiffReader } from './diff-reader.ts'
import { recognizeDiff } from './recognize-diff.ts'

/** How the budget of a preview of a diff is shared; what a part does not need goes to the others. */
export interface DiffPreviewShares {
  /** The files, each with its line number and counts. */
  readonly files: number
  /** Hunks with their added and removed lines. */
  readonly changes: number
  /** Messages of commits, statistics, and whatever else stands between. */
  readonly text: number
}

/** Options of {@link diffPreviewer}. */
export interface DiffPreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to files 0.4, changes 0.5, text 0.1. */
  readonly shares?: Partial<DiffPreviewShares> | undefined
}

const SHARES: DiffPreviewShares = { files: 0.4, changes: 0.5, text: 0.1 }

/**
 * Preview a diff: its files with what was added and removed in each, then hunks by weight, changed lines before those
 * around them.
 *
 * Reads unified and combined diffs as git, Subversion, Mercurial and `diff -u` write them, also after the messages of
 * commits, as mails, and `git diff --stat`. The header of a file is written as one line: its path, its counts, and whether
 * it is new, deleted, renamed or binary. Files that tools write, such as lock files, come last; files that the tool call
 * names come first.
 *
 * @example
 * ```ts
 * import { diffPreviewer, previewText } from '@spillway/previews'
 *
 * const file = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old ${name}\n+new ${name}\n`
 * const text = Array.from({ length: 200 }, (_, index) => file(`src/part-${index}.ts`)).join('')
 * const preview = await previewText(text, { budgetTokens: 300, previewers: [diffPreviewer()] })
 * console.assert(preview.startsWith('[diff: 200 files, +200 −200'))
 * ```
 */
export function diffPreviewer(options: DiffPreviewerOptions = {}): TextPreviewer {
  const { files, changes, text } = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'diff',
    previews: 'text',
    recognize: recognizeDiff,
    read: (subject) => readDiff(subject, [files, changes, text]),
  }
}

function readDiff({ intent }: TextSubject, shares: readonly number[]): ReturnType<TextPreviewer['read']> {
  const reader = new DiffReader([...intent.paths, ...intent.words])
  const lines = new RawLines((line) => reader.push(line))
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const outline = reader.finish()
      return outline.files + outline.statFiles === 0 ? undefined : writerOf(outline, lines.count, shares)
    },
  }
}

function writerOf(outline: DiffOutline, lines: number, shares: readonly number[]): WritePreview {
  const { items, fileStarts, hunkStarts } = outline
  const header = headerOf(outline, lines)
  return (options) =>
    writeItems(
      {
        items,
        lines,
        header,
        alwaysHeader: true,
        shares,
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
