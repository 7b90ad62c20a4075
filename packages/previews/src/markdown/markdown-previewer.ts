import { checkedShares } from '../layout/checked-shares.ts'
import { hiddenOf } from '../layout/count-between.ts'
import { numberCut, numberNote } from '../layout/cut-numbers.ts'
import { writeItems } from '../layout/items-preview.ts'
import { askedWords } from '../layout/topic-words.ts'
import { RawLines } from '../layout/raw-lines.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { MarkdownReader } from './markdown-reader.ts'
import { recognizeMarkdown } from './recognize-markdown.ts'

/** How the budget of a preview of Markdown is shared; what a part does not need goes to the others. */
export interface MarkdownPreviewShares {
  /** Headings, each with its line number. */
  readonly headings: number
  /** What the sections say: paragraphs, lists, tables. */
  readonly text: number
  /** Code between fences. */
  readonly code: number
}

/** Options of {@link markdownPreviewer}. */
export interface MarkdownPreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to headings 0.3, text 0.2, code 0.5. */
  readonly shares?: Partial<MarkdownPreviewShares> | undefined
}

const SHARES: MarkdownPreviewShares = { headings: 0.3, text: 0.2, code: 0.5 }

/**
 * Preview Markdown (CommonMark and its tables): the headings with their line numbers, how each section begins, the last
 * section, and the first lines of code, by what they are worth in their section.
 *
 * Numbers that a tool has put before the lines are cut. Lines with what the tool call looks for come first.
 *
 * @example
 * ```ts
 * import { markdownPreviewer, previewText } from '@spillway/previews'
 *
 * const section = (index: number) => `## Part ${index}\n\n${`What part ${index} says. `.repeat(50)}\n`
 * const text = `# Report\n\n${Array.from({ length: 40 }, (_, index) => section(index)).join('\n')}`
 * const previewers = [markdownPreviewer({ shares: { headings: 0.5, text: 0.5, code: 0 } })]
 * const preview = await previewText(text, { contentType: 'text/markdown', budgetTokens: 600, previewers })
 * console.assert(preview.includes('| ## Part 30'))
 * ```
 */
export function markdownPreviewer(options: MarkdownPreviewerOptions = {}): TextPreviewer {
  const { headings, text, code } = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'markdown',
    previews: 'text',
    recognize: recognizeMarkdown,
    read: (subject) => readMarkdown(subject, [headings, text, code]),
  }
}

function readMarkdown(subject: TextSubject, shares: readonly number[]): ReturnType<TextPreviewer['read']> {
  const { start, intent } = subject
  const reader = new MarkdownReader(intent.words, askedWords(subject))
  const numbers = numberCut(start)
  const lines = new RawLines((line) => reader.push(line), numbers?.cut)
  return {
    push: (text) => lines.push(text),
    finish: () => {
      lines.finish()
      const { items, headings } = reader.finish()
      const counts = [
        countOf(lines.count, 'line'),
        ...(headings.length > 0 ? [countOf(headings.length, 'heading')] : []),
        ...numberNote(numbers),
      ]
      return (options) =>
        writeItems(
          {
            items,
            lines: lines.count,
            header: `Markdown: ${counts.join(', ')}`,
            shares,
            lineShare: 0.1,
            endShare: 0,
            hidden: (from, to) => hiddenOf(headings, 'heading', from, to).join(', '),
          },
          options,
        )
    },
  }
}
