import type { SummaryRejection } from '../history-outcome.ts'
import { REQUIRED_SECTIONS } from './summary-prompt.ts'

const START = '<state_snapshot>'
const END = '</state_snapshot>'
/** What references look like: names with a digest at their end. */
const REFERENCE = /\b[a-z0-9_]*_[a-z2-7]{20}\b/g

/** Return what looks like a reference in a text. */
export const referencesIn = (text: string): ReadonlySet<string> => new Set(text.match(REFERENCE))

/** What a model answered, as far as it can be used. */
export type ReadSummary = { readonly snapshot: string } | { readonly rejection: SummaryRejection }

/**
 * Take the snapshot out of what a model answered, or say why it cannot stand for the messages.
 *
 * @param mayName - Tells of what looks like a reference whether the messages have it.
 */
export function readSummary(answer: unknown, mayName: (reference: string) => boolean): ReadSummary {
  if (typeof answer !== 'string') return { rejection: 'no-snapshot' }
  const start = answer.indexOf(START)
  const end = answer.lastIndexOf(END)
  if (start < 0 || end < start) return { rejection: 'no-snapshot' }
  const snapshot = answer
    .slice(start + START.length, end)
    .trim()
    .toWellFormed()
  // A second one in it: the end of the block could not be told any more.
  if (snapshot.includes(START) || snapshot.includes(END)) return { rejection: 'no-snapshot' }
  if (!REQUIRED_SECTIONS.every((name) => sectionOf(snapshot, name) !== '')) return { rejection: 'incomplete' }
  for (const reference of referencesIn(snapshot)) if (!mayName(reference)) return { rejection: 'unknown-reference' }
  return { snapshot }
}

function sectionOf(snapshot: string, name: string): string {
  const start = snapshot.indexOf(`<${name}>`)
  const end = start < 0 ? -1 : snapshot.indexOf(`</${name}>`, start)
  return end < 0 ? '' : snapshot.slice(start + name.length + 2, end).trim()
}
