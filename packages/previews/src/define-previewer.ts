import type { PreviewOptions, TextPreviewer, TextSubject } from './previewer.ts'

/** A text previewer that reads a text as a whole. */
export interface PreviewerDefinition extends Pick<TextPreviewer, 'name' | 'recognize' | 'maxLength'> {
  /** Write the preview. `undefined` leaves the text to the next previewer. */
  readonly preview: (
    text: string,
    options: PreviewOptions,
    subject: TextSubject,
  ) => string | undefined | Promise<string | undefined>
}

/**
 * Make a previewer of a function from a text to its preview.
 *
 * Where the function throws, returns `undefined` or more tokens than the budget, the text is previewed by its lines
 * instead, and an event says so. Without `maxLength`, texts of more than 16,777,216 characters are left to others.
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
