import { expect } from 'vitest'
import { StorageError } from '../src/storage/storage-error.ts'
import type { Storage, StoredInfo } from '../src/storage/storage.ts'
import { createRetrievalTool } from '../src/retrieval/retrieval-tool.ts'
import type { RetrievalResult, RetrievalTool, RetrievalToolOptions } from '../src/retrieval/retrieval-tool.ts'

export type Entries = Readonly<
  Record<
    string,
    | ({ readonly content: string | Uint8Array; readonly contentType?: string } & Partial<
        Pick<StoredInfo, 'key' | 'storedAt' | 'metadata'>
      >)
    | StorageError
  >
>

/** A storage over fixed entries. Later entries are newer. */
export function storageOf(entries: Entries, scoped: boolean): Storage {
  const find = (reference: string): { content: Uint8Array; contentType: string; told: Partial<StoredInfo> } => {
    const entry = entries[reference]
    if (entry === undefined) throw new StorageError('not-found', 'secret-host has no such entry', { reference })
    if (StorageError.isInstance(entry)) throw entry
    const content = typeof entry.content === 'string' ? new TextEncoder().encode(entry.content) : entry.content.slice()
    const { content: _content, contentType = 'text/plain', ...told } = entry
    return { content, contentType, told }
  }
  const storage: Storage = {
    store: async (key) => key,
    retrieve: async (reference) => find(reference),
    retrieveRange: async (reference, { offset, length }) => {
      const { content, contentType } = find(reference)
      return { content: content.slice(offset, offset + length), contentType, size: content.length }
    },
  }
  if (!scoped) return storage
  return {
    ...storage,
    async *list() {
      for (const [index, [reference, entry]] of Object.entries(entries).entries()) {
        const described = StorageError.isInstance(entry)
          ? { content: new Uint8Array(9), contentType: 'text/plain', told: {} }
          : find(reference)
        const { content, contentType } = described
        const info: StoredInfo = {
          reference,
          key: '',
          contentType,
          size: content.length,
          // The current time, a little later for each entry.
          storedAt: Date.now() + index,
          lastUsedAt: Date.now() + index,
          metadata: {},
          state: 'complete',
          ...described.told,
        }
        yield info
      }
    },
  }
}

/** Four characters are a token. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4)

export function toolOf(entries: Entries, options: Partial<RetrievalToolOptions> = {}): RetrievalTool {
  const scoped = options.scoped ?? false
  return createRetrievalTool({
    storage: storageOf(entries, scoped),
    scoped,
    maxRetrievalTokens: 2_500,
    countTokens,
    ...options,
  })
}

export function textOf(result: RetrievalResult): string {
  const [block, ...others] = result.content
  if (block?.type !== 'text' || others.length > 0)
    throw new Error(`expected one text block, got ${JSON.stringify(result)}`)
  return block.text
}

const PART = /^<<< (\S+)(.*): untrusted content\n([^]*?)\n>>> end of \1$/gm

/** Replace the fences in an answer by empty lines, and the facts in fences by headings. */
export function withoutFences(text: string): string {
  const heading = (reference: string, facts: string): string => (facts === '' ? '' : `== ${reference}${facts} ==\n`)
  return text
    .replace(PART, (_, reference: string, facts: string, shown: string) => `\n${heading(reference, facts)}${shown}\n`)
    .replaceAll('\n\n\n== ', '\n\n== ')
    .slice(
      text.startsWith('<<< ') ? 1 : 0,
      /^>>> end of \S+$/.test(text.slice(text.lastIndexOf('\n') + 1)) ? -1 : undefined,
    )
}

export async function ask(tool: RetrievalTool, input: unknown): Promise<string> {
  const result = await tool.execute(input)
  expect(result.isError).toBe(false)
  return withoutFences(textOf(result))
}

export async function fail(tool: RetrievalTool, input: unknown): Promise<{ code: string; text: string }> {
  const result = await tool.execute(input)
  if (!result.isError) throw new Error(`expected an error, got ${textOf(result)}`)
  return { code: result.code, text: textOf(result) }
}

/** Sixty lines. Lines 49 and 51 are of admins. */
export const users = Array.from({ length: 60 }, (_, index) =>
  index === 48 || index === 50 ? `admin ${index + 1}` : `user ${index + 1}`,
).join('\n')
