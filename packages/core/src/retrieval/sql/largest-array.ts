import { yieldToEventLoop } from '@spillway/text/internal'
import { JsonWalker, jsonPathsAt, type JsonLayout, type JsonVisitor } from '@spillway/text/internal/json'
import type { ContentSource } from '../../content/content-source.ts'
import type { SelectedValue } from '../json-path/select-json.ts'

const SLICE_BYTES = 524_288
const OPEN_ARRAY = 91
const OPEN_OBJECT = 123

/** Find the array of objects in a document that takes most bytes; `undefined` if there is none. */
export async function largestArray(source: ContentSource, layout: JsonLayout): Promise<SelectedValue | undefined> {
  const finder = new ArrayFinder()
  const walker = new JsonWalker({ form: layout.form, base: layout.start, visitor: finder })
  for await (const block of source.blocks(layout.start)) {
    for (let at = 0; at < block.length && !walker.hasFailed; at += SLICE_BYTES) {
      walker.take(block.subarray(at, at + SLICE_BYTES))
      walker.advance()
      await yieldToEventLoop()
    }
  }
  const { largest } = finder
  if (largest === undefined) return undefined
  const json = { contentType: 'application/json', read: source.read.bind(source), blocks: source.blocks.bind(source) }
  const [path = '$'] = await jsonPathsAt(json, [largest.start])
  return { ...largest, path }
}

class ArrayFinder implements JsonVisitor {
  largest: { readonly start: number; readonly end: number } | undefined
  readonly #open: { readonly start: number; readonly isArray: boolean; hasObjects: boolean }[] = []

  begin(at: number, first: number): boolean {
    const outer = this.#open.at(-1)
    if (outer?.isArray === true && first === OPEN_OBJECT) outer.hasObjects = true
    this.#open.push({ start: at, isArray: first === OPEN_ARRAY, hasObjects: false })
    return true
  }

  end(at: number): void {
    const { start, hasObjects } = this.#open.pop()!
    const size = this.largest === undefined ? 0 : this.largest.end - this.largest.start
    if (hasObjects && at - start > size) this.largest = { start, end: at }
  }

  abandon(): void {
    this.#open.length = 0
  }
}
