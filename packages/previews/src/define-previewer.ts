import type { PreviewOptions, TextPreviewer, TextSubject } from './previewer.ts'

/** Definition of a previewer that reads a whole text. */
export interface PreviewerDefinition extends Pick<TextPreviewer, 'name' | 'recognize' | 'maxLength'> {
  /** Write the preview of a text. If the function returns `undefined`, the text is previewed by lines. */
  readonly preview: (
    text: string,
    options: PreviewOptions,
    subject: TextSubject,
  ) => string | undefined | Promise<string | undefined>
}

/**
 * Create a previewer from a function that maps a text to its preview.
 *
 * If the function throws, or returns `undefined` or too many tokens, the text is previewed by lines, and an event is
 * emitted. If `maxLength` is absent, other previewers read texts over 16,777,216 characters.
 *
 * @example
 * ```ts
 * import { estimateTokens } from '@spillway/core'
 * import { definePreviewer, previewText } from '@spillway/previews'
 *
 * const mail = definePreviewer({
 *   name: 'mail',
 *   recognize: ({ start }) => (/^From: .+\n/m.test(start) ? 0.9 : 0),
 *   preview: (text) => /^Subject: .+$/m.exec(text)?.[0],
 * })
 * const text = `From: ada@example.com\nSubject: Engines\n\n${'Dear Charles,\n'.repeat(500)}`
 * const preview = await previewText(text, { previewers: [mail], budgetTokens: 100 })
 * console.assert(preview === 'Subject: Engines' && estimateTokens(preview) < 100)
 * ```
 */
export function definePreviewer(definition: PreviewerDefinition): TextPreviewer {
  const { name, recognize, preview, maxLength = 16_777_216 } = definition
  return {
    name,
    previews: 'text',
    recognize,
    maxLength,
    read: (subject) => {
      const pieces: string[] = []
      return {
        push: (text) => void pieces.push(text),
        finish: () => {
          const text = pieces.join('')
          return (options) => preview(text, options, subject)
        },
      }
    },
  }
}
