import { formatCount, isTextContentType, yieldToEventLoop } from '@spillway/text/internal'
import type { ContentSource } from '../../content/content-source.ts'
import type { StoredInfo } from '../../storage/storage.ts'
import { entryHeading } from '../answer-scope.ts'
import { editDistance } from '../closest-names.ts'
import {
  answerContent,
  assertText,
  canList,
  listNewest,
  MAX_SEARCHED_BYTES,
  MAX_SEARCHED_ENTRIES,
  unlessGone,
  withContent,
} from '../open-content.ts'
import { referenceRequired } from '../retrieval-input.ts'
import type { RetrievalContext } from '../retrieval-tool.ts'
import {
  absentWords,
  averageLength,
  describeCounts,
  noteAbsent,
  noteLeftOut,
  parseQueryWords,
  showQuery,
  weighWords,
  type QueryWord,
  type QueryWords,
  type WordStatistics,
} from './query-words.ts'
import { MAX_CANDIDATES, rankPassages, type Passage } from './rank-passages.ts'
import { PASSAGES, PassageReader, writePassages, type QueryRequest, type ShownPassage } from './read-passage.ts'
import { keepBest, queryDeadline, scanWords, textChunks, type WordScan } from './scan-words.ts'
import { WordFinder } from './word-finder.ts'

/** Content up to this size is read again for similar words. */
const NEAR_BYTES = 1_048_576

export async function answerQuery(request: QueryRequest, context: RetrievalContext): Promise<string> {
  const query = parseQueryWords(request.query)
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
): Promise<string> {
  const { words } = query
  const { after, reference } = request
  const deadlineMs = queryDeadline(source.size, context.deadlineMs)
  const scan = await scanWords(source.blocks(), words, { signal: context.signal, deadlineMs, caller: source.caller })
  const weights = weighWords(words, scan)
  const ranking = { weights, averageLength: averageLength(scan), caller: source.caller }
  const { passages, total } = await rankPassages(words, scan.candidates, ranking, after + PASSAGES)
  const absent = absentWords(query, scan.lineCounts)
  const near =
    source.size > NEAR_BYTES
      ? []
      : await findNearWords(
          source.blocks(),
          absent.map((word) => word.text),
        )
  const notes = [...noteAbsent(absent, near), ...noteLeftOut(query), ...noteStop(scan, source)]
  if (total === 0) {
    const header = `[0 passages for ${showQuery(request.query)}: none of its words is in ${linesRead(scan)}]`
    const pattern = context.formatCall({ reference, pattern: words[0]!.text.slice(0, 4), ignore_case: true })
    return [header, ...notes, `[A pattern also finds parts of words: ${pattern}]`].join('\n')
  }
  const reader = new PassageReader(source, scan, new WordFinder(words), weights)
  const shown: ShownPassage[] = []
  for (const passage of passages.slice(after)) {
    const { similar, similarLine } = passage
    shown.push({ heading: undefined, views: await reader.read(passage), similar, similarLine })
  }
  const more = scan.candidates.dropped > 0 ? 'more than ' : ''
  const frame = {
    header: (count: number): string => {
      const first = `${formatCount(count)} of ${more}${formatCount(total)} passages for ${showQuery(request.query)}`
      const order = after === 0 ? 'best first' : `after the best ${formatCount(after)}`
      return [`[${first}, ${order}; lines with its words: ${describeCounts(query, scan.lineCounts)}]`, ...notes].join(
        '\n',
      )
    },
    more: (count: number): string | undefined => {
      if (after + count >= total) return undefined
      const call = context.formatCall({ reference, query: request.query, after: after + count })
      return `[To continue: ${call}]`
    },
  }
  return writePassages(shown, frame, context)
}

const linesRead = ({ lines }: WordScan): string => `${formatCount(lines)} ${lines === 1 ? 'line' : 'lines'}`

function noteStop(scan: WordScan, { size }: ContentSource): string[] {
  if (scan.ended) return []
  const part = Math.floor((scan.bytes / size) * 100)
  return [`[The time was spent after ${linesRead(scan)}, ${part} % of the content: the rest is not ranked]`]
}

const MAX_WORDS = 20_000
const MAX_NAMED = 3
const WORD = /[\p{L}\p{N}]+/gu
/** Comparing words takes the square of their length. */
const LENGTHS = { least: 3, most: 24 }
const MAX_ASKED = 4

/** Nearest first; ties in the order of the content. */
export async function findNearWords(
  blocks: AsyncIterable<Uint8Array>,
  texts: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const near = texts.map(() => new Map<string, number>())
  const seen = new Set<string>()
  for await (const { text } of textChunks(blocks)) {
    for (const [found] of text.matchAll(WORD)) {
      const word = found.toLowerCase()
      if (word.length < LENGTHS.least || word.length > LENGTHS.most || seen.has(word)) continue
      seen.add(word)
      for (const [index, asked] of texts.slice(0, MAX_ASKED).entries()) {
        const most = asked.length < 5 ? 1 : 2
        const distance = Math.abs(asked.length - word.length) > most ? Infinity : editDistance(asked, word)
        if (distance <= most) near[index]!.set(word, distance)
      }
      if (seen.size === MAX_WORDS) break
    }
    if (seen.size === MAX_WORDS) break
    await yieldToEventLoop()
  }
  return near.map((words) =>
    [...words]
      .toSorted(([, a], [, b]) => a - b)
      .slice(0, MAX_NAMED)
      .map(([word]) => word),
  )
}

/** Factor for each further passage of the same entry, so that others are shown too. */
const SAME_ENTRY = 0.85

interface EntryScan {
  readonly info: StoredInfo
  readonly scan: WordScan
}

interface FoundPassage extends EntryScan {
  readonly passage: Passage
  readonly score: number
}

async function answerScopeQuery(request: QueryRequest, query: QueryWords, context: RetrievalContext): Promise<string> {
  if (!canList(context)) throw referenceRequired('query')
  const { words } = query
  const { after } = request
  const { newest, total: stored } = await listNewest(context, MAX_SEARCHED_ENTRIES, true)
  const { entries, statistics, lineCounts, searched, binary } = await scanEntries(newest, words, context)
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
  const notes = [
    ...noteAbsent(absentWords(query, lineCounts), []),
    ...noteLeftOut(query),
    ...noteEntries(searched, stored - binary, entries),
  ]
  const results = `${formatCount(searched)} stored ${searched === 1 ? 'result' : 'results'}`
  if (total === 0) {
    return [`[0 passages for ${showQuery(request.query)}: none of its words is in ${results}]`, ...notes].join('\n')
  }
  const shown = await readPage(page, new WordFinder(words), weights, context)
  const frame = {
    header: (count: number): string => {
      const first = `${formatCount(count)} of ${formatCount(total)} passages for ${showQuery(request.query)}`
      const order = after === 0 ? 'best first' : `after the best ${formatCount(after)}`
      const counts = describeCounts(query, lineCounts)
      return [
        `[${first} in ${formatCount(entries.length)} of ${results}, ${order}; lines with its words: ${counts}]`,
        ...notes,
      ].join('\n')
    },
    more: (count: number): string | undefined => {
      if (after + count >= total) return undefined
      return `[To continue: ${context.formatCall({ query: request.query, after: after + count })}]`
    },
  }
  return writePassages(shown, frame, context)
}

interface ScannedEntries {
  readonly entries: readonly EntryScan[]
  readonly statistics: WordStatistics
  readonly lineCounts: readonly number[]
  readonly searched: number
  readonly binary: number
}

async function scanEntries(
  newest: readonly StoredInfo[],
  words: readonly QueryWord[],
  context: RetrievalContext,
): Promise<ScannedEntries> {
  const entries: EntryScan[] = []
  const statistics: WordStatistics = { units: 0, length: 0, unitCounts: words.map(() => 0) }
  const lineCounts = words.map(() => 0)
  let searched = 0
  let binary = 0
  let bytes = 0
  let left = context.deadlineMs
  for (const info of newest) {
    if (searched > 0 && (bytes + info.size > MAX_SEARCHED_BYTES || left <= 0)) break
    bytes += info.size
    const deadlineMs = queryDeadline(info.size, left)
    const scan = await scanEntry(info, words, deadlineMs, context)
    if (scan === 'binary') {
      binary++
      continue
    }
    searched++
    if (scan === undefined) continue
    left -= Math.max(0, scan.milliseconds - queryDeadline(info.size, 0))
    statistics.units += scan.units
    statistics.length += scan.length
    for (const [word, count] of scan.unitCounts.entries()) {
      statistics.unitCounts[word]! += count
      lineCounts[word]! += scan.lineCounts[word]!
    }
    if (scan.candidates.count === 0) continue
    entries.push({ info, scan })
    shareRoom(entries, words, statistics)
  }
  return { entries, statistics, lineCounts, searched, binary }
}

/** Keeps no more lines of all entries than of one. */
function shareRoom(entries: readonly EntryScan[], words: readonly QueryWord[], statistics: WordStatistics): void {
  const count = entries.reduce((sum, { scan }) => sum + scan.candidates.count, 0)
  if (count <= MAX_CANDIDATES) return
  const share = Math.floor(MAX_CANDIDATES / 2 / entries.length)
  for (const { scan } of entries) keepBest(share, scan.candidates, words, statistics)
}

async function scanEntry(
  { reference }: StoredInfo,
  words: readonly QueryWord[],
  deadlineMs: number,
  context: RetrievalContext,
): Promise<WordScan | 'binary' | undefined> {
  return await unlessGone(() =>
    withContent(context.storage, reference, context, async (source) =>
      isTextContentType(source.contentType)
        ? await scanWords(source.blocks(), words, { signal: context.signal, deadlineMs, caller: source.caller })
        : 'binary',
    ),
  )
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
    const heading = `${entryHeading(info)} ==`
    await unlessGone(() =>
      withContent(context.storage, info.reference, context, async (source) => {
        const reader = new PassageReader(source, ofEntry[0]!.scan, finder, weights)
        for (const found of ofEntry) {
          const { similar, similarLine } = found.passage
          shown.set(found, { heading, views: await reader.read(found.passage), similar, similarLine })
        }
      }),
    )
  }
  return page.flatMap((found) => shown.get(found) ?? [])
}

function noteEntries(searched: number, stored: number, entries: readonly EntryScan[]): string[] {
  const older = stored - searched
  const cut = entries.filter(({ scan }) => !scan.ended).length
  return [
    ...(older === 0 ? [] : [`[Not searched: ${formatCount(older)} older stored results]`]),
    ...(cut === 0 ? [] : [`[The time was spent: ${formatCount(cut)} of them were not read to the end]`]),
  ]
}
