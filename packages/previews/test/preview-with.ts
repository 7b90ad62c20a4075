import { estimateTokens } from '@spillway/text/internal'
import type { PreviewOptions, TextPreviewer, TextSubject } from '../src/previewer.ts'

/** Return the subject of a text for a previewer. */
export function subjectOf(text: string, subject: Partial<TextSubject> = {}): TextSubject {
  return {
    toolName: 'tool',
    input: undefined,
    intent: { paths: [], words: [] },
    contentType: 'text/plain',
    start: text.slice(0, 16_384),
    isWhole: text.length <= 16_384,
    end: text.slice(-4_096),
    ...subject,
  }
}

/** Preview a text with one previewer, even if it does not recognize the text. Chunks are pushed separately. */
export async function previewWith(
  previewer: TextPreviewer,
  text: string | readonly string[],
  options: Partial<PreviewOptions> = {},
  subject: Partial<TextSubject> = {},
): Promise<string | undefined> {
  const pieces = typeof text === 'string' ? [text] : text
  const about = subjectOf(pieces.join(''), subject)
  const reader = previewer.read(about)
  for (const piece of pieces) reader.push(piece)
  return (await reader.finish(about))?.({ budgetTokens: 400, countTokens: estimateTokens, ...options })
}
