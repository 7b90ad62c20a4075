import { hashWord } from './hash-word.ts'

/** How bad a line says that things are: 0 if it says nothing about that. */
export type Severity = 0 | typeof ERROR | typeof WARNING | typeof INFO | typeof OK

export const ERROR = 1
export const WARNING = 2
export const INFO = 3
export const OK = 4

/** Words that tell the severity of a line, whatever prints it. */
const WORDS: ReadonlyArray<readonly [Exclude<Severity, 0>, string]> = [
  [
    ERROR,
    'error errors err fatal fail failed failure failures fails panic panicked critical severe exception aborted crashed',
  ],
  [WARNING, 'warning warnings warn deprecated'],
  [INFO, 'info note notice debug trace verbose'],
  [OK, 'ok pass passed success successful succeeded'],
]

const SEVERITIES: ReadonlyMap<number, Severity> = new Map(
  WORDS.flatMap(([severity, words]) => words.split(' ').map((word) => [hashWord(word), severity] as const)),
)

/** Marks the last bits of their hashes: most words are told apart by one look. */
const MASK = 1_023
const MARKED = new Uint8Array(MASK + 1)
for (const word of SEVERITIES.keys()) MARKED[word & MASK] = 1

/** The severity that a word tells by its hash. */
export function severityOf(word: number): Severity {
  return MARKED[word & MASK] === 0 ? 0 : (SEVERITIES.get(word) ?? 0)
}
