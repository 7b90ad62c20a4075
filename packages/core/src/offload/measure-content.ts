import {
  documentText,
  estimateLargeTokens,
  indentLargeJson,
  isMediaBlock,
  isStorable,
  yieldWhenDue,
  type ContentBlock,
  type CountTokens,
  type MediaBlock,
} from '@spillway/text/internal'

/** Least number of tokens of a byte in JSON: a number and a comma. */
const TOKENS_OF_BYTE = 2
/** Largest ratio between the tokens of indented JSON and the tokens of compact JSON. */
const INDENT_FACTOR = 3
const MAX_NAME_LENGTH = 100

export interface MeasuredBlock {
  readonly block: ContentBlock
  readonly index: number
  readonly tokens: number
  /** Text to store and preview, with JSON indented. Absent for media, bytes, and blocks that cannot be stored. */
  readonly text?: string | undefined
  readonly isStorable: boolean
}

/** Counts the tokens of JSON in compact form, as frameworks send it, unless this form is certainly over `limit`. */
export async function measureContent(
  content: readonly ContentBlock[],
  limit: number,
  countTokens: CountTokens,
  caller?: unknown,
): Promise<MeasuredBlock[]> {
  const measured: MeasuredBlock[] = []
  for (const [index, block] of content.entries()) {
    measured.push({ block, index, ...(await measureBlock(block, limit, countTokens, caller)) })
    await yieldWhenDue(caller)
  }
  return measured
}

async function measureBlock(
  block: ContentBlock,
  limit: number,
  countTokens: CountTokens,
  caller: unknown,
): Promise<Omit<MeasuredBlock, 'block' | 'index'>> {
  if (block.type === 'text')
    return {
      text: block.text,
      // Many empty blocks also fill the context.
      tokens: Math.max(1, estimateLargeTokens(block.text, countTokens)),
      isStorable: true,
    }
  if (block.type === 'json') {
    if (block.value instanceof Uint8Array) return { tokens: TOKENS_OF_BYTE * block.value.byteLength, isStorable: true }
    const text = await indentLargeJson(block.value, caller)
    if (text === undefined) return { tokens: 0, isStorable: false }
    // A short text has fewer tokens than characters, so its tokens are not counted.
    const indented = text.length > limit * INDENT_FACTOR ? estimateLargeTokens(text, countTokens) : 0
    const tokens = indented > limit * INDENT_FACTOR ? indented : countTokens(JSON.stringify(block.value))
    return { text, tokens, isStorable: true }
  }
  if (isMediaBlock(block)) {
    const tokens = mediaTokens(block, countTokens) + nameTokens(block.name, countTokens)
    return { tokens, isStorable: isStorable(block) }
  }
  const text = block.type === 'link' ? block.url + longName(block.name) : await indentLargeJson(block.value, caller)
  return { tokens: text === undefined ? 0 : estimateLargeTokens(text, countTokens), isStorable: false }
}

/** Returns a name only if it is long, because short names cost almost nothing. */
const longName = (name = ''): string => (name.length > MAX_NAME_LENGTH ? name : '')

const nameTokens = (name: string | undefined, countTokens: CountTokens): number =>
  longName(name) === '' ? 0 : estimateLargeTokens(longName(name), countTokens)

function mediaTokens({ type, mediaType, data }: MediaBlock, countTokens: CountTokens): number {
  const document = type === 'document' && data !== undefined ? documentText(data, mediaType) : undefined
  if (document !== undefined) return estimateLargeTokens(document.text, countTokens)
  return mediaTokensOfSize(type, data?.byteLength)
}

/** Typical bytes for each token. Models charge for dimensions, pages or seconds, which grow with the size. */
const BYTES_PER_TOKEN = { image: 400, audio: 400, video: 400, document: 20 } as const
const URL_TOKENS = 100

/** Estimates the tokens of media. Media by URL, whose `bytes` are `undefined`, have a fixed number of tokens. */
export const mediaTokensOfSize = (type: MediaBlock['type'], bytes: number | undefined): number =>
  bytes === undefined ? URL_TOKENS : Math.ceil(bytes / BYTES_PER_TOKEN[type])

const FRAME_TOKENS = 150
const REFERENCE_TOKENS = 60
export const frameTokens = (parts: number): number => FRAME_TOKENS + REFERENCE_TOKENS * parts

/** Chooses the largest blocks, until the other blocks fit together with the replacement. */
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

/** Gives each part the tokens it needs, up to an equal share, and divides the remaining tokens evenly. */
export function shareBudget(needs: readonly number[], budget: number): number[] {
  const shares: number[] = Array.from(needs, () => 0)
  const smallestFirst = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need)
  let left = budget
  for (const [position, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (smallestFirst.length - position)))
    shares[index] = share
    left -= share
  }
  return shares
}
