import { count, table } from '../../report/table.ts'
import { besideLowest, type Comparison } from '../../report/comparison.ts'
import { known } from '../../report/known.ts'
import type { Section } from '../../report/section.ts'
import { measureLived, type LivedFigures } from '../measure/measure-lived.ts'
import { OURS } from '../subjects/ours.ts'
import {
  compareWays,
  figuresOf,
  measureAll,
  mustBeNone,
  percent,
  total,
  type HistoryOptions,
  type Measured,
} from './measured.ts'

type Rows = readonly Measured<LivedFigures>[]

/** Price of a cached token relative to other prompt tokens. */
const CACHED_PRICE = 0.1

/** Measure the cost and hidden lines of all ways while transcripts are replayed, and write the tables. */
export async function livedSection(options: HistoryOptions): Promise<Section> {
  const measured = await measureAll(options, measureLived)
  const names = options.subjects.map(({ name }) => name)
  const calls = total(figuresOf(measured, names[0] ?? ''), (figures) => figures.calls)
  const text = [
    `All ${count(calls)} calls of the model. Tokens in thousands; \`paid\` counts a cached one as a tenth.`,
    costTable(measured, names),
    'Later-used lines in the context of the call that used them. `mean`: of the shares of the transcripts that have any.',
    linesTable(measured, names),
    'The same by transcript: visible + stored.',
    linesByTranscript(measured, names),
    'Tokens sent over all calls, in thousands, and how many calls changed what was sent before.',
    sentByTranscript(measured, names),
  ].join('\n\n')
  const ours = measured.map(({ id, figures }) => ({ id, ...known(figures[OURS]) }))
  const bounds = [
    mustBeNone(
      'lived: `expandHistory` does not restore every byte',
      ours.map(({ id, isRestored }) => ({ id, count: isRestored === true ? 0 : 1 })),
    ),
    mustBeNone(
      'lived: later-used lines lost',
      ours.map(({ id, lines }) => ({ id, count: lines.lost })),
    ),
  ]
  return { text, bounds, comparisons: compareLives(measured), figures: measured }
}

/** Compare the sent tokens and hidden lines of Spillway with the best other way. */
function compareLives(measured: Rows): Comparison[] {
  const lines = total(measured, (one) => one.lines)
  const sum = (what: string, figure: (figures: LivedFigures) => number): Comparison =>
    compareWays(measured, what, besideLowest, (all) => total(all, figure))
  const share = (what: string, figure: (figures: LivedFigures) => number): Comparison =>
    compareWays(measured, what, besideLowest, (all) => (100 * total(all, figure)) / lines, '%')
  return [
    sum('all calls: tokens sent', ({ sent }) => sent),
    sum('all calls: tokens paid', paidTokens),
    sum('calls over the limit', ({ callsOverLimit }) => callsOverLimit),
    sum('cache breaks', ({ breaks }) => breaks),
    share('later-used lines that are not visible', (figures) => figures.lines.stored + figures.lines.lost),
    share('later-used lines that are lost', (figures) => figures.lines.lost),
  ]
}

const paidTokens = ({ sent, cached }: LivedFigures): number => sent - cached + CACHED_PRICE * cached

const thousands = (tokens: number): string => count(tokens / 1_000)

function costTable(measured: Rows, names: readonly string[]): string {
  const rows = names.map((name) => {
    const all = figuresOf(measured, name)
    const sum = (number: (figures: LivedFigures) => number): number => total(all, number)
    return [
      name,
      thousands(sum(({ sent }) => sent)),
      thousands(sum(paidTokens)),
      thousands(Math.max(...all.map(({ largest }) => largest))),
      count(sum(({ callsOverLimit }) => callsOverLimit)),
      count(sum(({ breaks }) => breaks)),
      thousands(sum(({ readAgain }) => readAgain)),
      count(sum(({ neverShown }) => neverShown)),
    ]
  })
  const heads = ['', 'sent', 'paid', 'largest', 'calls over 20,000', 'cache breaks', 'read again', 'never shown']
  return table(heads, rows)
}

function linesTable(measured: Rows, names: readonly string[]): string {
  const withLines = measured.filter(({ lines }) => lines > 0)
  const lines = total(withLines, (one) => one.lines)
  const rows = names.map((name) => {
    const places = figuresOf(withLines, name).map((figures) => figures.lines)
    const shares = withLines.map((one) => known(one.figures[name]).lines.visible / one.lines)
    return [
      name,
      percent(
        total(places, ({ visible }) => visible),
        lines,
      ),
      percent(
        total(shares, (share) => share),
        shares.length,
      ),
      percent(
        total(places, ({ stored }) => stored),
        lines,
      ),
      percent(
        total(places, ({ lost }) => lost),
        lines,
      ),
    ]
  })
  return table([`${lines} lines`, 'visible', 'visible, mean', 'stored, one call away', 'lost'], rows)
}

function linesByTranscript(measured: Rows, names: readonly string[]): string {
  const rows = measured
    .filter(({ lines }) => lines > 0)
    .map(({ id, lines, figures }) => [
      id,
      String(lines),
      ...names.map((name) => {
        const { visible, stored } = known(figures[name]).lines
        return `${visible} + ${stored}`
      }),
    ])
  return table(['transcript', 'lines', ...names], rows)
}

function sentByTranscript(measured: Rows, names: readonly string[]): string {
  const rows = measured.map(({ id, figures }) => [
    id,
    ...names.map((name) => {
      const { sent, breaks } = known(figures[name])
      return `${thousands(sent)}, ${breaks}`
    }),
  ])
  return table(['transcript', ...names], rows)
}
