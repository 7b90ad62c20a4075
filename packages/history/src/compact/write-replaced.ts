import { parseJsonText } from '@spillway/text/internal'
import { gapCalls, shareBudget } from '@spillway/core/internal'
import { corePreviewers } from '@spillway/previews'
import { LineCounter, readText, toolIntent, withPreviewers } from '@spillway/previews/internal'
import {
  unlessMissing,
  type ArchivedItem,
  type HistoryArchive,
  type ParsedReplacement,
  type ReplacedContent,
  type StoredItems,
} from '../archive/history-archive.ts'
import type { HistoryFormat } from '../history-format.ts'
import type { HistoryToolCall, HistoryToolResult } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import { decodeText, type StorableContent } from './archived-content.ts'

export interface ContentOrigin {
  readonly callId: string
  /** Empty if the part is not from a tool. */
  readonly toolName: string
  readonly call: HistoryToolCall | undefined
  readonly isError: boolean
}

export interface StoredContent extends StorableContent {
  readonly item: ArchivedItem
}

/** Write a replacement. The previews of its texts share one budget. */
export async function writeReplaced(
  subject: ReplacedContent['subject'],
  origin: ContentOrigin,
  contents: readonly StoredContent[],
  original: { readonly blocks: number; readonly tokens: number },
  context: CompactionContext,
): Promise<string> {
  const { archive, countTokens, historyPreviewTokens } = context
  const previewed = contents.map(({ kind, text }) => (kind === 'original' ? undefined : text))
  const texts = previewed.filter((text) => text !== undefined)
  // A single text gets the whole budget.
  const need = (text: string): number => (texts.length === 1 ? Infinity : countTokens(text))
  const needs = previewed.map((text) => (text === undefined ? 0 : need(text)))
  const shares = shareBudget(needs, historyPreviewTokens)
  const items: ReplacedContent['items'][number][] = []
  for (const [index, content] of contents.entries()) {
    const { text, contentType, label } = content
    const item = { ...content.item, ...(label !== undefined && { label }) }
    if (previewed[index] === undefined || text === undefined) items.push({ ...item, preview: '' })
    else {
      const written = await previewText(text, contentType, shares[index] ?? 0, origin, context)
      items.push({ ...item, text, ...written })
    }
  }
  return archive.writeReplacement({ subject, items, isError: origin.isError, ...original })
}

const MAX_INPUT_LENGTH = 65_536

async function previewText(
  text: string,
  contentType: string,
  budgetTokens: number,
  { toolName, call, isError }: ContentOrigin,
  { offloader: { options }, caller }: CompactionContext,
): Promise<{ readonly lines: number; readonly preview: string }> {
  if (budgetTokens === 0) return { lines: countLines(text), preview: '' }
  const input = call === undefined ? undefined : inputValue(call)
  const previewing = { call: { toolName, input, intent: toolIntent(toolName, input), caller }, contentType }
  // The fallback, which selects lines, is good enough for a short preview.
  const reading = {
    ...previewing,
    previewers: withPreviewers(options.previewers, corePreviewers),
    onFallback: () => {},
  }
  const { lines, write } = await readText(text, reading)
  const preview = await write({ budgetTokens, countTokens: options.countTokens, isError, ...gapCalls(options) })
  return { lines, preview }
}

function countLines(text: string): number {
  const counter = new LineCounter()
  counter.push(text)
  return counter.lines
}

function inputValue({ input, inputIsText }: HistoryToolCall): unknown {
  if (!inputIsText) return input
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return undefined
  return parseJsonText(input)
}

const MAX_PREVIEWED_BYTES = 4_194_304

/** Shorten a replacement of the offloader. Return `undefined` if an item is not stored. Rejects during an outage. */
export async function shrinkReplacement(
  part: HistoryToolResult,
  { items, blocks, tokens, isError }: ParsedReplacement,
  context: CompactionContext,
): Promise<HistoryToolResult | undefined> {
  if (items.length === 0) return undefined
  const contents: StoredContent[] = []
  for (const item of items) {
    const content = await findContent(item, context)
    if (content === undefined) return undefined
    contents.push(content)
  }
  const origin = { callId: part.callId, toolName: part.toolName, call: context.calls.get(part.callId), isError }
  const text = await writeReplaced('result', origin, contents, { blocks, tokens }, context)
  return { ...part, content: [{ type: 'text', text }, ...part.content.slice(1)] }
}

async function findContent(item: ArchivedItem, context: CompactionContext): Promise<StoredContent | undefined> {
  const { archive, signal } = context
  const { kind, contentType, name, size } = item
  const content = { item, kind, contentType, bytes: new Uint8Array(), isRedacted: false }
  const isText = kind === 'text' || kind === 'json'
  if (!isText || size > MAX_PREVIEWED_BYTES) return (await isStored(archive, name, signal)) ? content : undefined
  const stored = await unlessMissing(archive.retrieve(name, { signal }))
  if (stored?.content.byteLength !== size) return undefined
  return { ...content, text: decodeText(stored.content) }
}

async function isStored(archive: HistoryArchive, name: string, signal: AbortSignal | undefined): Promise<boolean> {
  if (archive.has !== undefined) return await archive.has(name, { signal })
  return (await unlessMissing(archive.retrieve(name, { signal }))) !== undefined
}

export interface CompactionContext extends ResolvedHistoryOptions {
  readonly format: HistoryFormat<unknown>
  /** Calls by id. A call's arguments improve the preview of its result. */
  readonly calls: ReadonlyMap<string, HistoryToolCall>
}

export interface CompactedPart<Part> {
  readonly part: Part
  readonly stored: StoredItems
}
