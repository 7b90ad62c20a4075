import { cleanLine, countOf, formatCount } from '@spillway/text/internal'
import { writePreview } from '../layout/write-preview.ts'
import { hiddenOf } from '../layout/gap-marks.ts'
import type { Item } from '../layout/preview-model.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject, WritePreview } from '../previewer.ts'
import { DiffReader } from './diff-reader.ts'

/** Shares of the budget for files, hunks, and other lines. Unused tokens are added to the other shares. */
const SHARES = [0.4, 0.5, 0.1]
/** The same for several commits, whose subjects say what changed. */
const SERIES_SHARES = [0.3, 0.4, 0.3]

/**
 * Previews a diff: its files with the counts of changed lines, then hunks by weight. Within a hunk, changed lines come
 * first.
 *
 * Reads unified and combined diffs of git, Subversion, Mercurial, and `diff -u`, with commit messages or mails, and
 * `git diff --stat`. A file's header becomes one line. Generated files come last. Files that the tool call names come
 * first.
 */
export function diffPreviewer(): TextPreviewer {
  return { name: 'diff', previews: 'text', recognize: recognizeDiff, read: readDiff }
}

function readDiff({ intent }: TextSubject): ReturnType<TextPreviewer['read']> {
  const reader = new DiffReader([...intent.paths, ...intent.words])
  const lines = new RawLines((line) => reader.push(line))
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const items = reader.finish()
      return reader.fileStarts.length + reader.statFiles === 0 ? undefined : writerOf(reader, items, lines.count)
    },
  }
}

function writerOf(reader: DiffReader, items: readonly Item[], lines: number): WritePreview {
  const { fileStarts, hunkStarts } = reader
  const header = headerOf(reader, lines)
  return (options) =>
    writePreview(
      {
        items,
        lines,
        header,
        alwaysHeader: true,
        shares: reader.commits > 1 ? SERIES_SHARES : SHARES,
        lineShare: 0.12,
        endShare: 0,
        hidden: (from, to) =>
          [...hiddenOf(fileStarts, 'file', from, to), ...hiddenOf(hunkStarts, 'hunk', from, to)].join(', '),
      },
      options,
    )
}

function headerOf({ commits, fileStarts, added, removed, statFiles }: DiffReader, lines: number): string {
  const commitCount = commits > 1 ? [countOf(commits, 'commit')] : []
  if (fileStarts.length === 0)
    return `diffstat: ${[...commitCount, countOf(statFiles, 'file'), countOf(lines, 'line')].join(', ')}`
  const counts = [...commitCount, countOf(fileStarts.length, 'file'), `+${formatCount(added)} −${formatCount(removed)}`]
  return `diff: ${counts.join(', ')}; ${countOf(lines, 'line')}`
}

const TYPES: ReadonlySet<string> = new Set(['text/x-diff', 'text/x-patch', 'text/diff', 'application/x-patch'])
/** Number of lines allowed before a diff, for example of a commit message. */
const BEFORE = 60
const LAST = 40
const FILE = /^(?:diff --(?:git|cc|combined) \S|diff -\S+ .|Index: \S)/
const HUNK = /^@@+ -\d+(?:,\d+)? .*@@/
/** Starts of lines in a diff: of its content, its headers, and messages. */
const LINE =
  /^(?:[-+ \\@]|diff |index |Index: |={60}|(?:new|old|deleted) (?:file )?mode |(?:rename|copy) (?:from|to) |(?:dis)?similarity index |Binary files? |GIT binary patch|(?:literal|delta) \d|[A-Za-z@-z][!-~]{30,}$|commit [0-9a-f]{7,}|Author|Merge: |Date: |From |From: |Subject: |To: |Only in |Property changes on: |Added: |___|changeset: |user: |date: |summary: |# )/
const STAT = /^ \S.* \| +(?:\d+ ?[-+]*|Bin .*)$/

export function recognizeDiff({ contentType, start, end }: TextSubject): number {
  const escaped = start.includes('\u001b')
  const lines = start
    .split('\n')
    .map((line) => (escaped ? cleanLine(line) : line.endsWith('\r') ? line.slice(0, -1) : line))
  const first = lines.findIndex((line, index) => startsDiff(lines, line, index))
  if (first < 0) return recognizeStat(lines)
  const before = lines.slice(0, first).filter((line) => line !== '')
  // Lines before a diff belong to the diff if they are a commit, a mail, statistics, or just a few.
  const known = before.filter((line) => LINE.test(line) || STAT.test(line)).length
  if (before.length > BEFORE || before.length - known > 5) return 0
  const sample = lines.slice(first, -1)
  const own = sample.filter((line) => line === '' || LINE.test(line)).length
  if (sample.length - own > Math.max(2, sample.length * 0.05)) return 0
  const changes = sample.some(
    (line) => HUNK.test(line) || line.startsWith('Binary') || /^(?:new|deleted|rename)/.test(line),
  )
  if (!changes) return 0
  if (end !== undefined && !endsLikeDiff(end)) return 0.3
  return TYPES.has(contentType) ? 0.97 : known === before.length ? 0.93 : 0.8
}

function startsDiff(lines: readonly string[], line: string, index: number): boolean {
  if (FILE.test(line)) return true
  return line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true && HUNK.test(lines[index + 2] ?? '')
}

function endsLikeDiff(end: string): boolean {
  const lines = end.split('\n').slice(1).slice(-LAST).map(cleanLine)
  const own = lines.filter((line) => line === '' || LINE.test(line) || STAT.test(line)).length
  return own >= lines.length - Math.max(3, lines.length * 0.15)
}

function recognizeStat(lines: readonly string[]): number {
  const filled = lines.filter((line) => line.trim() !== '')
  const stats = filled.filter((line) => STAT.test(line)).length
  return stats >= 3 && stats >= (filled.length - 2) * 0.9 ? 0.85 : 0
}
