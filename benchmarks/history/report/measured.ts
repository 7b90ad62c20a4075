import type { Beside, Comparison, Named } from '../../report/comparison.ts'
import { worst, type Bound } from '../../report/section.ts'
import { OURS } from '../subjects/ours.ts'
import type { Subject } from '../subjects/subject.ts'
import type { Transcript } from '../transcripts/transcript.ts'

/** Settings of a measurement. */
export interface HistoryOptions {
  readonly transcripts: readonly Transcript[]
  readonly subjects: readonly Subject[]
  /** Whether to time only a few calls. */
  readonly isQuick: boolean
}

/** Figures of one transcript by the name of the way. */
export interface Measured<Figures> {
  readonly id: string
  /** Number of lines of results that the agent wrote again later. */
  readonly lines: number
  readonly figures: Readonly<Record<string, Figures>>
}

/** Measure all transcripts with all ways, one after another. */
export async function measureAll<Figures>(
  { transcripts, subjects }: HistoryOptions,
  measure: (subject: Subject, transcript: Transcript) => Promise<Figures>,
): Promise<readonly Measured<Figures>[]> {
  const measured: Measured<Figures>[] = []
  for (const transcript of transcripts) {
    const figures: Record<string, Figures> = {}
    for (const subject of subjects) figures[subject.name] = await measure(subject, transcript)
    measured.push({ id: shortId(transcript.id), lines: transcript.laterUses.length, figures })
  }
  return measured
}

/** Shorten the id of a session of Claude Code, a UUID, to its first part. */
const shortId = (id: string): string => id.replace(/-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/, '')

/** Return all figures of one way. */
export const figuresOf = <Figures>(measured: readonly Measured<Figures>[], name: string): readonly Figures[] =>
  measured.flatMap(({ figures }) => figures[name] ?? [])

/** Sum up one number of each item. */
export const total = <Item>(items: readonly Item[], number: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + number(item), 0)

/** Compare a figure of Spillway with the best figure of all other ways. */
export function compareWays<Figures>(
  measured: readonly Measured<Figures>[],
  what: string,
  beside: (ours: number, others: readonly Named[]) => Beside | undefined,
  figure: (figures: readonly Figures[]) => number,
  unit = '',
): Comparison {
  const names = Object.keys(measured[0]?.figures ?? {}).filter((name) => name !== 'none' && !name.startsWith(OURS))
  const others = names.map((name) => ({ name, value: figure(figuresOf(measured, name)) }))
  const ours = figure(figuresOf(measured, OURS))
  return { what, unit, ours, other: beside(ours, others) }
}

/** Format a share in percent. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`

/** Create a bound for a count that must be 0 in every transcript. */
export const mustBeNone = (name: string, counts: readonly { readonly id: string; readonly count: number }[]): Bound =>
  worst(
    name,
    0,
    counts.map(({ id, count }) => ({ where: count === 0 ? '' : id, value: count })),
  )
