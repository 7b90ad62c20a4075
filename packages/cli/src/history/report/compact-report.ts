import { basename } from 'node:path'
import { formatBytes, formatCount, printable } from '../../format.ts'
import { style } from '../../output.ts'
import type { Compacted } from '../compact-transcript.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { describeObstacles } from './describe-obstacles.ts'
import { messageTable } from './message-table.ts'

/** Write for people what became of a transcript: a table, the sums, and what is in the way. */
export function compactReport(transcript: Transcript, compacted: Compacted, output: string | undefined): string {
  const { rows } = compacted
  return [
    `${heading(transcript)}\n`,
    messageTable(rows),
    [...conclusion(compacted), ...whereTo(compacted, output)].map((line) => `${line}\n`).join(''),
  ].join('\n')
}

function heading({ path, format, layout, messages, lines, size, notes }: Transcript): string {
  const where = layout.kind === 'document' ? '' : ` on ${formatCount(lines)} lines`
  const what = `${printable(basename(path))}: ${format.title}, ${formatCount(messages.length)} messages${where}, ${formatBytes(size)}.`
  return [what, ...notes].join(' ')
}

function conclusion({ plan, outcome, rows, noSummary }: Compacted): readonly string[] {
  if (plan !== undefined) {
    const { before, estimatedAfter, limit } = plan.tokens
    if (!plan.isOver)
      return [`${formatCount(before)} tokens: within the limit of ${formatCount(limit)}. Nothing is to be done.`]
    const groups =
      plan.groups.length === 0 ? '' : ` It asks the model for ${plural(plan.groups.length, 'summary', 'summaries')}.`
    const saved = `${formatCount(before)} tokens would become about ${formatCount(estimatedAfter)}`
    return [`${saved}; the limit is ${formatCount(limit)}.${groups} Nothing has been done.`]
  }
  if (outcome === undefined) return []
  const { before, after, limit } = outcome.tokens
  if (before <= limit)
    return [`${formatCount(before)} tokens: within the limit of ${formatCount(limit)}. Nothing was to be done.`]
  const [isSame, room] = [outcome.applied.length === 0, `the limit of ${formatCount(limit)}`]
  const change = isSame
    ? `${formatCount(before)} tokens, and nothing that could be taken out`
    : `${formatCount(before)} tokens became ${formatCount(after)}, ${Math.round((after / before) * 100)} %`
  if (outcome.fits) return [`${change}. It fits ${room}.`]
  return [
    `${change}. ${style('bold', `It does not fit ${room}.`)}`,
    ...describeObstacles(outcome.obstacles, rows, noSummary).map((line) => `  ${line}`),
  ]
}

function whereTo({ outcome }: Compacted, output: string | undefined): readonly string[] {
  const lines: string[] = []
  if (outcome !== undefined && outcome.applied.length > 0) {
    const bytes = outcome.stored.reduce((sum, { size }) => sum + size, 0)
    const stored = `${plural(outcome.stored.length, 'original', 'originals')} of ${formatBytes(bytes)}`
    lines.push(
      output === undefined
        ? `Nothing is written. --output FILE stores ${stored} and writes the transcript.`
        : `Stored ${stored}. Written to ${printable(output)}.`,
    )
  } else if (output !== undefined) lines.push(`Written to ${printable(output)} as it is.`)
  return lines
}

const plural = (count: number, one: string, more: string): string => `${formatCount(count)} ${count === 1 ? one : more}`
