import {
  type ContentBlock,
  type MediaBlock,
  contentTypeEssence,
  mediaKind,
  isTextContentType,
  formatCount,
  visibleText,
} from '@spillway/text/internal'
import { rewriteInexactNumbers } from '@spillway/text/internal/json'
import { EMPTY_NOTE, writeBeginning } from './answer-lines.ts'
import { withContent } from './open-content.ts'
import type { ContentSource } from '../content/content-source.ts'
import { cutToFit, fits } from './fit-answer.ts'
import { abridge } from './plain-text.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { RetrievalContext } from './retrieval-context.ts'

/** Text with more bytes per token than this does not fit, whatever it is: it is not even read. */
const BYTES_PER_TOKEN = 64

/** Text above this size is never returned as a whole, also where there is no limit: a string has its own. */
const MAX_WHOLE_BYTES = 64 * 1_048_576

/** A native block, and the text of it that counts against the limit; media have none. */
export interface FullAnswer {
  readonly block: ContentBlock
  readonly text: string
}

/** Answer a bare reference: the content in its native form where it fits, else its beginning. */
export async function answerFull(reference: string, context: RetrievalContext): Promise<FullAnswer> {
  return await withContent(context.storage, reference, { ...context, readsPart: true }, async (source) => {
    const mediaKind = mediaKindOf(source.contentType)
    if (mediaKind !== undefined) return await readMedia(source, mediaKind, context)
    if (source.size === 0) return textAnswer(cutToFit(EMPTY_NOTE, context))
    if (source.size <= Math.min(MAX_WHOLE_BYTES, context.maxTokens * BYTES_PER_TOKEN)) {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source.whole())
      if (fits(text, context)) return isJson(source.contentType) ? jsonAnswer(text) : textAnswer(visibleLines(text))
    }
    return textAnswer(cutToFit(await writeBeginning(source, context), context))
  })
}

function mediaKindOf(contentType: string): MediaBlock['type'] | undefined {
  const kind = mediaKind(contentType)
  return kind === 'document' && isTextContentType(contentType) ? undefined : kind
}

async function readMedia(
  source: ContentSource,
  type: MediaBlock['type'],
  { maxMediaBytes }: RetrievalContext,
): Promise<FullAnswer> {
  const { contentType, size } = source
  if (size > maxMediaBytes) {
    throw new RetrievalError(
      'too-large',
      `This content (${abridge(contentType, 80)}, ${formatCount(size)} bytes) is larger than the ` +
        `${formatCount(maxMediaBytes)} bytes that can be returned, and it is not text that could be searched. ` +
        'Work with the preview, or run the tool again for a smaller result.',
    )
  }
  return { block: { type, mediaType: contentType, data: await source.whole() }, text: '' }
}

function isJson(contentType: string): boolean {
  return contentTypeEssence(contentType) === 'application/json'
}

/** Show text without what controls a terminal, with its line ends as they are. */
function visibleLines(text: string): string {
  return text.split('\r\n').map(visibleText).join('\r\n')
}

function textAnswer(text: string): FullAnswer {
  return { block: { type: 'text', text }, text }
}

/** JSON as a value, or as text if a value would have other digits than what is stored. */
function jsonAnswer(text: string): FullAnswer {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    const isExact = rewriteInexactNumbers(text, () => '') === text
    return isExact ? { block: { type: 'json', value }, text } : textAnswer(visibleLines(text))
  } catch (error) {
    // Stored under the type of JSON without being any.
    if (error instanceof SyntaxError) return textAnswer(visibleLines(text))
    throw error
  }
}
