import { writePreview } from '../layout/write-preview.ts'
import { hiddenOf } from '../layout/count-between.ts'
import { numberCut, numberNote } from '../layout/cut-numbers.ts'
import { askedWords } from '../layout/topic-words.ts'
import { RawLines } from '../layout/raw-lines.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { MarkdownReader } from './markdown-reader.ts'
import { recognizeMarkdown } from './recognize-markdown.ts'

/** Shares of the budget: of headings, of what sections say, and of code. What one does not need goes to the others. */
const SHARES = [0.3, 0.2, 0.5]

/**
 * Preview Markdown (CommonMark and its tables): the headings with their line numbers, how each section begins, the last
 * section, and the first lines of code, by what they are worth in their section.
 *
 * Numbers that a tool has put before the lines are cut. Lines with what the tool call looks for come first.
 */
export function markdownPreviewer(): TextPreviewer {
  return {
    name: 'markdown',
    previews: 'text',
    recognize: recognizeMarkdown,
    read: readMarkdown,
  }
}

function readMarkdown(subject: TextSubject): ReturnType<TextPreviewer['read']> {
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
        writePreview(
          {
            items,
            lines: lines.count,
            header: `Markdown: ${counts.join(', ')}`,
            shares: SHARES,
            lineShare: 0.1,
            endShare: 0,
            hidden: (from, to) => hiddenOf(headings, 'heading', from, to).join(', '),
          },
          options,
        )
    },
  }
}
