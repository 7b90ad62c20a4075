import { formatCount } from '@spillway/text/internal'
import { abridge } from '../show-hits.ts'
import { MAX_QUERY_WORDS, type QueryWord, type QueryWords } from './query-words.ts'

const MAX_QUERY_SHOWN = 60
const MAX_WORD_SHOWN = 40

/** Write a question for a header: on one line and of bounded length. */
export function showQuery(query: string): string {
  return `"${abridge(query, MAX_QUERY_SHOWN).replaceAll('"', "'")}"`
}

/** Write a word for a header. */
function showWord({ text }: QueryWord): string {
  return abridge(text, MAX_WORD_SHOWN)
}

/** Write in how many lines each word is that was asked for: `payment 31, failed 1,190`. */
export function describeCounts({ words }: QueryWords, lineCounts: readonly number[]): string {
  const asked = words.flatMap((word, index) =>
    word.implied || lineCounts[index] === 0 ? [] : [`${showWord(word)} ${formatCount(lineCounts[index]!)}`],
  )
  const implied = words.some((word, index) => word.implied && lineCounts[index]! > 0)
  return [...asked, ...(implied ? ['and words for failures'] : [])].join(', ')
}

/** The words asked for that occur nowhere. */
export function absentWords({ words }: QueryWords, lineCounts: readonly number[]): QueryWord[] {
  return words.filter((word, index) => !word.implied && lineCounts[index] === 0)
}

/** Say which words occur nowhere, and which do that are spelled almost like them. */
export function noteAbsent(absent: readonly QueryWord[], near: readonly (readonly string[])[]): string[] {
  if (absent.length === 0) return []
  const named = absent.map((word, index) => {
    const others = near[index] ?? []
    return others.length === 0 ? showWord(word) : `${showWord(word)} (but: ${others.join(', ')})`
  })
  return [`[Nowhere: ${named.join(', ')}]`]
}

/** Say that a question has more words than are looked for. */
export function noteLeftOut({ leftOut }: QueryWords): string[] {
  if (leftOut === 0) return []
  return [`[Only the first ${MAX_QUERY_WORDS} words were looked for, ${formatCount(leftOut)} were not]`]
}
