import type { TextPreviewer } from '../previewer.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'
import type { Outliner } from './outline.ts'
import { sourceSigns } from './source-signs.ts'

/** Longest text, in UTF-16 units. Longer texts are previewed by lines. */
const MAX_LENGTH = 4_194_304
/**
 * Previews source code: names of definitions with their lines, then requested lines, merge conflicts, definitions, and
 * other code.
 *
 * Code is recognized by path, content type, and lines. Minified and very long code is left to the preview by lines. If
 * `outline` throws, the reader throws the same error.
 *
 * @param outline - Finds definitions with a grammar. By default, and for languages without a grammar, patterns find
 * them.
 */
export function sourcePreviewer(outline?: Outliner): TextPreviewer {
  return {
    name: 'source',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    maxLength: MAX_LENGTH,
    recognize: (subject) => sourceSigns(subject)?.sureness ?? 0,
    read: (subject) => {
      const pieces: string[] = []
      return {
        push: (text) => void pieces.push(text),
        finish: async () => (await import('./read-source.ts')).readSource(pieces.join(''), subject, outline),
      }
    },
  }
}
