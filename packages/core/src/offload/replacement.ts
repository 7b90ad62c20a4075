import { countOf, mediaFormat, safeName } from '@spillway/text/internal'
import { fenceName } from '../storage/reference.ts'
import type { Location } from '../storage/storage.ts'
import type { StoragePart } from './store-blocks.ts'

export interface ReplacedBlock extends Pick<StoragePart, 'type' | 'contentType' | 'name' | 'context' | 'joined'> {
  readonly reference: string
  /** Text shown beside the reference instead of the type. */
  readonly kind?: string | undefined
  readonly size: number
  readonly lines?: number | undefined
  /** This text is untrusted, because the author of the content may have chosen it. */
  readonly description?: string | undefined
  /** Whether a smaller version of the block follows the replacement. */
  readonly isShown?: boolean | undefined
  /** Reference of the document that this text was extracted from, or of the text in which these media were found. */
  readonly partOf?: string | undefined
  readonly preview?: string | undefined
  readonly location?: Location | undefined
}

export interface Replacement {
  readonly blocks: readonly ReplacedBlock[]
  readonly original: { readonly blocks: number; readonly tokens: number }
  readonly isError: boolean
  readonly retrievalTool: string | undefined
  readonly guide?: readonly string[] | undefined
  /** Short instructions that are used instead of all others. */
  readonly brief?: readonly string[] | undefined
}

const BEGINNING = /^\[Offloaded: \d[\d,]* blocks?, ~/
const MAX_CONTEXT_LENGTH = 160
/** Largest number of placeholders. If there are more media blocks, they are described only beside their references. */
const MAX_PLACEHOLDERS = 16

/** Writes a replacement in the format of Strands' `ContextOffloader`. Fences enclose the untrusted previews. */
export function formatReplacement(replacement: Replacement): string {
  const { blocks, original, brief } = replacement
  const located = blocks.some((block) => block.location !== undefined)
  return [
    `[Offloaded: ${countOf(original.blocks, 'block')}, ~${countOf(original.tokens, 'token')}]`,
    ...instructions(replacement, located),
    ...(brief === undefined ? ['', ...formatBlocks(blocks)] : blocks.flatMap(formatBriefly)),
    '[Stored references:]',
    ...blocks.map((block) => formatReference(block, areMany(blocks))),
  ].join('\n')
}

/** Check whether a text starts like a replacement. Other programs or people may have written such a text. */
export function isReplacement(text: string): boolean {
  return BEGINNING.test(text)
}

function instructions(
  { blocks, retrievalTool, guide = [], brief, isError }: Replacement,
  located: boolean,
): readonly string[] {
  if (brief !== undefined) return brief
  const what = isError ? 'The tool failed; its output' : 'The tool result'
  const isSearched = retrievalTool !== undefined && blocks.some(isText)
  const then = isSearched
    ? `If the preview does not answer your question, use ${retrievalTool} with a reference and a pattern (regex or keyword) or line_range: { start, end }.`
    : 'Use the preview if it answers your question.'
  const lines = [`${what} was offloaded because of its size. ${then}`]
  if (retrievalTool !== undefined && !isSearched)
    lines.push(`It is binary: call ${retrievalTool} with only a reference to get it whole.`)
  lines.push(...guide)
  if (located)
    lines.push(
      blocks.some(isText)
        ? 'The command after a reference prints its full content; pipe it into grep or sed to read part of it.'
        : 'The command after a reference prints its full content.',
    )
  return lines
}

const isText = (block: ReplacedBlock): boolean => block.lines !== undefined

function formatBlocks(blocks: readonly ReplacedBlock[]): string[] {
  const shown = blocks.filter((block) => !isInPreview(block))
  if (shown.length === 1) return shown.flatMap((block) => formatBlock(block, shortFence(block)))
  if (!areMany(blocks)) return shown.flatMap((block) => formatBlock(block))
  const previewed = blocks.filter((block) => block.preview !== undefined)
  return [
    ...previewed.flatMap((block) => formatBlock(block)),
    `[${blocks.length - previewed.length} media blocks: each is described beside its reference]`,
    '',
  ]
}

const areMany = (blocks: readonly ReplacedBlock[]): boolean =>
  blocks.filter((block) => block.preview === undefined && !isInPreview(block)).length > MAX_PLACEHOLDERS

/** Whether the preview of a text has placeholders for these media. */
const isInPreview = ({ preview, partOf }: ReplacedBlock): boolean => preview === undefined && partOf !== undefined

function formatBlock(block: ReplacedBlock, fence: string = fenceFor(block)): string[] {
  if (block.preview === undefined) return [placeholder(block), '']
  const isMedia = block.type !== 'text' && block.type !== 'json'
  return [
    ...(isMedia ? [placeholder(block)] : []),
    `<<< preview of ${fence}: untrusted content`,
    block.preview,
    `>>> end of ${fence}`,
    '',
  ]
}

function formatBriefly(block: ReplacedBlock): string[] {
  if (block.preview === undefined) return block.type === 'text' || block.type === 'json' ? [] : [placeholder(block)]
  const fence = shortFence(block)
  return [`<<< ${fence}: untrusted content`, block.preview, `>>> ${fence}`]
}

/** Returns a fence that the preview does not contain. Most references have a digest, so content cannot forge them. */
function fenceFor(block: ReplacedBlock, beginning: string = block.reference): string {
  let fence = beginning
  while (block.preview?.includes(fence) === true) fence += '_'
  return fence
}

/** A shorter fence, which is enough if there is only one preview. */
const shortFence = (block: ReplacedBlock): string => fenceFor(block, fenceName(block.reference))

/** Writes a placeholder, for example `[document: pdf, "report.pdf", 12 pages, 99 bytes]`. */
export function placeholder(block: Omit<ReplacedBlock, 'reference'>): string {
  const format = mediaFormat(block.contentType)
  const words = [format && safeName(format), quotedName(block.name), block.description && safeName(block.description)]
  const shown = block.isShown === true ? ', smaller below' : ''
  return `[${block.type}: ${words.map((word) => (word ? `${word}, ` : '')).join('')}${countOf(block.size, 'byte')}${shown}]`
}

/** Put a name in quotes, so that it cannot continue as an instruction. */
function quotedName(name = '', maxLength?: number): string {
  const safe = safeName(name, maxLength)
  return safe === '' ? '' : `"${safe.replaceAll('"', "'")}"`
}

function formatReference(block: ReplacedBlock, isDescribed: boolean): string {
  const type = block.type === 'text' || block.type === 'json' ? block.type : safeName(block.contentType)
  const kind = block.kind ?? type
  const joined = block.joined === undefined ? '' : ` of ${block.joined} blocks`
  const partOf = block.partOf === undefined ? '' : ` of ${block.partOf}`
  const names = [quotedName(block.name), quotedName(block.context, MAX_CONTEXT_LENGTH)]
  const named = names.map((name) => name && `, ${name}`).join('')
  const description =
    (isDescribed || isInPreview(block)) && block.description !== undefined ? `, ${safeName(block.description)}` : ''
  const lines = block.lines === undefined ? '' : `, ${countOf(block.lines, 'line')}`
  const location = block.location === undefined ? '' : `: ${block.location.command}`
  const size = countOf(block.size, 'byte')
  return `  ${block.reference} (${kind}${joined}${partOf}${named}${description}, ${size}${lines})${location}`
}
