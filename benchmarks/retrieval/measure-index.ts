import { table } from '../report/table.ts'
import { makeContent } from './contents.ts'
import type { RunOptions } from './run-options.ts'
import type { Section } from '../report/section.ts'
import { inProcess, type ContextModeFigures } from './tasks.ts'
import { megabytes, milliseconds } from '../report/write-figures.ts'

const KILL_MS = 300_000

/** Measure a search with a full-text index that is built before: the time and size of the index, and the hits. */
export async function measureIndex(options: RunOptions): Promise<Section> {
  if (!options.has('context-mode')) return { text: 'context-mode is not installed.', bounds: [], figures: [] }
  const figures: (ContextModeFigures & { readonly megabytes: number })[] = []
  for (const size of options.isQuick ? [1] : [1, 10, 100]) {
    const { file } = await makeContent('log', size, options)
    figures.push({ megabytes: size, ...(await inProcess('contextMode', { file }, KILL_MS)) })
  }
  const rows = figures.map(({ megabytes: size, indexMs, indexMegabytes, searchMs, hits, of, peak }) => [
    `${size} MB`,
    milliseconds(indexMs),
    megabytes(indexMegabytes),
    milliseconds(searchMs),
    `${hits} of ${of}`,
    megabytes(peak),
  ])
  const heads = ['log', 'to index, ms', 'index, MB', 'first search, ms', 'planted lines found', 'peak MB']
  return { text: `context-mode, which indexes words (FTS5):\n\n${table(heads, rows)}`, bounds: [], figures }
}
