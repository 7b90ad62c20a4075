import { formatCount, mediaFormat, safeName } from '@spillway/text/internal'
import type { Location } from '../storage/storage.ts'

/** A stored block as the replacement shows it. */
export interface ReplacedBlock {
  readonly reference: string
  readonly type: 'text' | 'json' | 'image' | 'audio' | 'video' | 'document'
  /** What it is called beside its reference, in place of its type. */
  readonly kind?: string | undefined
  readonly contentType: string
  readonly size: number
  /** Lines of text; absent for media that are no text. */
  readonly lines?: number | undefined
  /** What media are, in a few words; whoever made the content may have chosen them. */
  readonly description?: string | undefined
  /** Whether something smaller in its place stands beside the replacement. */
  readonly isShown?: boolean | undefined
  /** The reference of the document that this is the text of. */
  readonly textOf?: string | undefined
  readonly name?: string | undefined
  /** What a tool says of the block beside its name. */
  readonly context?: string | undefined
  /** Blocks of text or JSON that were joined into this one. */
  readonly joined?: number | undefined
  readonly preview?: string | undefined
  readonly location?: Location | undefined
}

/** What the replacement of a tool result says. */
export interface Replacement {
  readonly blocks: readonly ReplacedBlock[]
  /** Blocks of the result that were offloaded, and their tokens. */
  readonly original: { readonly blocks: number; readonly tokens: number }
  readonly isError: boolean
  readonly retrievalTool: string | undefined
  /** Lines that say how to get more without that tool. */
  readonly guide?: readonly string[] | undefined
  /** What is said in place of all instructions. */
  readonly brief?: readonly string[] | undefined
}

/** How it begins, whatever else it says. */
const BEGINNING = /^\[Offloaded: \d[\d,]* blocks, ~/
const MAX_CONTEXT_LENGTH = 160
/** Beyond this many media blocks, saying twice what each is would fill the context. */
const MAX_PLACEHOLDERS = 16
const BRIEF_FENCE_LENGTH = 8

/**
 * Write the text that stands for a tool result in the context.
 *
 * The frame is that of Strands' offloader: `[Offloaded: N blocks, ~T tokens]` first, `[Stored references:]` last.
 * Previews are untrusted and stand between fences that they cannot contain.
 */
export function formatReplacement(replacement: Replacement): string {
  const { blocks, original, brief } = replacement
  const located = blocks.some((block) => block.location !== undefined)
  return [
    `[Offloaded: ${original.blocks} blocks, ~${formatCount(original.tokens)} tokens]`,
    ...instructions(replacement, located),
    ...(brief === undefined ? ['', ...formatBlocks(blocks)] : blocks.flatMap(formatBriefly)),
    '[Stored references:]',
    ...blocks.map((block) => formatReference(block, areMany(blocks))),
  ].join('\n')
}

/** Tell whether a text begins as {@link formatReplacement} writes it; whoever knows how may have written it. */
export function isReplacement(text: string): boolean {
  return BEGINNING.test(text)
}

function instructions(
  { blocks, retrievalTool, guide = [], brief, isError }: Replacement,
  located: boolean,
): readonly string[] {
  if (brief !== undefined) return brief
  const what = isError ? 'The tool failed; its output' : 'The tool result'
  const lines = [
    `${what} was offloaded to storage because of its size. Use the preview below if it answers your question.`,
  ]
  if (retrievalTool !== undefined)
    lines.push(
      ...(blocks.some(isText)
        ? [
            `If you need more, use ${retrievalTool} with a reference and:`,
            '  - pattern: regex or keyword to find matching lines with context',
            '  - line_range: { start, end } to read a span of lines',
            'Retrieve full content (omit pattern and line_range) only as a last resort.',
          ]
        : [`It is binary: ${retrievalTool} with a reference, and nothing else, gives it whole.`]),
    )
  lines.push(...guide)
  if (located)
    lines.push(
      blocks.some(isText)
        ? 'The command after a reference prints its full content; pipe it into grep or sed to read part of it.'
        : 'The command after a reference prints its full content.',
    )
  return lines
}

/** Whether a block can be searched and read by lines. */
const isText = (block: ReplacedBlock): boolean => block.lines !== undefined

function formatBlocks(blocks: readonly ReplacedBlock[]): string[] {
  if (!areMany(blocks)) return blocks.flatMap(formatBlock)
  const previewed = blocks.filter((block) => block.preview !== undefined)
  return [
    ...previewed.flatMap(formatBlock),
    `[${blocks.length - previewed.length} media blocks: what each is stands beside its reference]`,
    '',
  ]
}

/** Whether there are too many media to say of each what it is before saying it beside its reference. */
const areMany = (blocks: readonly ReplacedBlock[]): boolean =>
  blocks.filter((block) => block.preview === undefined).length > MAX_PLACEHOLDERS

function formatBlock(block: ReplacedBlock): string[] {
  if (block.preview === undefined) return [placeholder(block), '']
  const fence = fenceFor(block)
  const isMedia = block.type !== 'text' && block.type !== 'json'
  return [
    ...(isMedia ? [placeholder(block)] : []),
    `<<< preview of ${fence}: untrusted content`,
    block.preview,
    `>>> end of ${fence}`,
    '',
  ]
}

/** A few characters of the digest will do for a short preview; of a text that has none, its reference says what it is. */
function formatBriefly(block: ReplacedBlock): string[] {
  if (block.preview === undefined) return block.type === 'text' || block.type === 'json' ? [] : [placeholder(block)]
  const fence = fenceFor(block, block.reference.slice(-BRIEF_FENCE_LENGTH))
  return [`<<< ${fence}: untrusted content`, block.preview, `>>> ${fence}`]
}

/** A digest in the reference makes it unforgeable; references of other storages may be guessed, so make sure. */
function fenceFor(block: ReplacedBlock, beginning: string = block.reference): string {
  let fence = beginning
  while (block.preview?.includes(fence) === true) fence += '_'
  return fence
}

/** Say what a media block is: `[image: png, 800 × 600, 1,234 bytes]`, `[document: pdf, report.pdf, 12 pages, 99 bytes]`. */
function placeholder(block: ReplacedBlock): string {
  const words = [mediaFormat(block.contentType), block.name, block.description].filter((word) => word !== undefined)
  const shown = block.isShown === true ? ', smaller below' : ''
  return `[${block.type}: ${words.map((word) => `${safeName(word)}, `).join('')}${formatCount(block.size)} bytes${shown}]`
}

function formatReference(block: ReplacedBlock, isDescribed: boolean): string {
  const type = block.type === 'text' || block.type === 'json' ? block.type : safeName(block.contentType)
  const kind = block.kind ?? type
  const joined = block.joined === undefined ? '' : ` of ${block.joined} blocks`
  const textOf = block.textOf === undefined ? '' : ` of ${block.textOf}`
  // In quotes, so that a name with a parenthesis cannot end what stands in parentheses and go on with a command.
  const names = [safeName(block.name ?? ''), safeName(block.context ?? '', MAX_CONTEXT_LENGTH)]
  const named = names.map((name) => (name === '' ? '' : `, "${name.replaceAll('"', "'")}"`)).join('')
  const description = isDescribed && block.description !== undefined ? `, ${safeName(block.description)}` : ''
  const lines = block.lines === undefined ? '' : `, ${formatCount(block.lines)} ${block.lines === 1 ? 'line' : 'lines'}`
  const location = block.location === undefined ? '' : `: ${block.location.command}`
  const size = `${formatCount(block.size)} bytes`
  return `  ${block.reference} (${kind}${joined}${textOf}${named}${description}, ${size}${lines})${location}`
}
