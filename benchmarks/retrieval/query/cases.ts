import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import { makeFile } from '../../speed/lib.mjs'
import { loadCases } from '../../preview/lib/cases.mjs'
import { core, need, norm } from '../../preview/lib/text.mjs'
import { PLANTED } from './planted.ts'

/** A question about a log, with the lines of a right passage. */
export interface QueryCase {
  readonly set: 'question of the log' | 'words of the line' | 'planted sentence'
  /** Whether the question is in the half that was used during development. */
  readonly isSeen: boolean
  readonly log: Log
  readonly question: string
  /** Lines, one of which must be shown. */
  readonly gold: readonly number[]
}

/** A log for several questions. */
export interface Log {
  readonly name: string
  readonly text: string
}

interface PreviewCase {
  readonly id: string
  readonly group: string
  readonly text: string
  readonly gold: { readonly units: readonly string[] }
}

/** Number of gold lines in one log that have a separate question. */
const MOST_LINES = 6
/** Number of words in such a question. */
const WORDS = 4
const COMMON = new Set('the a an of to in is was and or for at by on with it this that be not as from'.split(' '))

/** Load all questions. Questions about the same log are together. */
export function loadQueryCases(data: string): QueryCase[] {
  const questions = new Map(
    (JSON.parse(readFileSync(join(data, 'logs/answers.json'), 'utf8')) as { id: string; question: string }[]).map(
      ({ id, question }) => [id, question],
    ),
  )
  const logs = loadCases(data, ['logs']) as PreviewCase[]
  return [...logs.flatMap((log) => casesOf(log, questions.get(log.id) ?? '')), ...plantedCases()]
}

function casesOf({ id, group, text, gold }: PreviewCase, question: string): QueryCase[] {
  const lines = text.split('\n')
  const shown = lines.map((line) => norm(line))
  const units = gold.units
    .map((unit) => shown.flatMap((line, index) => (line.includes(need(unit)) ? [index + 1] : [])))
    .filter((found) => found.length > 0)
  if (units.length === 0) return []
  const shared = { isSeen: hash(group) % 2 === 0, log: { name: id, text } }
  const frequencies = new Map<string, number>()
  for (const line of lines) for (const word of wordsOf(line)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const own = units.slice(0, MOST_LINES).flatMap((found): QueryCase[] => {
    const words = [...wordsOf(core(lines[(found[0] ?? 1) - 1] ?? ''))]
      .toSorted((a, b) => (frequencies.get(a) ?? 0) - (frequencies.get(b) ?? 0) || (a < b ? -1 : 1))
      .slice(0, WORDS)
    return words.length < 2 ? [] : [{ ...shared, set: 'words of the line', question: words.join(' '), gold: found }]
  })
  return [{ ...shared, set: 'question of the log', question, gold: units.flat() }, ...own]
}

/** Return the different words of a line, without numbers and very common words. */
function wordsOf(line: string): ReadonlySet<string> {
  const words = line.toLowerCase().match(/\p{L}[\p{L}_]{2,}/gu) ?? []
  return new Set(words.filter((word) => !COMMON.has(word)))
}

/** Questions about sentences in generated logs of 1, 3, and 10 MB. Each sentence is planted among similar lines. */
function plantedCases(): QueryCase[] {
  return [1, 3, 10].flatMap((megabytes) => {
    const random = seededRandom(megabytes)
    const lines = readFileSync(makeFile('log', megabytes), 'utf8').split('\n')
    const places = new Map(PLANTED.map((planted) => [Math.floor(random() * lines.length), planted]))
    const text: string[] = []
    const found: { readonly question: string; readonly sentence: string; readonly line: number }[] = []
    for (const [index, line] of lines.entries()) {
      const planted = places.get(index)
      if (planted !== undefined) {
        text.push(`2026-03-14T08:00:00.000Z INFO  api-gateway ${planted.sentence}`)
        found.push({ ...planted, line: text.length })
      }
      text.push(line)
    }
    const log = { name: `generated, ${megabytes} MB`, text: text.join('\n') }
    return found.map(({ question, sentence, line }): QueryCase => {
      const isSeen = PLANTED.findIndex((planted) => planted.sentence === sentence) < PLANTED.length / 2
      return { set: 'planted sentence', isSeen, log, question, gold: [line] }
    })
  })
}

function hash(text: string): number {
  let value = 0
  for (let at = 0; at < text.length; at++) value = (value * 31 + text.charCodeAt(at)) >>> 0
  return value
}
