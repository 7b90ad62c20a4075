import { formatCount, isTextContentType } from '@spillway/text/internal'
import type { StoredInfo } from '../../storage/storage.ts'
import { entryHeading } from '../answer-scope.ts'
import {
  canList,
  listNewest,
  MAX_SEARCHED_BYTES,
  MAX_SEARCHED_ENTRIES,
  unlessGone,
  withContent,
} from '../open-content.ts'
import type { RetrievalContext } from '../retrieval-tool.ts'
import { referenceRequired } from '../retrieval-input.ts'
import { absentWords, describeCounts, noteAbsent, noteLeftOut, showQuery } from './describe-words.ts'
import { MAX_CANDIDATES } from './passage-candidates.ts'
import { passageCount } from './passage-count.ts'
import type { QueryRequest } from './query-request.ts'
import type { QueryWord, QueryWords } from './query-words.ts'
import { rankPassages, type Passage } from './rank-passages.ts'
import { PassageReader } from './read-passage.ts'
import { keepBest, queryDeadline, scanWords, type WordScan } from './scan-words.ts'
import { WordFinder } from './word-finder.ts'
import { averageLength, weighWords, type WordStatistics } from './word-weights.ts'
import { writePassages, type ShownPassage } from './write-passages.ts'

/** What each further passage of the same entry counts, so that one entry does not take the place of all others. */
const SAME_ENTRY = 0.85

/** An entry that has words of the question. */
interface EntryScan {
  readonly info: StoredInfo
  readonly scan: WordScan
}

interface FoundPassage extends EntryScan {
  readonly passage: Passage
  readonly score: number
}

/** Answer a question in everything that the scope holds. Rejects with `invalid-input` where nothing may be listed. */
export async function answerScopeQuery(
  request: QueryRequest,
  query: QueryWords,
  context: RetrievalContext,
): Promise<string> {
  if (!canList(context)) throw referenceRequired('query')
  const { words } = query
  const { skip, limit } = request
  const { newest, total: stored } = await listNewest(context, MAX_SEARCHED_ENTRIES, true)
  const { entries, statistics, lineCounts, searched, binary } = await scanEntries(newest, words, context)
  const weights = weighWords(words, statistics)
  const ranking = { weights, averageLength: averageLength(statistics) }
  const found: FoundPassage[] = []
  let total = 0
  for (const { info, scan } of entries) {
    const ranked = await rankPassages(words, scan.candidates, ranking, skip + passageCount(limit))
    total += ranked.total
    for (const [index, passage] of ranked.passages.entries()) {
      found.push({ info, scan, passage, score: passage.score * SAME_ENTRY ** index })
    }
  }
  // The sort is stable: of equal scores the newest entry is first, and in it the first line.
  const page = found.toSorted((a, b) => b.score - a.score).slice(skip, skip + passageCount(limit))
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
      const order = skip === 0 ? 'best first' : `after the best ${formatCount(skip)}`
      const counts = describeCounts(query, lineCounts)
      return [
        `[${first} in ${formatCount(entries.length)} of ${results}, ${order}; lines with its words: ${counts}]`,
        ...notes,
      ].join('\n')
    },
    more: (count: number): string | undefined => {
      if (skip + count >= total) return undefined
      return `[To continue: ${context.formatCall({ query: request.query, limit, skip: skip + count })}]`
    },
  }
  return writePassages(shown, frame, context)
}

interface ScannedEntries {
  /** Those that have words of the question, newest first. */
  readonly entries: readonly EntryScan[]
  readonly statistics: WordStatistics
  readonly lineCounts: readonly number[]
  readonly searched: number
  /** Entries that are binary, whatever they are declared to be. */
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

/** Keep no more lines of all entries than of one. */
function shareRoom(entries: readonly EntryScan[], words: readonly QueryWord[], statistics: WordStatistics): void {
  const count = entries.reduce((sum, { scan }) => sum + scan.candidates.count, 0)
  if (count <= MAX_CANDIDATES) return
  const share = Math.floor(MAX_CANDIDATES / 2 / entries.length)
  for (const { scan } of entries) keepBest(share, scan.candidates, words, statistics)
}

/** Scan one entry; one that has gone since it was listed has nothing to be found in. */
async function scanEntry(
  { reference }: StoredInfo,
  words: readonly QueryWord[],
  deadlineMs: number,
  context: RetrievalContext,
): Promise<WordScan | 'binary' | undefined> {
  return await unlessGone(() =>
    withContent(context.storage, reference, context, async (source) =>
      isTextContentType(source.contentType)
        ? await scanWords(source.blocks(), words, { signal: context.signal, deadlineMs })
        : 'binary',
    ),
  )
}

/** Read the passages that are shown, one entry after the other. */
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
