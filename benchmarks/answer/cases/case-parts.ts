import { hasWord, need, norm } from '../../preview/lib/text.mjs'
import type { AnswerCase, Evidence } from '../answer-case.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** Minimum length of a result. Shorter results stay in the context in every system. */
export const MIN_CHARACTERS = 12_000

/** A case without the rule that recognizes its answer. */
export type Draft = Omit<AnswerCase, 'recall'>

/** Create a case whose answer is lines. Its recall is the share of lines in the context, as in benchmarks/preview. */
export function linesCase(draft: Draft, units: readonly string[]): AnswerCase {
  const needed = units.map((unit) => need(unit) as string)
  const recall = ({ shown }: Evidence): number => {
    const text = norm(shown) as string
    return needed.filter((unit) => text.includes(unit)).length / needed.length
  }
  return { ...draft, recall }
}

/** Create a case whose answer is a number: an answer counted it, or a preview states it for the value (`value ×N`). */
export function countCase(draft: Draft, value: string, count: number): AnswerCase {
  const forms = [String(count), count.toLocaleString('en-US')]
  const recall = ({ shown, counts }: Evidence): number =>
    counts.includes(count) || forms.some((form) => hasTimes(shown, value, form)) ? 1 : 0
  return { ...draft, answer: String(count), recall }
}

/** Create a case whose answer is a cell: the context has the whole row, or a line with the key and the cell. */
export function cellCase(draft: Draft, { row, key, cell }: { row: string; key: string; cell: string }): AnswerCase {
  const recall = ({ shown }: Evidence): number => {
    if (shown.includes(row)) return 1
    const line = shown.split('\n').find((text) => text.includes(key) && isCellOf(text.replace(key, ''), cell))
    return line === undefined ? 0 : 1
  }
  return { ...draft, answer: cell, recall }
}

/** Create a case whose answer is a value that occurs once in the content. */
export function valueCase(draft: Draft, value: string | number): AnswerCase {
  const forms = [String(value), JSON.stringify(value).replaceAll(/^"|"$/g, '')]
  return {
    ...draft,
    answer: String(value),
    recall: ({ shown }) => (forms.some((form) => shown.includes(form)) ? 1 : 0),
  }
}

/** Create a case whose answer is the definition of a name: a line with the name, and its number. */
export function placeCase(draft: Draft, name: string, line: number): AnswerCase {
  const place = new RegExp(`(?:^|\\D)${line}(?:\\D|$)`)
  const recall = ({ shown }: Evidence): number =>
    shown.split('\n').some((text) => hasWord(text, name) && place.test(text.slice(0, text.indexOf(name)))) ? 1 : 0
  return { ...draft, answer: String(line), recall }
}

/** Take at most some cases of each group, in a seeded order, and at most some in total. */
export function drawByGroup<T extends { readonly id: string; readonly group: string }>(
  all: readonly T[],
  { random, perGroup, most }: { random: SeededRandom; perGroup: number; most: number },
): readonly T[] {
  const taken = new Map<string, number>()
  const ordered = all.map((one) => ({ one, at: random.of(one.id).next() })).toSorted((a, b) => a.at - b.at)
  const drawn = ordered
    .map(({ one }) => one)
    .filter(({ group }) => {
      const count = (taken.get(group) ?? 0) + 1
      taken.set(group, count)
      return count <= perGroup
    })
  return drawn.slice(0, most)
}

/** Return ranges that cover the lines. Lines less than a page apart are in one range, and are read together. */
export function joinNear(lines: readonly number[]): readonly (readonly [number, number])[] {
  const spans: [number, number][] = []
  for (const line of lines.toSorted((one, other) => one - other)) {
    const last = spans.at(-1)
    if (last !== undefined && line - last[1] < 30) last[1] = line
    else spans.push([line, line])
  }
  return spans
}

function hasTimes(shown: string, value: string, count: string): boolean {
  for (let at = shown.indexOf(value); at >= 0; at = shown.indexOf(value, at + 1)) {
    const rest = shown.slice(at + value.length, at + value.length + count.length + 4)
    if (rest.startsWith(` ×${count}`) || rest.startsWith(`" ×${count}`)) return true
  }
  return false
}

function isCellOf(text: string, cell: string): boolean {
  for (let at = text.indexOf(cell); at >= 0; at = text.indexOf(cell, at + 1))
    if (/^$|[\s,;|"]/.test(text.charAt(at - 1)) && /^$|[\s,;|"]/.test(text.charAt(at + cell.length))) return true
  return false
}
