import { writePreview } from '../layout/write-preview.ts'
import { countOf } from '../layout/gap-marks.ts'
import { hiddenOf } from '../layout/count-between.ts'
import { numberCut, numberNote } from '../layout/cut-numbers.ts'
import { RawLines } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { ProseReader } from './prose-reader.ts'
import { recognizeProse } from './recognize-prose.ts'

/** Shares of the budget: of headings, and of text. What one does not need goes to the others. */
const SHARES = [0.35, 0.65]

/**
 * Preview plain text in any script: its headings where it has such, its beginning and its end, and between them how
 * sections and paragraphs begin. Long paragraphs are cut after a sentence.
 */
export function prosePreviewer(): TextPreviewer {
  return {
    name: 'prose',
    previews: 'text',
    recognize: recognizeProse,
    read: readProse,
  }
}

function readProse({ start, intent }: TextSubject): ReturnType<TextPreviewer['read']> {
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
        writePreview(
          {
            items,
            lines: lines.count,
            header: `text: ${header}`,
            shares: SHARES,
            lineShare: 0.12,
            endShare: items.length <= 4 ? 0.3 : 0,
            hidden: (from, to) => hiddenOf(headings, 'heading', from, to).join(', '),
          },
          options,
        )
    },
  }
}
