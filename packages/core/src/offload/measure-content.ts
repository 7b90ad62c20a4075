import {
  documentText,
  estimateLargeTokens,
  indentJson,
  isMediaBlock,
  isStorable,
  type ContentBlock,
  type CountTokens,
  type MediaBlock,
} from '@spillway/text/internal'

/** Indentation costs at most about this factor, so below it only the compact form can tell. */
const INDENT_FACTOR = 3

/** Names up to this length are part of what is reckoned for a block. */
const MAX_NAME_LENGTH = 100

/** A block and what it costs the context. */
export interface MeasuredBlock {
  readonly block: ContentBlock
  /** Position in the result. */
  readonly index: number
  readonly tokens: number
  /** Text to store and preview: that of a text block, or indented JSON. Absent for media and what is not stored. */
  readonly text?: string | undefined
  readonly isStorable: boolean
}

/**
 * Count what each block of a result costs, without counting a large text whole.
 *
 * JSON is written once, indented, for storage and preview alike; where that could make the difference to `limit`, its
 * compact form is counted instead, which is what a framework would send.
 */
export function measureContent(
  content: readonly ContentBlock[],
  limit: number,
  countTokens: CountTokens,
): MeasuredBlock[] {
  return content.map((block, index) => {
    if (block.type === 'text')
      return {
        block,
        index,
        text: block.text,
        tokens: estimateLargeTokens(block.text, countTokens),
        isStorable: isStorable(block),
      }
    if (block.type === 'json') {
      const text = indentJson(block.value)
      if (text === undefined) return { block, index, tokens: 0, isStorable: false }
      // A short text needs no count: it has fewer tokens than characters.
      const indented = text.length > limit * INDENT_FACTOR ? estimateLargeTokens(text, countTokens) : 0
      const tokens = indented > limit * INDENT_FACTOR ? indented : countTokens(JSON.stringify(block.value))
      return { block, index, text, tokens, isStorable: true }
    }
    if (isMediaBlock(block)) {
      const tokens = mediaTokens(block, countTokens) + nameTokens(block.name, countTokens)
      return { block, index, tokens, isStorable: isStorable(block) }
    }
    const text = block.type === 'link' ? block.url + longName(block.name) : indentJson(block.value)
    return { block, index, tokens: text === undefined ? 0 : estimateLargeTokens(text, countTokens), isStorable: false }
  })
}

/** A name that says more than what a reader needs, such as a whole text; others cost as good as nothing. */
const longName = (name = ''): string => (name.length > MAX_NAME_LENGTH ? name : '')

const nameTokens = (name: string | undefined, countTokens: CountTokens): number =>
  longName(name) === '' ? 0 : estimateLargeTokens(longName(name), countTokens)

/** Documents that are text cost what their text does, other media by their size. */
function mediaTokens({ type, mediaType, data }: MediaBlock, countTokens: CountTokens): number {
  const document = type === 'document' && data !== undefined ? documentText(data, mediaType) : undefined
  if (document !== undefined) return estimateLargeTokens(document.text, countTokens)
  return mediaTokensOfSize(type, data?.byteLength)
}

/** Models charge media by dimensions, pages or seconds, which grow with the size; these are typical bytes per token. */
const BYTES_PER_TOKEN = { image: 400, audio: 400, video: 400, document: 20 } as const
const URL_TOKENS = 100

/** Estimate the tokens of media by their size in bytes; media that come by URL, `undefined`, have a fixed price. */
export const mediaTokensOfSize = (type: MediaBlock['type'], bytes: number | undefined): number =>
  bytes === undefined ? URL_TOKENS : Math.ceil(bytes / BYTES_PER_TOKEN[type])

/** Roughly what the replacement says beside its preview, in tokens: the frame, and a reference for each block. */
const FRAME_TOKENS = 150
const REFERENCE_TOKENS = 60

/** Estimate what a replacement says beside its preview, for so many stored parts. */
export const frameTokens = (parts: number): number => FRAME_TOKENS + REFERENCE_TOKENS * parts

/** Choose what to store of a result over the limit: the largest blocks, until the others and the replacement fit. */
export function chooseBlocks(
  blocks: readonly MeasuredBlock[],
  maxResultTokens: number,
  previewTokens: number,
): MeasuredBlock[] {
  let rest = blocks.reduce((sum, block) => sum + block.tokens, 0)
  const chosen: MeasuredBlock[] = []
  const candidates = blocks.filter((block) => block.isStorable).sort((a, b) => b.tokens - a.tokens || a.index - b.index)
  for (const candidate of candidates) {
    if (rest + previewTokens + frameTokens(chosen.length) <= maxResultTokens) break
    chosen.push(candidate)
    rest -= candidate.tokens
  }
  return chosen.sort((a, b) => a.index - b.index)
}
