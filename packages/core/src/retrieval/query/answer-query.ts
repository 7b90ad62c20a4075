import { countOf, formatCount } from '@spillway/text/internal'
import {
  averageLength,
  keepBest,
  MAX_CANDIDATES,
  MAX_QUERY_WORDS,
  parseQueryWords,
  queryDeadline,
  rankPassages,
  scanWords,
  weighWords,
  type WordFinder,
  wordFinder,
  type Passage,
  type QueryWord,
  type QueryWords,
  type WordScan,
  type WordStatistics,
} from '@spillway/text/internal/query'
import type { ContentSource } from '../../content/content-source.ts'
import { textPieces } from '../../search/search-blocks.ts'
import { checkAborted } from '../../storage/storage-error.ts'
import type { StoredInfo } from '../../storage/storage.ts'
import { answerContent, assertText, canList, readNewest, unlessGone, withContent } from '../open-content.ts'
import { referenceRequired } from '../retrieval-input.ts'
import { RetrievalError, type RetrievalContext } from '../retrieval-tool.ts'
import { abridge, entryFacts, type Answer } from '../write-answer.ts'
import { PASSAGES, passageReader, writePassages, type QueryRequest, type ShownPassage } from './read-passage.ts'

export async function answerQuery(request: QueryRequest, context: RetrievalContext): Promise<Answer> {
  const query = parseQueryWords(request.query)
  if (query.words.length === 0) {
    throw new RetrievalError(
      'invalid-input',
      'query contains no words. Pass a few words that the passages should have, or find other characters with pattern.',
    )
  }
  const { reference } = request
  if (reference === undefined) return await answerScopeQuery(request, query, context)
  return await answerContent(reference, context, {}, async (source, limited) => {
    assertText(source)
    return await answerPassages(source, { ...request, reference }, query, limited)
  })
}

async function answerPassages(
  source: ContentSource,
  request: QueryRequest & { readonly reference: string },
  query: QueryWords,
  context: RetrievalContext,
): Promise<Answer> {
  const { words } = query
  const { after, reference } = request
  const scan = await scanSource(source, words, context.deadlineMs, context)
  const weights = weighWords(words, scan)
  const ranking = { weights, averageLength: averageLength(scan), caller: source.caller }
  const { passages, total } = await rankPassages(words, scan.candidates, ranking, after + PASSAGES)
  const notes = [...noteAbsent(query, scan.lineCounts), ...noteLeftOut(query), ...noteStop(scan, source)]
  if (total === 0) {
    const header = `0 passages for ${showQuery(request.query)}: none of its words is in ${linesRead(scan)}`
    const pattern = context.formatCall({ reference, pattern: words[0]!.text.slice(0, 4), ignore_case: true })
    const also = `A pattern also finds parts of words: ${pattern}`
    return {
      header: [header, ...notes],
      notes: [also],
      matches: 0,
      isPartial: !scan.ended,
    }
  }
  const readPassage = passageReader(source, scan, wordFinder(words), weights)
  const shown: ShownPassage[] = []
  for (const passage of passages.slice(after)) shown.push({ reference, ...(await readPassage(passage)) })
  const more = scan.candidates.dropped > 0 ? 'more than ' : ''
  const what = `${more}${countOf(total, 'passage')} for ${showQuery(request.query)}`
  const base = { header: notes, matches: total, isPartial: !scan.ended }
  const frame = pageOf(request, `${what}${describeOrder(after, query, scan.lineCounts)}`, base)
  return writePassages(shown, frame, context)
}

/** Returns a function that writes the rest of the answer for a number of shown passages. */
function pageOf({ reference, query, after }: QueryRequest, what: string, base: Answer & { readonly matches: number }) {
  return (shown: number): Answer => ({
    ...base,
    header: [`${formatCount(shown)} of ${what}`, ...base.header],
    rest: after + shown >= base.matches ? undefined : { call: { reference, query, after: after + shown } },
  })
}

function describeOrder(after: number, query: QueryWords, lineCounts: readonly number[]): string {
  const order = after === 0 ? 'best first' : `after the best ${formatCount(after)}`
  return `, ${order}; lines with its words: ${describeCounts(query, lineCounts)}`
}

const linesRead = ({ lines }: WordScan): string => countOf(lines, 'line')

function noteStop(scan: WordScan, { size }: ContentSource): string[] {
  if (scan.ended) return []
  const part = Math.floor((scan.bytes / size) * 100)
  return [`The time limit was reached after ${linesRead(scan)}, ${part} % of the content: the rest is not ranked`]
}

/** Factor of the score for each further passage of the same entry, so that other entries are shown, too. */
const SAME_ENTRY = 0.85

interface EntryScan {
  readonly info: StoredInfo
  readonly scan: WordScan
}

interface FoundPassage extends EntryScan {
  readonly passage: Passage
  readonly score: number
}

async function answerScopeQuery(request: QueryRequest, query: QueryWords, context: RetrievalContext): Promise<Answer> {
  if (!canList(context)) throw referenceRequired('query')
  const { words } = query
  const { after } = request
  const { entries, statistics, lineCounts, searched, unsearched, damaged } = await scanEntries(words, context)
  const weights = weighWords(words, statistics)
  const ranking = { weights, averageLength: averageLength(statistics), caller: context.storage.caller }
  const found: FoundPassage[] = []
  let total = 0
  for (const { info, scan } of entries) {
    const ranked = await rankPassages(words, scan.candidates, ranking, after + PASSAGES)
    total += ranked.total
    for (const [index, passage] of ranked.passages.entries()) {
      found.push({ info, scan, passage, score: passage.score * SAME_ENTRY ** index })
    }
  }
  // The sort is stable: ties keep the newest entry and its first line first.
  const page = found.toSorted((a, b) => b.score - a.score).slice(after, after + PASSAGES)
  const notes = [...noteAbsent(query, lineCounts), ...noteLeftOut(query), ...noteEntries(unsearched, damaged, entries)]
  const results = countOf(searched, 'stored result')
  const isPartial = unsearched + damaged > 0 || entries.some(({ scan }) => !scan.ended)
  if (total === 0) {
    return {
      matches: 0,
      isPartial,
      header: [`0 passages for ${showQuery(request.query)}: none of its words is in ${results}`, ...notes],
    }
  }
  const shown = await readPage(page, wordFinder(words), weights, context)
  const what = `${countOf(total, 'passage')} for ${showQuery(request.query)} in ${formatCount(entries.length)} of ${results}`
  const base = { header: notes, matches: total, isPartial }
  const frame = pageOf(request, `${what}${describeOrder(after, query, lineCounts)}`, base)
  return writePassages(shown, frame, context)
}

async function scanEntries(words: readonly QueryWord[], context: RetrievalContext) {
  const entries: EntryScan[] = []
  const statistics: WordStatistics = { units: 0, length: 0, unitCounts: words.map(() => 0) }
  const lineCounts = words.map(() => 0)
  let left = context.deadlineMs
  const hasTime = (): boolean => left > 0
  const { searched, unsearched, damaged } = await readNewest(context, hasTime, async (info, source) => {
    const scan = await scanSource(source, words, left, context)
    left -= Math.max(0, scan.milliseconds - queryDeadline(info.size, 0))
    statistics.units += scan.units
    statistics.length += scan.length
    for (const [word, count] of scan.unitCounts.entries()) {
      statistics.unitCounts[word]! += count
      lineCounts[word]! += scan.lineCounts[word]!
    }
    if (scan.candidates.count === 0) return
    entries.push({ info, scan })
    shareRoom(entries, words, statistics)
  })
  return { entries, statistics, lineCounts, searched, unsearched, damaged }
}

async function scanSource(
  source: ContentSource,
  words: readonly QueryWord[],
  left: number,
  { signal }: RetrievalContext,
): Promise<WordScan> {
  const deadlineMs = queryDeadline(source.size, left)
  const options = { deadlineMs, caller: source.caller, beforePause: () => checkAborted(signal) }
  return await scanWords(textPieces(source), words, options)
}

/** Limits the lines kept for all entries together to the limit of a single entry. */
function shareRoom(entries: readonly EntryScan[], words: readonly QueryWord[], statistics: WordStatistics): void {
  const count = entries.reduce((sum, { scan }) => sum + scan.candidates.count, 0)
  if (count <= MAX_CANDIDATES) return
  const share = Math.floor(MAX_CANDIDATES / 2 / entries.length)
  for (const { scan } of entries) keepBest(share, scan.candidates, words, statistics)
}

async function readPage(
  page: readonly FoundPassage[],
  finder: WordFinder,
  weights: readonly number[],
  context: RetrievalContext,
): Promise<ShownPassage[]> {
  const shown = new Map<FoundPassage, ShownPassage>()
  for (const info of new Set(page.map((found) => found.info))) {
    const ofEntry = page.filter((found) => found.info === info)
    const { reference } = info
    await unlessGone(
      withContent(context.storage, reference, context, async (source) => {
        const readPassage = passageReader(source, ofEntry[0]!.scan, finder, weights)
        for (const found of ofEntry)
          shown.set(found, { reference, facts: entryFacts(info), ...(await readPassage(found.passage)) })
      }),
    )
  }
  return page.flatMap((found) => shown.get(found) ?? [])
}

function noteEntries(older: number, damaged: number, entries: readonly EntryScan[]): string[] {
  const cut = entries.filter(({ scan }) => !scan.ended).length
  return [
    ...(older === 0 ? [] : [`Not searched: ${countOf(older, 'older stored result')}`]),
    ...(damaged === 0 ? [] : [`Not searched: ${countOf(damaged, 'damaged result')}`]),
    ...(cut === 0 ? [] : [`The time limit was reached: ${formatCount(cut)} of them were not read to the end`]),
  ]
}

const MAX_QUERY_SHOWN = 60
const MAX_WORD_SHOWN = 40

function showQuery(query: string): string {
  return `"${abridge(query, MAX_QUERY_SHOWN).replaceAll('"', "'")}"`
}

function showWord({ text }: QueryWord): string {
  return abridge(text, MAX_WORD_SHOWN)
}

/** Counts the lines with each word, for example `payment 31, failed 1,190`. */
function describeCounts({ words }: QueryWords, lineCounts: readonly number[]): string {
  const asked = words.flatMap((word, index) =>
    word.implied || lineCounts[index] === 0 ? [] : [`${showWord(word)} ${formatCount(lineCounts[index]!)}`],
  )
  const implied = words.some((word, index) => word.implied && lineCounts[index]! > 0)
  return [...asked, ...(implied ? ['and words for failures'] : [])].join(', ')
}

function noteAbsent({ words }: QueryWords, lineCounts: readonly number[]): string[] {
  const absent = words.filter((word, index) => !word.implied && lineCounts[index] === 0)
  return absent.length === 0 ? [] : [`Nowhere: ${absent.map(showWord).join(', ')}`]
}

function noteLeftOut({ leftOut }: QueryWords): string[] {
  if (leftOut === 0) return []
  return [`Only the first ${MAX_QUERY_WORDS} words were looked for, ${formatCount(leftOut)} were not`]
}
