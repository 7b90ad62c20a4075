import { countOf } from '../layout/gap-marks.ts'
import { checkedShares } from '../layout/checked-shares.ts'
import { hiddenOf } from '../layout/count-between.ts'
import { numberCut, numberNote } from '../layout/cut-numbers.ts'
import { writeItems } from '../layout/items-preview.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { ProseReader } from './prose-reader.ts'
import { recognizeProse } from './recognize-prose.ts'

/** How the budget of a preview of prose is shared; what a part does not need goes to the other. */
export interface ProsePreviewShares {
  /** Numbered headings, those in capitals, and chapters, each with its line number. */
  readonly headings: number
  /** The beginning and the end of the text, and how its sections and paragraphs begin. */
  readonly text: number
}

/** Options of {@link prosePreviewer}. */
export interface ProsePreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to headings 0.35, text 0.65. */
  readonly shares?: Partial<ProsePreviewShares> | undefined
}

const SHARES: ProsePreviewShares = { headings: 0.35, text: 0.65 }

/**
 * Preview plain text in any script: its headings where it has such, its beginning and its end, and between them how
 * sections and paragraphs begin. Long paragraphs are cut after a sentence.
 *
 * @example
 * ```ts
 * import { previewText, prosePreviewer } from '@spillway/previews'
 *
 * const chapter = (index: number) => `CHAPTER ${index}\n\n${'It was a dark night. The rain fell on the roofs. '.repeat(40)}\n\n`
 * const text = Array.from({ length: 30 }, (_, index) => chapter(index + 1)).join('')
 * const preview = await previewText(text, { budgetTokens: 500, previewers: [prosePreviewer()] })
 * console.assert(preview.startsWith('[text:') && preview.includes('| CHAPTER 30'))
 * ```
 */
export function prosePreviewer(options: ProsePreviewerOptions = {}): TextPreviewer {
  const { headings, text } = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'prose',
    previews: 'text',
    recognize: recognizeProse,
    read: (subject) => readProse(subject, [headings, text]),
  }
}

function readProse({ start, intent }: TextSubject, shares: readonly number[]): ReturnType<TextPreviewer['read']> {
  const reader = new ProseReader(intent.words)
  const numbers = numberCut(start)
  let units = 0
  const lines = new RawLines((line) => reader.push(line), numbers?.cut)
  return {
    push: (text) => {
      units += text.length
      lines.push(text)
    },
    finish: () => {
      lines.finish()
      const { items, headings, paragraphs } = reader.finish()
      const header = [
        countOf(lines.count, 'line'),
        ...(paragraphs * 2 < lines.count ? [countOf(paragraphs, 'paragraph')] : []),
        ...(headings.length > 0 ? [countOf(headings.length, 'heading')] : []),
        ...(lines.count < 4 ? [countOf(units, 'character')] : []),
        ...numberNote(numbers),
      ].join(', ')
      return (options) =>
        writeItems(
          {
            items,
            lines: lines.count,
            header: `text: ${header}`,
            shares,
            lineShare: 0.12,
            endShare: items.length <= 4 ? 0.3 : 0,
            hidden: (from, to) => hiddenOf(headings, 'heading', from, to).join(', '),
          },
          options,
        )
    },
  }
}
