import { table } from '../../report/table.ts'
import { norm } from '../../preview/lib/text.mjs'
import { loadQueryCases, type Log, type QueryCase } from './cases.ts'
import { ours } from './ours.ts'
import { installedPeers } from './peers.ts'
import { plainBm25 } from './plain-bm25.ts'
import { PASSAGES, type FoundPassage, type Ranker } from './ranker.ts'

/** UTF-16 units of a gold line that are compared if the lines of a passage are unknown. */
const COMPARED = 80

/** Ask all questions. Returns how often a right line is in the first five passages. */
export async function measureQuality(data: string): Promise<string> {
  const cases = loadQueryCases(data)
  const rows: string[][] = []
  for (const ranker of [ours, plainBm25, ...installedPeers()]) {
    const ranks = await rankAll(ranker, cases)
    for (const set of new Set(cases.map((item) => item.set))) {
      for (const isSeen of [true, false]) {
        const chosen = ranks.filter(({ item }) => item.set === set && item.isSeen === isSeen).map(({ rank }) => rank)
        const found = chosen.filter((rank) => rank !== undefined)
        const recall = (100 * found.length) / chosen.length
        const mrr = found.reduce((sum, rank) => sum + 1 / rank, 0) / chosen.length
        const half = isSeen ? 'developed on' : 'held out'
        rows.push([set, half, ranker.name, String(chosen.length), `${recall.toFixed(1)} %`, mrr.toFixed(2)])
      }
    }
  }
  const order = rows.toSorted(([a = '', , b = ''], [c = '', , d = '']) => (a < c ? -1 : a > c ? 1 : b === d ? 0 : 0))
  const head = ['questions', 'half', 'ranked by', 'number', `among the first ${PASSAGES}`, 'MRR']
  return table(head, order, 3)
}

/** The rank of the first right passage, from 1; absent if none of the first five is right. */
interface Ranked {
  readonly item: QueryCase
  readonly rank: number | undefined
}

async function rankAll(ranker: Ranker, cases: readonly QueryCase[]): Promise<Ranked[]> {
  const ranks: Ranked[] = []
  let open: { readonly log: Log; readonly ask: (question: string) => Promise<readonly FoundPassage[]> } | undefined
  for (const item of cases) {
    if (open?.log !== item.log) open = { log: item.log, ask: await ranker.open(item.log.text) }
    const lines = item.log.text.split('\n')
    const passages = await open.ask(item.question)
    const index = passages.findIndex((passage) => showsGold(passage, item.gold, lines))
    ranks.push({ item, rank: index < 0 ? undefined : index + 1 })
  }
  return ranks
}

function showsGold(passage: FoundPassage, gold: readonly number[], lines: readonly string[]): boolean {
  if ('first' in passage) return gold.some((line) => line >= passage.first && line <= passage.last)
  const text = norm(passage.text)
  return gold.some((line) =>
    text.includes(
      norm(lines[line - 1] ?? '')
        .trim()
        .slice(0, COMPARED),
    ),
  )
}
