import { indentJson, estimateLargeTokens } from '@spillway/text/internal'
import type { HistoryArchive } from '../archive/history-archive.ts'
import { storeItems } from '../archive/store-items.ts'
import type { HistoryMessage, HistoryToolCall } from '../history-message.ts'
import { countPart } from '../measure/count-message.ts'
import { argumentsOf, mapTexts, withArguments, withWhole } from './argument-texts.ts'
import { textContent, type StorableContent } from './archived-content.ts'
import { NO_JSON, redactedJson } from './redacted-json.ts'
import { compactExactly } from './compact-exactly.ts'
import type { CompactedPart } from './compacted-part.ts'
import type { CompactionContext } from './compaction-context.ts'
import { newItem, writeReplaced, type ContentOrigin, type StoredContent } from './write-replaced.ts'

/** Below this, what would stand in the place of a text is no shorter. */
const MIN_TEXT_TOKENS = 200
/** More long texts than this are stored as one, with all other arguments. */
const MAX_TEXTS = 16

/**
 * Store the long texts among the arguments of a call, such as the content of a file that was written, and return the call
 * with references in their places: short arguments, such as the path, stay. Where the length lies elsewhere, all of the
 * arguments are stored as one. Rejects as the archive does, and then has kept nothing.
 */
export async function compactArguments(
  message: HistoryMessage,
  part: HistoryToolCall,
  context: CompactionContext,
): Promise<CompactedPart<HistoryToolCall> | undefined> {
  const { redact } = context.offloader.options
  const value = argumentsOf(part)
  const texts = longTexts(part, value, context)
  const contents =
    texts === undefined ? [wholeContent(part, redact)] : texts.map((text) => textContent('argument', text, redact))
  const place = (replacements: readonly string[]): HistoryToolCall => {
    if (texts === undefined) return withWhole(part, replacements[0] ?? '')
    const byText = new Map(texts.map((text, index) => [text, replacements[index] ?? text]))
    return withArguments(
      part,
      mapTexts(value, (text) => byText.get(text) ?? text),
    )
  }
  return await compactExactly(
    message,
    part,
    contents,
    (all, archive) => compact(part, all, place, archive, context),
    context,
  )
}

async function compact(
  part: HistoryToolCall,
  contents: readonly StorableContent[],
  place: (replacements: readonly string[]) => HistoryToolCall,
  archive: Pick<HistoryArchive, 'store'>,
  context: CompactionContext,
): Promise<CompactedPart<HistoryToolCall>> {
  const { countTokens, signal } = context
  const origin: ContentOrigin = { callId: part.id, toolName: part.name, call: undefined, isError: false }
  const items = contents.map((content, index) =>
    newItem(content, origin, content.kind === 'original' ? 'original_input' : `input_${index}`),
  )
  const stored = await storeItems(archive, items, { signal })
  try {
    const named = contents.map((content, index): StoredContent => ({ ...content, item: stored.items[index]! }))
    const original = named.filter(({ kind }) => kind === 'original')
    const replacements: string[] = []
    for (const content of named) {
      if (content.kind === 'original') continue
      const tokens = estimateLargeTokens(content.text ?? '', countTokens)
      // The first one leads to what all of them were part of.
      const all = replacements.length === 0 ? [content, ...original] : [content]
      replacements.push(await writeReplaced('argument', origin, all, { blocks: 1, tokens }, context))
    }
    return { part: place(replacements), stored }
  } catch (error) {
    await stored.undo()
    throw error
  }
}

/** Return the long texts of arguments, each once; `undefined` where what is left without them would still be too much. */
function longTexts(
  part: HistoryToolCall,
  value: unknown,
  { countTokens, maxToolMessageTokens }: CompactionContext,
): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const texts = new Set<string>()
  mapTexts(value, (text) => {
    // Fewer characters have fewer tokens.
    if (text.length >= MIN_TEXT_TOKENS && estimateLargeTokens(text, countTokens) > MIN_TEXT_TOKENS) texts.add(text)
    return text
  })
  if (texts.size === 0 || texts.size > MAX_TEXTS) return undefined
  // As JSON, a text has more tokens than it has itself.
  const left = withArguments(
    part,
    mapTexts(value, (text) => (texts.has(text) ? '' : text)),
  )
  return countPart(left, countTokens) > maxToolMessageTokens ? undefined : [...texts]
}

/** Say how all arguments are stored as one. Throws where `redact` leaves of JSON what a call cannot be given back with. */
function wholeContent(part: HistoryToolCall, redact: ((text: string) => string) | undefined): StorableContent {
  const { input } = part
  const text = typeof input === 'string' ? input : (indentJson(input) ?? '')
  if (redact === undefined || argumentsOf(part) === undefined || (typeof input === 'string' && !part.inputIsText))
    return textContent('argument', text, redact)
  const left = redactedJson(text, redact)
  if (left === undefined) throw new TypeError(NO_JSON)
  return { ...textContent('argument', left, undefined), isRedacted: left !== text }
}
