import { indentJson, isMediaBlock, isTextContentType, yieldWhenDue, parseJsonText } from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { withTextSource, type ContentSource } from '../content/content-source.ts'
import { mentionedReferences } from '../session/shared-content.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { MeasuredBlock } from './measure-content.ts'
import type { OffloadRequest } from './offload-request.ts'

/** UTF-16 units that are searched for references, in the arguments and at the start of each text. */
const INPUT_UNITS = 65_536
const BEGINNING_UNITS = 4_096
const MAX_REFERENCES = 4
/** Largest number of UTF-16 units that a result may add to stored lines, such as an exit code. */
const MAX_ADDED_UNITS = 1_000
const LINES_AT_ONCE = 1_000
/** Number before a line, as written by `cat -n`, `grep -n`, read tools and the retrieval tool. */
const LINE_NUMBER = /^(?:>\s*)?\d+(?:[|→:\t-]|\s{2})\s*/
const SEPARATOR = '---'

/** A result whose content is already stored. */
export interface ReadBack {
  /** References of the entries that have the content. */
  readonly references: readonly string[]
  /** Lines of the result that are not in these entries. */
  readonly added: readonly string[]
}

/**
 * Recognizes a result that any tool read from storage.
 *
 * The arguments or the start of the result must contain references of entries. Any text can contain a reference, so the
 * entries are read and compared. Each line of a text must be a line of an entry, in the same order. Media must have the
 * bytes of an entry.
 */
export async function findReadBack(...compared: Parameters<typeof compare>): Promise<ReadBack | undefined> {
  try {
    return await compare(...compared)
  } catch (error) {
    // Arguments or JSON may be too deep to compare. Such a result is offloaded like any other.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function compare(
  { input, signal }: Pick<OffloadRequest, 'input' | 'signal'>,
  blocks: readonly MeasuredBlock[],
  storage: AdoptedStorage,
): Promise<ReadBack | undefined> {
  const texts = blocks.flatMap(({ text }) => text ?? [])
  const naming = [
    (indentJson(input) ?? '').slice(0, INPUT_UNITS),
    ...texts.map((text) => text.slice(0, BEGINNING_UNITS)),
  ]
  const references = [...new Set(naming.flatMap((text) => mentionedReferences(text)))].slice(0, MAX_REFERENCES)
  if (references.length === 0) return undefined

  async function eachSource(use: (source: ContentSource) => Promise<void>): Promise<void> {
    for (const reference of references)
      try {
        await withTextSource(storage, reference, { signal }, use)
      } catch (error) {
        // Many texts only look like references. Outages are ignored here, because storing reports them.
        if (!StorageError.isInstance(error)) throw error
      }
  }

  const added: string[] = []
  for (const { block, isStorable } of blocks) {
    const data = isMediaBlock(block) ? block.data : undefined
    let isSame = false
    if (data !== undefined)
      await eachSource(async (source) => {
        isSame ||= source.size === data.byteLength && (await hasBytes(source, data))
      })
    if (data !== undefined && !isSame) return undefined
    if (!isStorable) added.push(indentJson(block) ?? '')
  }
  if (texts.length === 0) return { references, added }
  for (const { lines, others } of [{ lines: texts, others: [] }, unfolded(texts)]) {
    const found = await findLines(await formsOf(lines, storage.caller), eachSource)
    const all = [...added, ...others, ...(found ?? [])]
    if (found !== undefined && all.join('\n').length <= MAX_ADDED_UNITS) return { references, added: all }
  }
  return undefined
}

/** Compares bytes block by block, so that other work can run between large blocks. */
async function hasBytes(source: ContentSource, data: Uint8Array): Promise<boolean> {
  let offset = 0
  for await (const block of source.blocks()) {
    const from = offset
    if (!block.every((byte, at) => byte === data[from + at])) return false
    offset += block.length
    await yieldWhenDue(source.caller)
  }
  return offset === data.length
}

/** Takes texts of several lines out of JSON, because a shell tool may return its output in a JSON field. */
function unfolded(texts: readonly string[]): { readonly lines: readonly string[]; readonly others: readonly string[] } {
  const lines: string[] = []
  const others = texts.map((text) => {
    const value = /^\s*[{[]/.test(text) ? parseJsonText(text) : undefined
    const take = (_key: string, field: unknown): unknown =>
      typeof field === 'string' && field.includes('\n') ? (lines.push(field), '') : field
    return value === undefined ? text : JSON.stringify(value, take)
  })
  return { lines, others }
}

/** A line, and the same line without a leading line number. */
type LineForms = readonly [line: string, bare: string]

async function formsOf(texts: readonly string[], caller: unknown): Promise<LineForms[]> {
  const all: LineForms[] = []
  for (const text of texts)
    for (const each of text.split('\n')) {
      const line = each.trim()
      if (line !== '' && line !== SEPARATOR) all.push([line, line.replace(LINE_NUMBER, '')])
      if (all.length % LINES_AT_ONCE === 0) await yieldWhenDue(caller)
    }
  return all
}

/** Returns the lines that are not stored, or `undefined` if there are many or the order differs. */
async function findLines(
  lines: readonly LineForms[],
  eachSource: (use: (source: ContentSource) => Promise<void>) => Promise<void>,
): Promise<readonly string[] | undefined> {
  const eachLine = async (visit: (line: string) => void): Promise<void> =>
    await eachSource(async (source) => {
      if (isTextContentType(source.contentType)) await readLines(source, visit)
    })
  const wanted = new Set(lines.flat())
  const found = new Set<string>()
  await eachLine((line) => {
    if (wanted.has(line)) found.add(line)
  })
  const added: string[] = []
  const stored = lines.filter((forms) => forms.some((form) => found.has(form)) || (added.push(forms[0]), false))
  if (added.join('\n').length > MAX_ADDED_UNITS) return undefined
  let next = 0
  await eachLine((line) => {
    if (stored[next]?.includes(line) === true) next++
  })
  return stored.length > 0 && next === stored.length ? added : undefined
}

async function readLines(source: ContentSource, visit: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let open: string[] = []
  for await (const block of source.blocks()) {
    const text = decoder.decode(block, { stream: true })
    const end = text.lastIndexOf('\n')
    if (end >= 0) {
      for (const line of (open.join('') + text.slice(0, end)).split('\n')) visit(line.trim())
      open = []
    }
    open.push(text.slice(end + 1))
  }
  visit((open.join('') + decoder.decode()).trim())
}
