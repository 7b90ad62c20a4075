import { LineCounter } from '../src/layout/line-counter.ts'
import type { Page } from '../src/html/page.ts'
import { PageReader } from '../src/html/html-previewer.ts'

/** Read a complete page. */
export function readPage(source: string): Page {
  const reader = new PageReader()
  const counter = new LineCounter()
  reader.push(source)
  counter.push(source)
  return reader.finish(counter.lines)
}
