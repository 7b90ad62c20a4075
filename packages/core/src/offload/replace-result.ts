import type { ContentBlock } from '@spillway/text/internal'
import { corePreviewers } from '@spillway/previews'
import { toolIntent, withPreviewers, type OnFallback } from '@spillway/previews/internal'
import { chooseBlocks } from './choose-blocks.ts'
import type { ResolvedOptions } from './context-offloader-options.ts'
import type { MeasuredBlock } from './measure-content.ts'
import type { OffloadedBlock, OffloadRequest, OffloadStreamRequest } from './offload-request.ts'
import { offloadStream } from './offload-stream.ts'
import { readMediaParts, type PartReading } from './read-media-parts.ts'
import {
  replacementSources,
  writeReplacement,
  type ReplacementRequest,
  type ReplacementSource,
  type WrittenReplacement,
} from './render-replacement.ts'
import { partKey, storageParts, storeParts, undoAndThrow, unreachable } from './store-blocks.ts'

/** What replacing a result needs of its offloader. */
export interface ReplacingOffloader {
  readonly options: ResolvedOptions
  readonly retrievalToolName: string
  /** As of {@link ReplacementRequest}. */
  readonly sizesByKind: boolean
  readonly onFallback: OnFallback
}

/** What was stored, and what stands in its place. */
export interface Replacement {
  readonly stored: readonly OffloadedBlock[]
  readonly content: readonly ContentBlock[]
  readonly tokens: { readonly original: number; readonly replacement: number }
}

/** Store the largest blocks and write what stands in their place; where that fails, nothing new stays in storage. */
export async function replaceResult(
  request: OffloadRequest,
  blocks: readonly MeasuredBlock[],
  original: number,
  offloader: ReplacingOffloader,
): Promise<Replacement | { readonly reason: 'not-storable' | 'not-smaller' }> {
  const { options } = offloader
  const { storage, maxResultTokens, previewTokens, redact = (text: string) => text } = options
  const { toolName, toolCallId, signal } = request
  const reading = readingOf(request, offloader)
  const candidates = chooseBlocks(blocks, maxResultTokens, previewTokens)
  const read = await readMediaParts(storageParts(candidates, toolCallId, redact), reading)
  const lost = unreachable(read, options)
  const parts = read.filter((part) => !lost.has(part))
  const lostKeys = new Set([...lost].map(({ key }) => key))
  const chosen = candidates.filter(({ index }) => !lostKeys.has(partKey(toolCallId, index)))
  if (chosen.length === 0) return { reason: 'not-storable' }
  const { stored, undo } = await storeParts(storage, parts, toolName, signal)
  const replaced = new Set(chosen)
  const kept = blocks.filter((block) => !replaced.has(block))
  const rest = kept.reduce((sum, block) => sum + block.tokens, 0)
  let sources: ReplacementSource[]
  let written: WrittenReplacement
  try {
    sources = await replacementSources(stored, reading)
    const ofOriginal = { blocks: chosen.length, tokens: original - rest, isError: request.isError ?? false }
    written = await writeReplacement(sources, writingOf(ofOriginal, rest, offloader), options)
  } catch (error) {
    return undoAndThrow(undo, error)
  }
  const replacement = written.tokens + rest
  if (replacement >= original) {
    await undo()
    return { reason: 'not-smaller' }
  }
  const content = [...written.content, ...kept.map((block) => block.block)]
  return { stored: describeStored(sources), content, tokens: { original, replacement } }
}

/** Store a stream while it arrives and write what stands in its place. One that stays inline comes back whole. */
export async function replaceStream(
  request: OffloadStreamRequest,
  offloader: ReplacingOffloader,
): Promise<
  | Replacement
  | {
      readonly reason: 'within-limit' | 'not-smaller'
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number }
    }
> {
  const { options } = offloader
  const result = await offloadStream(request, options, readingOf(request, offloader))
  const original = result.tokens
  if (result.sources === undefined) return { reason: 'within-limit', content: result.content, tokens: { original } }
  const { sources, isError } = result
  const ofOriginal = { blocks: 1, tokens: original, isError }
  const written = await writeReplacement(sources, writingOf(ofOriginal, 0, offloader), options)
  if (result.content !== undefined && written.tokens >= original) {
    for (const { reference } of sources) await options.storage.delete?.(reference)
    return { reason: 'not-smaller', content: result.content, tokens: { original } }
  }
  const tokens = { original, replacement: written.tokens }
  return { stored: describeStored(sources), content: written.content, tokens }
}

/** What content of a call is read with. */
function readingOf(
  { toolName, input, purpose, signal }: Pick<OffloadRequest, 'toolName' | 'input' | 'purpose' | 'signal'>,
  { options, onFallback }: ReplacingOffloader,
): PartReading {
  const call = { toolName, input, intent: toolIntent(toolName, input, purpose) }
  return { call, options, previewers: withPreviewers(options.previewers, corePreviewers), onFallback, signal }
}

const writingOf = (
  original: ReplacementRequest['original'],
  kept: number,
  { retrievalToolName, sizesByKind, onFallback }: ReplacingOffloader,
): ReplacementRequest => ({ original, kept, retrievalToolName, sizesByKind, onFallback })

const describeStored = (sources: readonly ReplacementSource[]): OffloadedBlock[] =>
  sources.map(({ reference, type, contentType, size, name }) => ({
    reference,
    type,
    contentType,
    size,
    ...(name !== undefined && { name }),
  }))
