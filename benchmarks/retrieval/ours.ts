// The module that the retrieval benchmarks measure as `ours`: the real storages and the real retrieval tool.
import { createReadStream } from 'node:fs'
import { createRetrievalTool, estimateTokens, type ManagedStorage, type RetrievalTool } from '@spillway/core'
import { FileStorage, NodeFileSystem } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { countingFileSystem } from '../counting-file-system.ts'
import type { BackendUse } from './subjects/subject.ts'

const CHARS_PER_TOKEN = 4
const READ_BYTES = 1 << 20
const SQL_DEADLINE_MS = 60_000

/** Options of a storage. Only files need a `directory`. */
export interface StoreOptions {
  readonly dir?: string | undefined
}

/** A search. The expression has its JavaScript meaning, and is applied to each line. */
export interface StoreQuestion {
  readonly pattern: string
  readonly ignoreCase?: boolean | undefined
  readonly context: number
  /** Approximate limit of the answer in characters. */
  readonly maxChars: number
}

/** The interface of the object that `open` of a module in `--ours` returns. References are valid in other processes. */
export interface Store {
  put(session: string, key: string, bytes: Uint8Array, options: { contentType: string }): Promise<string>
  putFile(session: string, key: string, path: string, options: { contentType: string }): Promise<string>
  get(reference: string): Promise<Uint8Array>
  /** `matches` is absent if the answer does not state the number of matching lines. */
  search(reference: string, question: StoreQuestion): Promise<{ matches?: number | undefined; text: string }>
  lines(reference: string, range: { start: number; end: number; maxChars: number }): Promise<{ text: string }>
  /** Absent if SQL is not supported. */
  sql?(reference: string, statement: { sql: string; maxChars: number }): Promise<{ text: string }>
  /** Absent if use of the backend is not counted. */
  backendUse?(): BackendUse
  close(): Promise<void>
}

/** Open a storage of this kind. */
export async function open(kind: 'memory' | 'file', { dir }: StoreOptions): Promise<Store> {
  if (kind === 'memory') return storeOf(new InMemoryStorage())
  const { fileSystem, use } = countingFileSystem(new NodeFileSystem())
  return { ...storeOf(new FileStorage({ directory: dir, fileSystem })), backendUse: use }
}

function storeOf(storage: ManagedStorage): Store {
  const tools = new Map<string, RetrievalTool>()
  const toolOf = (session: string, maxChars: number, deadlineMs?: number): RetrievalTool => {
    const key = `${maxChars} ${deadlineMs} ${session}`
    const tool =
      tools.get(key) ??
      createRetrievalTool({
        storage: storage.scope(session),
        scoped: true,
        maxRetrievalTokens: maxChars / CHARS_PER_TOKEN,
        countTokens: estimateTokens,
        deadlineMs,
      })
    tools.set(key, tool)
    return tool
  }
  const ask = async (address: string, maxChars: number, input: object, deadlineMs?: number): Promise<string> => {
    const { session, reference } = parseAddress(address)
    const { content } = await toolOf(session, maxChars, deadlineMs).execute({ reference, ...input })
    return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
  }
  return {
    put: async (session, key, bytes, { contentType }) =>
      addressOf(session, await storage.scope(session).store(key, bytes, contentType)),
    putFile: async (session, key, path, { contentType }) => {
      const chunks = createReadStream(path, { highWaterMark: READ_BYTES })
      return addressOf(session, await storage.scope(session).storeStream(key, chunks, contentType))
    },
    get: async (address) => {
      const { session, reference } = parseAddress(address)
      return (await storage.scope(session).retrieve(reference)).content
    },
    search: async (address, { pattern, ignoreCase, context, maxChars }) => {
      const input = { pattern, context_lines: context, ...(ignoreCase === true && { ignore_case: true }) }
      const text = await ask(address, maxChars, input)
      return { matches: countOf(text), text }
    },
    lines: async (address, { start, end, maxChars }) => ({
      text: await ask(address, maxChars, { line_range: { start, end } }),
    }),
    sql: async (address, { sql, maxChars }) => ({ text: await ask(address, maxChars, { sql }, SQL_DEADLINE_MS) }),
    close: () => storage.close(),
  }
}

/** Return the number of matching lines from the first line of an answer. */
function countOf(text: string): number | undefined {
  const [first = ''] = text.split('\n', 1)
  if (/^\[?No match/i.test(first)) return 0
  const count = /^\[([\d,]+) match/.exec(first)?.[1]
  return count === undefined ? undefined : Number(count.replaceAll(',', ''))
}

/** Combine a session and a reference, because a reference is valid only in its session. */
const addressOf = (session: string, reference: string): string => `${session}/${reference}`

function parseAddress(address: string): { readonly session: string; readonly reference: string } {
  const at = address.indexOf('/')
  return { session: address.slice(0, at), reference: address.slice(at + 1) }
}
