// Indexes of other packages, if setup.sh has installed them.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PEERS, peerFile } from '../../speed/lib.mjs'
import { blocksOf, PASSAGES, type Ranker } from './ranker.ts'

const MINISEARCH = 'query/node_modules/minisearch/dist/es/index.js'
const CONTEXT_MODE = 'cm/node_modules/context-mode/build/store.js'

interface Index {
  addAll(documents: readonly { readonly id: number; readonly text: string }[]): void
  search(question: string, options: { readonly prefix: boolean }): readonly { readonly id: number }[]
}

interface ContentStore {
  indexPlainText(text: string, source: string): unknown
  searchWithFallback(query: string, limit: number, source: string): readonly { readonly content: string }[]
}

/** An index of MiniSearch, which is an inverted index in memory. Words are found by their prefixes. */
export const miniSearch: Ranker = {
  name: 'MiniSearch',
  async open(text) {
    const { default: MiniSearch } = (await peerFile(MINISEARCH)) as {
      default: new (options: { readonly fields: readonly string[] }) => Index
    }
    const blocks = blocksOf(text)
    const index = new MiniSearch({ fields: ['text'] })
    index.addAll(blocks.map((block, id) => ({ id, text: block.text })))
    return async (question) =>
      index
        .search(question, { prefix: true })
        .slice(0, PASSAGES)
        .flatMap(({ id }) => blocks[id] ?? [])
        .map(({ first, last }) => ({ first, last }))
  },
}

/** An index of context-mode, which stores its own passages in SQLite FTS5. */
export const contextMode: Ranker = {
  name: 'context-mode',
  async open(text) {
    const { ContentStore: Store } = (await peerFile(CONTEXT_MODE)) as {
      ContentStore: new (path: string) => ContentStore
    }
    const directory = mkdtempSync(join(tmpdir(), 'spillway-bench-query-'))
    const store = new Store(join(directory, 'index.db'))
    store.indexPlainText(text, 'log')
    // An open file can still be read after it was unlinked.
    rmSync(directory, { recursive: true })
    return async (question) =>
      store.searchWithFallback(question, PASSAGES, 'log').map(({ content }) => ({ text: content }))
  },
}

/** Return the installed peers. */
export function installedPeers(): readonly Ranker[] {
  const installed = (file: string): boolean => existsSync(join(PEERS, file))
  return [...(installed(MINISEARCH) ? [miniSearch] : []), ...(installed(CONTEXT_MODE) ? [contextMode] : [])]
}
