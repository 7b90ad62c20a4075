import { LineCounter } from '../layout/line-counter.ts'
import type { TextPreviewer, TextReader } from '../previewer.ts'
import { mainContent } from './main-content.ts'
import { PageReader } from './page-reader.ts'
import { recognizeHtml } from './recognize-html.ts'
import { writePage } from './write-page.ts'

/**
 * Preview a page of HTML: its title, and its main content as Markdown from the beginning, without navigation, footers and
 * other things that stand around it. What does not fit is declared, with the headings in it and their lines.
 *
 * Links are shown by their text; the page as stored has their addresses. Pages without any text, such as those that
 * scripts write, are left to the next previewer.
 */
export function htmlPreviewer(): TextPreviewer {
  return { name: 'html', previews: 'text', recognize: recognizeHtml, read: readHtml }
}

function readHtml(): TextReader {
  const reader = new PageReader()
  const counter = new LineCounter()
  return {
    push: (text) => {
      reader.push(text)
      counter.push(text)
    },
    finish: () => {
      const page = reader.finish(counter.lines)
      const main = mainContent(page)
      if (main.length === 0) return undefined
      const { title, lines, isPart } = page
      return (options) => writePage({ title, main, lines, isPart }, options)
    },
  }
}
