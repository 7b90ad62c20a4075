import type { ByteView } from '@spillway/text/internal'

/** How far from the end `startxref` is looked for, as readers do. */
const TAIL = 1_024
/** Sections of the cross-reference table that are followed: each update of a file adds one. */
const MAX_SECTIONS = 32
/** Subsections of a section; a table that was made by somebody has few. */
const MAX_SUBSECTIONS = 1_024
/** The page tree's root and the catalogue are short; more than this is not looked at. */
const MAX_OBJECT = 4_096

/**
 * Count the pages of a PDF where that is certain without unpacking anything: by the dictionary of a linearized file that
 * was not changed since, or by the root of the page tree (ISO 32000-1, annex F and section 7.7.3).
 */
export function countPdfPages(view: ByteView): number | undefined {
  return linearizedPages(view) ?? treePages(view)
}

function linearizedPages(view: ByteView): number | undefined {
  const start = view.text(0, TAIL)
  if (!/\/Linearized\s/.test(start)) return undefined
  const dictionary = start.slice(0, start.indexOf('endobj'))
  const length = Number(/\/L\s{1,4}(\d{1,15})\b/.exec(dictionary)?.[1])
  const pages = Number(/\/N\s{1,4}(\d{1,9})\b/.exec(dictionary)?.[1])
  return length === view.length && pages > 0 ? pages : undefined
}

function treePages(view: ByteView): number | undefined {
  const tail = view.text(Math.max(0, view.length - TAIL), TAIL)
  const last = tail.lastIndexOf('startxref')
  let section = Number(/^startxref\s{1,4}(\d{1,15})\s/.exec(tail.slice(last))?.[1] ?? Number.NaN)
  const sections: number[] = []
  let root: number | undefined
  while (view.has(section, 'xref') && sections.length < MAX_SECTIONS && !sections.includes(section)) {
    sections.push(section)
    const trailer = trailerOf(view, section)
    // A cross-reference stream beside the table may name newer objects.
    if (trailer === undefined || trailer.includes('/XRefStm')) return undefined
    root ??= referenceIn(trailer, 'Root')
    section = Number(/\/Prev\s{1,4}(\d{1,15})\b/.exec(trailer)?.[1] ?? Number.NaN)
  }
  // Ended for another reason than having no earlier section: some objects would be missing.
  if (!Number.isNaN(section) || root === undefined) return undefined
  const pages = referenceIn(objectAt(view, sections, root), 'Pages')
  if (pages === undefined) return undefined
  const tree = objectAt(view, sections, pages)
  const counts = [...tree.matchAll(/\/Count\s{1,4}(\d{1,9})\b(?!\s{1,4}\d{1,9}\s{1,4}R)/g)]
  return /\/Type\s{0,4}\/Pages\b/.test(tree) && counts.length === 1 ? Number(counts[0]![1]) : undefined
}

/** Find where each subsection of a table begins, and the trailer after the last one. */
function* subsections(view: ByteView, section: number): Generator<{ first: number; count: number; at: number }> {
  let at = section + 4
  for (let index = 0; index < MAX_SUBSECTIONS; index++) {
    const head = /^[\s\0]{0,4}(\d{1,10}) (\d{1,10})\s{0,2}[\r\n]/.exec(view.text(at, 40))
    if (head === null) {
      yield { first: 0, count: -1, at }
      return
    }
    const count = Number(head[2])
    at += head[0].length
    yield { first: Number(head[1]), count, at }
    at += count * 20
  }
}

function trailerOf(view: ByteView, section: number): string | undefined {
  for (const { count, at } of subsections(view, section)) {
    if (count >= 0) continue
    const text = view.text(at, MAX_OBJECT)
    const end = text.indexOf('startxref')
    return /^\s{0,4}trailer/.test(text) ? text.slice(0, end < 0 ? undefined : end) : undefined
  }
  return undefined
}

/** Return an object as it is written, the newest first; empty where the tables do not have it. */
function objectAt(view: ByteView, sections: readonly number[], number: number): string {
  for (const section of sections) {
    for (const { first, count, at } of subsections(view, section)) {
      if (number < first || number >= first + count) continue
      const entry = /^(\d{10}) (\d{5}) ([nf])/.exec(view.text(at + (number - first) * 20, 18))
      if (entry?.[3] !== 'n') return ''
      const text = view.text(Number(entry[1]), MAX_OBJECT)
      const head = new RegExp(`^\\s{0,4}${number} \\d{1,5} obj\\b`).exec(text)
      const end = text.indexOf('endobj')
      return head === null || end < 0 ? '' : text.slice(head[0].length, end)
    }
  }
  return ''
}

const referenceIn = (dictionary: string, key: string): number | undefined => {
  const found = new RegExp(`/${key}\\s{1,4}(\\d{1,10})\\s{1,4}\\d{1,5}\\s{1,4}R\\b`).exec(dictionary)
  return found === null ? undefined : Number(found[1])
}
