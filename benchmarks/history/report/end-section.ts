import { count, table } from '../../report/table.ts'
import { besideLowest, type Comparison } from '../../report/comparison.ts'
import { known } from '../../report/known.ts'
import type { Bound, Section } from '../../report/section.ts'
import { measureEnd, type EndFigures } from '../measure/measure-end.ts'
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

type Rows = readonly Measured<EndFigures>[]

/** Measure the results of all ways for whole transcripts, and write the tables. */
export async function endSection(options: HistoryOptions): Promise<Section> {
  const measured = await measureAll(options, measureEnd)
  const names = options.subjects.map(({ name }) => name)
  const ours = [
    'Spillway. `visible` and `stored`: later-used lines in what stands in the place of their result, and one call away.',
    oursTable(measured),
  ]
  const tokens = ['Tokens that are left; bold where they fit 20,000.', tokensTable(measured, names)]
  const lines = [
    'Later-used lines that are visible in what is left of their result + those whose result is stored and named there.',
    linesTable(measured, names),
  ]
  const text = [...ours, ...tokens, ...lines].join('\n\n')
  return { text, bounds: bounds(measured), comparisons: compareEnds(measured), figures: measured }
}

/** Compare Spillway with the best other way: by remaining tokens, and by transcripts over the limit. */
function compareEnds(measured: Rows): Comparison[] {
  return [
    compareWays(measured, 'whole transcripts: tokens left', besideLowest, (all) => total(all, ({ after }) => after)),
    compareWays(measured, 'whole transcripts over the limit', besideLowest, (all) =>
      total(all, ({ fits }) => Number(!fits)),
    ),
  ]
}

function oursTable(measured: Rows): string {
  const rows = measured.map(({ id, lines, figures }) => {
    const { before, after, fits, reason, lines: places, isRestored } = known(figures[OURS])
    return [
      id,
      fits ? 'yes' : `no: ${reason ?? '**says nothing**'}`,
      isRestored === true ? 'yes' : '**no**',
      count(before),
      count(after),
      count(before - after),
      String(lines),
      percent(places.visible, lines),
      percent(places.stored, lines),
    ]
  })
  const heads = ['transcript', 'fits', 'restored', 'tokens before', 'after', 'saved', 'lines', 'visible', 'stored']
  return table(heads, rows, 3)
}

function tokensTable(measured: Rows, names: readonly string[]): string {
  const cell = ({ after, fits }: EndFigures): string => (fits ? `**${count(after)}**` : count(after))
  const rows = measured.map(({ id, figures }) => [id, ...names.map((name) => cell(known(figures[name])))])
  const all = names.map((name) => figuresOf(measured, name))
  const sums = ['all', ...all.map((figures) => count(total(figures, ({ after }) => after)))]
  const fitting = ['fit', ...all.map((figures) => `${figures.filter(({ fits }) => fits).length} of ${figures.length}`)]
  return table(['transcript', ...names], [...rows, sums, fitting])
}

function linesTable(measured: Rows, names: readonly string[]): string {
  const cell = ({ lines: { visible, stored } }: EndFigures): string => `${visible} + ${stored}`
  const rows = measured
    .filter(({ lines }) => lines > 0)
    .map(({ id, lines, figures }) => [id, String(lines), ...names.map((name) => cell(known(figures[name])))])
  const sums = names.map((name) => {
    const figures = figuresOf(measured, name)
    return `${total(figures, ({ lines }) => lines.visible)} + ${total(figures, ({ lines }) => lines.stored)}`
  })
  const all = ['all', String(total(measured, ({ lines }) => lines)), ...sums]
  return table(['transcript', 'lines', ...names], [...rows, all])
}

function bounds(measured: Rows): readonly Bound[] {
  const ours = measured.map(({ id, figures }) => ({ id, ...known(figures[OURS]) }))
  return [
    mustBeNone(
      'over the limit without a reason',
      ours.map(({ id, fits, reason }) => ({ id, count: !fits && reason === null ? 1 : 0 })),
    ),
    mustBeNone(
      '`expandHistory` does not restore every byte',
      ours.map(({ id, isRestored }) => ({ id, count: isRestored === true ? 0 : 1 })),
    ),
    mustBeNone(
      'later-used lines lost',
      ours.map(({ id, lines }) => ({ id, count: lines.lost })),
    ),
  ]
}
