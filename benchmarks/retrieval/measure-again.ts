import { table } from '../report/table.ts'
import { makeContent } from './contents.ts'
import { ALTERNATION, DIGITS } from './patterns.ts'
import type { RunOptions } from './run-options.ts'
import { worst, type Section } from '../report/section.ts'
import type { BackendUse } from './subjects/subject.ts'
import { inProcess } from './tasks.ts'
import { bytes } from '../report/write-figures.ts'

const OURS = 'Spillway, file'
const LINES = 50
/** Limit in MB up to which content is expected to be cached completely. */
const MOST_KEPT = 10

interface AgainFigures {
  readonly megabytes: number
  readonly question: string
  readonly first: BackendUse | undefined
  readonly second: BackendUse | undefined
  /** Bytes that the process has read during the second search. */
  readonly bytesRead?: number | undefined
}

/** Measure the requests to the backend for a second question about the same content. */
export async function measureAgain(options: RunOptions): Promise<Section> {
  const rows: AgainFigures[] = []
  for (const size of options.isQuick ? [1] : [1, 10, 100]) {
    const content = await makeContent('log', size, options)
    const target = await content.target(OURS)
    const [first, second] = await inProcess('search', { ...target, questions: [ALTERNATION, DIGITS], later: 0 })
    const question = 'another pattern'
    rows.push({
      megabytes: size,
      question,
      first: first?.firstUse,
      second: second?.firstUse,
      bytesRead: second?.bytesRead,
    })
    const lines = await inProcess('lines', { ...target, starts: [2_000], count: LINES, later: 1 })
    rows.push({ megabytes: size, question: 'the same lines', first: lines.firstUse, second: lines.lastUse })
    content.forget()
  }
  const use = (one: BackendUse | undefined): string[] => [String(one?.calls ?? '–'), bytes(one?.bytes)]
  const cells = rows.map((row) => [`${row.megabytes} MB`, row.question, ...use(row.first), ...use(row.second)])
  const heads = ['content', 'second question', 'calls of the first', 'read', 'calls of the second', 'read']
  const kept = rows.filter((row) => row.megabytes <= MOST_KEPT || row.question === 'the same lines')
  return {
    text: `What a question asks of the file system:\n\n${table(heads, cells, 2)}`,
    bounds: [
      worst(
        `second question, up to ${MOST_KEPT} MB, and the same lines: calls of the backend`,
        0,
        kept.map(({ megabytes, question, second }) => ({
          value: second?.calls,
          where: `${megabytes} MB, ${question}`,
        })),
      ),
    ],
    figures: rows,
  }
}
