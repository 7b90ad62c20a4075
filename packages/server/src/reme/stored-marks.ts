/** What a text says that something of its message is stored as. */
export type MarkSubject = 'result' | 'argument' | 'message' | 'original'

/** A place in a text that names a file. */
export interface StoredMark {
  readonly subject: MarkSubject
  /** As it was written: relative or absolute. */
  readonly path: string
}

const SUBJECTS = {
  result: 'detailed result',
  argument: 'detailed argument',
  message: 'detailed message',
  original: 'original message',
} as const

const MARK = / \((detailed result|detailed argument|detailed message|original message) is stored in /g
/** More than any text has: a longer list was written to do harm. */
const MAX_MARKS = 64

/** Write marks as the end of a text. */
export const writeMarks = (marks: readonly StoredMark[]): string =>
  marks.map(({ subject, path }) => ` (${SUBJECTS[subject]} is stored in ${path})`).join('')

/** Read the marks that a text ends with, in their order; none for any other text. */
export function readMarks(text: string): readonly StoredMark[] {
  if (!text.endsWith(')')) return []
  const marks: StoredMark[] = []
  let end = text.length
  const found = [...text.matchAll(MARK)].slice(-MAX_MARKS)
  for (const match of found.toReversed()) {
    const start = match.index + match[0].length
    const path = text.slice(start, end - 1)
    // Each ends where the next begins: what is not so is part of the content.
    if (text[end - 1] !== ')' || path === '' || /[\n\r]/.test(path)) break
    marks.unshift({ subject: subjectOf(match[1] ?? ''), path })
    end = match.index
  }
  return marks
}

const subjectOf = (phrase: string): MarkSubject =>
  (Object.keys(SUBJECTS) as MarkSubject[]).find((subject) => SUBJECTS[subject] === phrase) ?? 'result'
