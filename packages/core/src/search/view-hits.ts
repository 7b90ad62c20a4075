import { withLineIndex, type ContentSource } from '../content/content-source.ts'
import { LineFinder, type FoundLine } from './line-finder.ts'
import type { Hit } from './search-lines.ts'
import { viewAgain, viewAsShown, viewLine, viewWholeLine, type LineView } from './view-line.ts'

export type { LineView } from './view-line.ts'

/** How much is taken around hits. */
export interface ViewOptions {
  /** Lines before and after each hit. */
  readonly contextLines: number
  /** UTF-16 units of a line. */
  readonly keep: number
  /** UTF-16 units in all; the view that reaches it is the last. */
  readonly limit: number
}

/** What {@link viewHits} returns. */
export interface HitViews {
  /** In the order of the content, each line once, but each hit of a very long line by itself. */
  readonly views: readonly LineView[]
  /** How many of the hits have views. */
  readonly shown: number
}

/** UTF-16 units that a line takes in an answer beside its text and its number. */
const FRAME_UNITS = 6

/** Read the lines of hits and those around them, with their numbers. */
export async function viewHits(source: ContentSource, hits: readonly Hit[], options: ViewOptions): Promise<HitViews> {
  return await withLineIndex(source, (blocks) => new HitViewer(source, new LineFinder(blocks), options).view(hits))
}

class HitViewer {
  readonly #source: ContentSource
  readonly #finder: LineFinder
  readonly #options: ViewOptions
  readonly #views: LineView[] = []
  #size = 0
  /** The last line that has a view, and how many after it are still context. */
  #last: FoundLine | undefined
  #contextLeft = 0

  constructor(source: ContentSource, finder: LineFinder, options: ViewOptions) {
    this.#source = source
    this.#finder = finder
    this.#options = options
  }

  async view(hits: readonly Hit[]): Promise<HitViews> {
    let shown = 0
    for (const hit of hits) {
      if (this.#isFull) break
      const line = await this.#finder.lineAt(hit.start)
      await this.#viewAfter(line.number)
      await this.#viewBefore(line)
      if (this.#isFull) break
      await this.#add(line, hit)
      this.#contextLeft = this.#options.contextLines
      shown++
    }
    await this.#viewAfter(Infinity)
    return { views: this.#views, shown }
  }

  get #isFull(): boolean {
    return this.#size >= this.#options.limit
  }

  /** View the context after the last hit, up to a line that is a hit itself. */
  async #viewAfter(until: number): Promise<void> {
    for (; this.#contextLeft > 0 && this.#last !== undefined && !this.#isFull; this.#contextLeft--) {
      if (this.#last.number + 1 >= until) return
      const next = await this.#finder.next(this.#last)
      if (next === undefined) return
      await this.#add(next)
    }
  }

  async #viewBefore(line: FoundLine): Promise<void> {
    const first = Math.max(1, line.number - this.#options.contextLines, (this.#last?.number ?? 0) + 1)
    if (first >= line.number || this.#isFull) return
    let before: FoundLine | undefined = await this.#finder.before(line, line.number - first)
    while (before !== undefined && before.number < line.number && !this.#isFull) {
      await this.#add(before)
      before = await this.#finder.next(before)
    }
  }

  async #add(line: FoundLine, hit?: Hit): Promise<void> {
    const last = this.#views.at(-1)
    const before = hit !== undefined && last?.hit !== undefined && last.number === line.number ? last : undefined
    const again = before && viewAgain(before, hit!)
    if (again !== undefined) {
      this.#views.push(again)
      return
    }
    const bytes = this.#finder.bytesOf(line)
    const { keep } = this.#options
    const seen = before === undefined ? 0 : before.start + before.bytes.length
    const view =
      bytes === undefined
        ? await viewLine(this.#source, line, keep, hit, seen)
        : viewWholeLine(bytes, line, keep, hit, seen)
    const shown = hit === undefined ? await viewAsShown(this.#source, line, keep, view) : view
    this.#views.push(shown)
    this.#size += shown.text.length + String(shown.number).length + FRAME_UNITS
    this.#last = line
  }
}
