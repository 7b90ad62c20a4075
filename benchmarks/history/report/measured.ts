import type { Beside, Comparison, Named } from '../../report/comparison.ts'
import { worst, type Bound } from '../../report/section.ts'
import { OURS } from '../subjects/ours.ts'
import type { Subject } from '../subjects/subject.ts'
import type { Transcript } from '../transcripts/transcript.ts'

/** What is measured. */
export interface HistoryOptions {
  readonly transcripts: readonly Transcript[]
  readonly subjects: readonly Subject[]
  /** Whether times are taken of a few calls alone. */
  readonly isQuick: boolean
}

/** Figures of one transcript, by the name of the way. */
export interface Measured<Figures> {
  readonly id: string
  /** How many lines of its results the agent later wrote again. */
  readonly lines: number
  readonly figures: Readonly<Record<string, Figures>>
}

/** Measure every transcript in every way, one after another. */
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

/** Names of sessions of Claude Code are UUIDs, of which the first part is enough. */
const shortId = (id: string): string => id.replace(/-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/, '')

/** All figures of one way. */
export const figuresOf = <Figures>(measured: readonly Measured<Figures>[], name: string): readonly Figures[] =>
  measured.flatMap(({ figures }) => figures[name] ?? [])

/** Add up one number of each. */
export const total = <Item>(items: readonly Item[], number: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + number(item), 0)

/** Compare a figure of Spillway with the best of all ways that shorten a history and are not its own. */
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

/** Write a share in percent. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`

/** Bound a count that must be nothing in every transcript. */
export const mustBeNone = (name: string, counts: readonly { readonly id: string; readonly count: number }[]): Bound =>
  worst(
    name,
    0,
    counts.map(({ id, count }) => ({ where: count === 0 ? '' : id, value: count })),
  )
