import { formatCount } from '@spillway/text/internal'
import type { ContentSource } from '../../content/content-source.ts'
import { assertText, withContent } from '../open-content.ts'
import type { RetrievalContext } from '../retrieval-tool.ts'
import { answerScopeQuery } from './answer-scope-query.ts'
import { absentWords, describeCounts, noteAbsent, noteLeftOut, showQuery } from './describe-words.ts'
import { findNearWords } from './near-words.ts'
import { passageCount } from './passage-count.ts'
import type { QueryRequest } from './query-request.ts'
import { parseQueryWords, type QueryWords } from './query-words.ts'
import { rankPassages } from './rank-passages.ts'
import { PassageReader } from './read-passage.ts'
import { queryDeadline, scanWords, type WordScan } from './scan-words.ts'
import { WordFinder } from './word-finder.ts'
import { averageLength, weighWords } from './word-weights.ts'
import { writePassages, type ShownPassage } from './write-passages.ts'

/** Content up to this size is read again for words that are spelled almost like those that do not occur. */
const NEAR_BYTES = 1_048_576

/**
 * Answer a question in words: the best passages of one content, or of all of a scope, with their line numbers.
 *
 * Rejects with `invalid-input` for a question without words or, where nothing may be listed, without a reference, and
 * with `not-text` for binary content.
 */
export async function answerQuery(request: QueryRequest, context: RetrievalContext): Promise<string> {
  const query = parseQueryWords(request.query)
  const { reference } = request
  if (reference === undefined) return await answerScopeQuery(request, query, context)
  return await withContent(context.storage, reference, context, async (source) => {
    assertText(source)
    return await answerContent(source, { ...request, reference }, query, context)
  })
}

async function answerContent(
  source: ContentSource,
  request: QueryRequest & { readonly reference: string },
  query: QueryWords,
  context: RetrievalContext,
): Promise<string> {
  const { words } = query
  const { skip, limit, reference } = request
  const deadlineMs = queryDeadline(source.size, context.deadlineMs)
  const scan = await scanWords(source.blocks(), words, { signal: context.signal, deadlineMs })
  const weights = weighWords(words, scan)
  const ranking = { weights, averageLength: averageLength(scan) }
  const { passages, total } = await rankPassages(words, scan.candidates, ranking, skip + passageCount(limit))
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
  for (const passage of passages.slice(skip)) {
    const { similar, similarLine } = passage
    shown.push({ heading: undefined, views: await reader.read(passage), similar, similarLine })
  }
  const more = scan.candidates.dropped > 0 ? 'more than ' : ''
  const frame = {
    header: (count: number): string => {
      const first = `${formatCount(count)} of ${more}${formatCount(total)} passages for ${showQuery(request.query)}`
      const order = skip === 0 ? 'best first' : `after the best ${formatCount(skip)}`
      return [`[${first}, ${order}; lines with its words: ${describeCounts(query, scan.lineCounts)}]`, ...notes].join(
        '\n',
      )
    },
    more: (count: number): string | undefined => {
      if (skip + count >= total) return undefined
      const call = context.formatCall({ reference, query: request.query, limit, skip: skip + count })
      return `[To continue: ${call}]`
    },
  }
  return writePassages(shown, frame, context)
}

const linesRead = ({ lines }: WordScan): string => `${formatCount(lines)} ${lines === 1 ? 'line' : 'lines'}`

/** Say how far a scan came whose time was spent. */
function noteStop(scan: WordScan, { size }: ContentSource): string[] {
  if (scan.ended) return []
  const part = Math.floor((scan.bytes / size) * 100)
  return [`[The time was spent after ${linesRead(scan)}, ${part} % of the content: the rest is not ranked]`]
}
