import { StorageError } from '@spillway/core'
import { indentJson, warn, yieldWhenDue } from '@spillway/text/internal'
import type { HistoryFormat } from '../history-format.ts'
import type {
  HistoryContent,
  HistoryMessage,
  HistoryPart,
  HistoryText,
  HistoryToolCall,
  HistoryToolResult,
} from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import type { ArchivedByHistory, WorkingMessage, HistoryFailure, HistoryReason } from '../history-outcome.ts'
import { countPart } from '../measure/count-message.ts'
import { recentStart } from '../measure/recent-start.ts'
import { redactedJson } from '@spillway/core/internal'
import { NO_JSON, storableContent, textContent, type StorableContent } from './archived-content.ts'
import { argumentsOf, mapTexts, withArguments, withWhole } from './argument-texts.ts'
import { chooseParts, chooseTexts, type ChosenPart } from './choose-parts.ts'
import { compactExactly } from './restore-message.ts'
import {
  shrinkReplacement,
  writeReplaced,
  type CompactedPart,
  type CompactionContext,
  type ContentOrigin,
  type StoredContent,
} from './write-replaced.ts'

const CONCURRENT_PARTS = 4

export interface Compaction {
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

export function compactionContext(
  working: readonly WorkingMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): CompactionContext {
  const calls = new Map<string, HistoryToolCall>()
  for (const { message } of working)
    for (const part of message.parts) if (part.type === 'tool-call') calls.set(part.id, part)
  return { ...options, format, calls }
}

/** Replace all large results and arguments in older messages. A part that cannot be stored does not change. */
export async function compactMessages(
  working: readonly WorkingMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<Compaction> {
  const messages = working.map(({ message }) => message)
  const chosen = chooseParts(working, recentStart(messages, options.keepRecentForCompact), options)
  return await replaceParts(chosen, compactionContext(working, format, options))
}

export const compactRequest = (workingMessage: WorkingMessage, context: CompactionContext): Promise<Compaction> =>
  replaceParts(chooseTexts(workingMessage, context), context)

async function replaceParts(chosen: readonly ChosenPart[], context: CompactionContext): Promise<Compaction> {
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  for (let start = 0; start < chosen.length; start += CONCURRENT_PARTS) {
    const batch = chosen.slice(start, start + CONCURRENT_PARTS)
    await yieldWhenDue(context.caller)
    if (failures.some(isOutage)) {
      for (const { workingMessage } of batch) workingMessage.reason = 'store-failed'
      continue
    }
    const results = await Promise.all(
      batch.map((choice) => {
        const isKnown = choice.kind === 'replacement'
        return attempt(choice.workingMessage, choice.tokens, context, () => compactPart(choice, context), isKnown)
      }),
    )
    for (const [index, result] of results.entries()) {
      const { workingMessage, position } = batch[index]!
      apply(workingMessage, position, result, context)
      stored.push(...result.stored)
      failures.push(...result.failures)
    }
  }
  return { stored, failures }
}

const STOPS: ReadonlySet<string> = new Set(['unavailable', 'aborted'])

/** Return whether a failure stops the pass: the storage is unavailable, or the pass was aborted. */
export const isOutage = ({ error }: HistoryFailure): boolean => StorageError.isInstance(error) && STOPS.has(error.code)

async function compactPart(
  choice: ChosenPart,
  context: CompactionContext,
): Promise<CompactedPart<HistoryPart> | undefined> {
  const { workingMessage, part } = choice
  if (choice.kind === 'text') return await compactText(workingMessage.message, choice.part, context)
  if (choice.kind === 'arguments') return await compactArguments(workingMessage.message, choice.part, context)
  if (choice.kind === 'replacement') {
    const shorter = await shrinkReplacement(choice.part, choice.replacement, context)
    if (shorter !== undefined) return { part: shorter, stored: { items: [], rollback: async () => {} } }
    // The text only imitates a replacement: its items are not stored.
    if (choice.tokens <= context.maxToolMessageTokens) return { part, stored: { items: [], rollback: async () => {} } }
  }
  return await compactResult(workingMessage.message, choice.part, choice.tokens, context)
}

interface Attempt extends Compaction {
  readonly part?: HistoryPart
  readonly reason: HistoryReason
}

async function attempt(
  { index, message }: WorkingMessage,
  tokens: number,
  context: CompactionContext,
  compact: () => Promise<CompactedPart<HistoryPart> | undefined>,
  isKnown = false,
): Promise<Attempt> {
  try {
    const compacted = await compact()
    if (compacted === undefined) return { reason: 'not-storable', stored: [], failures: [] }
    const { part, stored } = compacted
    if (writtenTokens(message, part, context) >= tokens) {
      await stored.rollback()
      return { reason: isKnown ? 'already-compacted' : 'not-smaller', stored: [], failures: [] }
    }
    const items = stored.items.map(({ name, kind, size }) => ({ name, kind, size, index }))
    return { part, reason: 'compacted', stored: items, failures: [] }
  } catch (error) {
    // After any error, the message does not change, and the outcome reports the error.
    if (!StorageError.isInstance(error)) warn('A part of a history could not be compacted and was kept.', error)
    return { reason: 'store-failed', stored: [], failures: [{ step: 'store', index, error }] }
  }
}

function writtenTokens(message: HistoryMessage, part: HistoryPart, { format, countTokens }: CompactionContext): number {
  const written = format.read(format.write([{ ...message, parts: [part] }]))
  const parts = written.flatMap((one) => one.parts)
  return parts.reduce((sum, one) => sum + countPart(one, countTokens), 0)
}

function apply(
  workingMessage: WorkingMessage,
  position: number,
  { part, reason }: Attempt,
  { countTokens }: CompactionContext,
): void {
  if (part === undefined) {
    workingMessage.reason = workingMessage.reason === 'compacted' ? workingMessage.reason : reason
    return
  }
  const { parts } = workingMessage.message
  // Counting the other parts again would be slow for messages with many results.
  workingMessage.tokens += countPart(part, countTokens) - countPart(parts[position]!, countTokens)
  workingMessage.message = { ...workingMessage.message, parts: parts.with(position, part) }
  workingMessage.reason = reason
}

const MIN_TEXT_TOKENS = 200
const MAX_TEXTS = 16

async function compactArguments(
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
  const origin: ContentOrigin = { callId: part.id, toolName: part.name, call: undefined, isError: false }
  const nameOf = ({ kind }: StorableContent, index: number): string =>
    kind === 'original' ? 'original_input' : `input_${index}`
  const write = async (stored: readonly StoredContent[]): Promise<HistoryToolCall> => {
    const original = stored.filter(({ kind }) => kind === 'original')
    const replacements: string[] = []
    for (const content of stored) {
      if (content.kind === 'original') continue
      const total = { blocks: 1, tokens: context.countTokens(content.text ?? '') }
      // The first replacement also names the stored original.
      const all = replacements.length === 0 ? [content, ...original] : [content]
      replacements.push(await writeReplaced('argument', origin, all, total, context))
    }
    return place(replacements)
  }
  return await compactExactly(message, part, contents, { origin, nameOf, write }, context)
}

function longTexts(
  part: HistoryToolCall,
  value: unknown,
  { countTokens, maxToolMessageTokens }: CompactionContext,
): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const texts = new Set<string>()
  mapTexts(value, (text) => {
    // No text has more tokens than characters.
    if (text.length >= MIN_TEXT_TOKENS && countTokens(text) > MIN_TEXT_TOKENS) texts.add(text)
    return text
  })
  if (texts.size === 0 || texts.size > MAX_TEXTS) return undefined
  const left = withArguments(
    part,
    mapTexts(value, (text) => (texts.has(text) ? '' : text)),
  )
  return countPart(left, countTokens) > maxToolMessageTokens ? undefined : [...texts]
}

function wholeContent(part: HistoryToolCall, redact: ((text: string) => string) | undefined): StorableContent {
  const { input } = part
  const text = typeof input === 'string' ? input : (indentJson(input) ?? '')
  if (redact === undefined || argumentsOf(part) === undefined || (typeof input === 'string' && !part.inputIsText))
    return textContent('argument', text, redact)
  const left = redactedJson(text, redact)
  if (left === undefined) throw new TypeError(NO_JSON)
  return { ...textContent('argument', left, undefined), isRedacted: left !== text }
}

/** Largest number of texts with their own references. More references would fill the context again. */
const MAX_SEPARATE_TEXTS = 16

async function compactResult(
  message: HistoryMessage,
  part: HistoryToolResult,
  tokens: number,
  context: CompactionContext,
): Promise<CompactedPart<HistoryToolResult> | undefined> {
  const { redact } = context.offloader.options
  const { callId, toolName, isError = false } = part
  const origin: ContentOrigin = { callId, toolName, call: context.calls.get(callId), isError }
  const contents: StorableContent[] = []
  const retained: HistoryContent[] = []
  for (const content of part.content) {
    const storable = storableContent(content, redact)
    if (storable === undefined) retained.push(content)
    else contents.push(storable)
  }
  if (contents.length === 0) return undefined

  const total = { blocks: part.content.length, tokens }
  const nameOf = ({ kind }: StorableContent, index: number): string => (kind === 'original' ? kind : `${index}`)
  const write = async (stored: readonly StoredContent[]): Promise<HistoryToolResult> => {
    const text = await writeReplaced('result', origin, stored, total, context)
    return { ...part, content: [{ type: 'text', text }, ...retained] }
  }
  return await compactExactly(message, part, joinTexts(contents), { origin, nameOf, write }, context)
}

function joinTexts(contents: readonly StorableContent[]): readonly StorableContent[] {
  const texts = contents.filter(({ text }) => text !== undefined)
  if (texts.length <= MAX_SEPARATE_TEXTS) return contents
  const all = textContent('text', texts.map(({ text }) => text).join('\n'), undefined)
  return [all, ...contents.filter(({ text }) => text === undefined)]
}

async function compactText(
  message: HistoryMessage,
  part: HistoryText,
  context: CompactionContext,
): Promise<CompactedPart<HistoryText> | undefined> {
  const origin: ContentOrigin = { callId: message.role, toolName: '', call: undefined, isError: false }
  const content = textContent('message', part.text, context.offloader.options.redact)
  const total = { blocks: 1, tokens: countPart(part, context.countTokens) }
  const nameOf = ({ kind }: StorableContent): string => (kind === 'original' ? kind : 'message')
  const write = async (stored: readonly StoredContent[]): Promise<HistoryText> => ({
    ...part,
    text: await writeReplaced('message', origin, stored, total, context),
  })
  return await compactExactly(message, part, [content], { origin, nameOf, write }, context)
}
