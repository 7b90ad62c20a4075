import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { count, table } from '../../report/table.ts'
import { args, child, makeFile, peakMB, reply, resetPeak } from '../../speed/lib.mjs'
import { openOurs } from './ours.ts'
import { installedPeers, miniSearch } from './peers.ts'

/** Questions: a rare word, a word in every line, and words about a failure. */
const QUESTIONS = {
  rare: 'payment gateway refused',
  frequent: 'info status',
  failure: 'why did the ledger fail',
} as const

type Way = 'Spillway' | 'MiniSearch'
type Figures = Readonly<Record<keyof typeof QUESTIONS | 'build' | 'memory', number>>

const ROUNDS = 5

/** Measure building an index and answering a question, each in a separate process. */
export async function measureSpeed(isQuick: boolean): Promise<string> {
  const ways: readonly Way[] = installedPeers().includes(miniSearch) ? ['Spillway', 'MiniSearch'] : ['Spillway']
  const rows: string[][] = []
  for (const megabytes of isQuick ? [1] : [1, 10, 100]) {
    for (const way of ways) {
      const answer = await child(fileURLToPath(import.meta.url), { way, megabytes }, { killMs: 900_000 })
      const { figures, killed } = answer as { readonly figures?: Figures; readonly killed?: boolean }
      const cells = figures && [figures.build, figures.rare, figures.frequent, figures.failure, figures.memory]
      const failed = killed === true ? 'none in 15 minutes' : 'failed'
      rows.push([`${megabytes} MB`, way, ...(cells?.map((value) => count(value)) ?? [failed, '', '', '', ''])])
    }
  }
  const head = ['log', 'by', 'build, ms', 'rare words, ms', 'frequent words, ms', 'a failure, ms', 'memory, MB']
  return table(head, rows, 2)
}

async function measure(way: Way, megabytes: number): Promise<Figures> {
  const content = new Uint8Array(readFileSync(makeFile('log', megabytes)))
  const text = way === 'Spillway' ? '' : new TextDecoder().decode(content)
  await openOurs(new TextEncoder().encode('a first question\nloads the code'))('first')
  const base = resetPeak()
  const start = process.cpuUsage()
  const ask = way === 'Spillway' ? openOurs(content) : await miniSearch.open(text)
  const build = spentSince(start)
  const median = async (question: string): Promise<number> => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const begin = process.cpuUsage()
      await ask(question)
      times.push(spentSince(begin))
    }
    return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
  }
  const rare = await median(QUESTIONS.rare)
  const frequent = await median(QUESTIONS.frequent)
  const failure = await median(QUESTIONS.failure)
  return { build, rare, frequent, failure, memory: peakMB() - base }
}

/** Milliseconds of CPU time of all threads. On a busy machine, CPU time is more reliable than elapsed time. */
function spentSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const task = args().child as unknown as { readonly way: Way; readonly megabytes: number } | undefined
if (task !== undefined) reply({ figures: await measure(task.way, task.megabytes) })
