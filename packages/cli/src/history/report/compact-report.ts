import { basename } from 'node:path'
import { countOf, formatBytes, formatCount, printable, style } from '../../output.ts'
import type { Compacted } from '../compact-transcript.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { describeObstacles } from './message-row.ts'

/** Describe a compaction for people: token counts, and the reasons why a history exceeds its limit. */
export function compactReport(transcript: Transcript, compacted: Compacted, output: string | undefined): string {
  const lines = [heading(transcript), ...conclusion(compacted), ...whereTo(compacted, output)]
  return lines.map((line) => `${line}\n`).join('')
}

function heading({ path, format, layout, messages, lines, size, notes }: Transcript): string {
  const where = layout.kind === 'document' ? '' : ` on ${countOf(lines, 'line')}`
  const what = `${printable(basename(path))}: ${format.title}, ${countOf(messages.length, 'message')}${where}, ${formatBytes(size)}.`
  return [what, ...notes].join(' ')
}

function conclusion({ outcome, rows, noSummary }: Compacted): readonly string[] {
  const { before, after, limit } = outcome.tokens
  if (before <= limit)
    return [`${formatCount(before)} tokens: within the limit of ${formatCount(limit)}. Nothing needs to be done.`]
  const [isSame, room] = [outcome.applied.length === 0, `the limit of ${formatCount(limit)}`]
  const change = isSame
    ? `${formatCount(before)} tokens, and nothing that could be removed`
    : `${formatCount(before)} tokens became ${formatCount(after)}, ${Math.round((after / before) * 100)} %`
  if (outcome.fits) return [`${change}. It fits ${room}.`]
  return [
    `${change}. ${style('bold', `It does not fit ${room}.`)}`,
    ...describeObstacles(outcome.obstacles, rows, noSummary).map((line) => `  ${line}`),
  ]
}

function whereTo({ outcome }: Compacted, output: string | undefined): readonly string[] {
  const lines: string[] = []
  if (outcome.applied.length > 0) {
    const bytes = outcome.stored.reduce((sum, { size }) => sum + size, 0)
    const stored = `${countOf(outcome.stored.length, 'original')} of ${formatBytes(bytes)}`
    lines.push(
      output === undefined
        ? `Nothing is written. --output FILE stores ${stored} and writes the transcript.`
        : `Stored ${stored}. Written to ${printable(output)}.`,
    )
  } else if (output !== undefined) lines.push(`Written to ${printable(output)} unchanged.`)
  return lines
}
