import {
  MARK_ARTICLE,
  MARK_ASIDE,
  MARK_FORM,
  MARK_HEADER,
  MARK_HIDDEN,
  MARK_MAIN,
  MARK_NAMED_ASIDE,
} from './element-marks.ts'
import type { Page, PageBlock, PageElement } from './page.ts'

/** Elements of a kind that usually stands around the content are left out where they hold a smaller share of the prose. */
const MOST_PROSE: readonly (readonly [mark: number, share: number])[] = [
  [MARK_HIDDEN, 0.5],
  [MARK_ASIDE, 0.5],
  [MARK_HEADER, 0.3],
  [MARK_NAMED_ASIDE, 0.35],
  [MARK_FORM, 0.3],
]

const LINKED = 0.15
export function mainContent(page: Page): PageBlock[] {
  const { blocks, elements } = page
  if (blocks.length === 0) return []
  const weights = new Float64Array(elements.length)
  const own = ownWeights(page)
  sumUp(elements, own, weights)
  // 1. what stands around
  const out = new Uint8Array(elements.length)
  const total = weights[0]!
  const inMain = new Uint8Array(elements.length)
  const spared = new Uint8Array(elements.length)
  for (let at = 1; at < elements.length; at++) {
    const { parent, marks } = elements[at]!
    inMain[at] = inMain[parent]! | (marks & (MARK_MAIN | MARK_ARTICLE) ? 1 : 0)
    spared[at] = spared[parent]!
    if (out[parent]) {
      out[at] = 1
      continue
    }
    const share = weights[at]! / Math.max(1, total)
    for (const [mark, most] of MOST_PROSE) {
      if ((marks & mark & ~spared[at]!) === 0 || (mark === MARK_HEADER && inMain[at])) continue
      if (share < most) out[at] = 1
      else spared[at]! |= mark
    }
  }
  for (let at = 1; at < elements.length; at++) if (out[at]) own[at] = 0
  sumUp(elements, own, weights)
  // 2. root
  let root = 0
  for (let at = 1; at < elements.length; at++) {
    if (!out[at] && (elements[at]!.marks & MARK_MAIN) !== 0 && weights[at]! >= 0.4 * weights[0]!) root = at
  }
  for (let at = root + 1; at < elements.length; at++) {
    if (elements[at]!.firstBlock >= elements[root]!.endBlock) break
    if (!out[at] && (elements[at]!.marks & MARK_ARTICLE) !== 0 && weights[at]! >= 0.6 * weights[root]!) root = at
  }
  const best = new Int32Array(elements.length)
  for (let at = 1; at < elements.length; at++) {
    const { parent } = elements[at]!
    if (!out[at] && (best[parent] === 0 || weights[at]! > weights[best[parent]!]!)) best[parent] = at
  }
  while (best[root]! > 0 && weights[best[root]!]! >= 0.85 * weights[root]!) root = best[root]!
  const { firstBlock, endBlock } = elements[root]!
  // 3. lists of links
  const within = elements[root]!
  const isListing = within.prose < 0.25 * within.units
  for (let at = root + 1; at < elements.length; at++) {
    const element = elements[at]!
    if (out[at] || element.firstBlock >= endBlock) continue
    if (out[element.parent] && element.parent !== root) {
      out[at] = 1
      continue
    }
    if (isListing) continue
    if (
      element.links >= 3 &&
      element.prose === 0 &&
      element.linkUnits > 0.6 * element.units &&
      element.linkUnits / element.links < 60
    )
      out[at] = 1
  }
  dropAsideSections(page, root, weights, out)
  const repeats = new Map<string, number>()
  const inside = blocks.slice(firstBlock, endBlock).filter(({ element }) => !out[element])
  for (const { text } of inside) if (text.length <= MAX_REPEATED) repeats.set(text, (repeats.get(text) ?? 0) + 1)
  const seen = new Set<string>()
  const main = inside.filter(({ kind, text, linkUnits }) => {
    if (kind === 'row' || kind === 'code') return true
    if (text.length >= 30) return seen.size < seen.add(text).size
    return linkUnits < text.length || (repeats.get(text) ?? 0) < 3
  })
  const headline = blocks.slice(0, firstBlock).findLast((block) => !out[block.element] && isHeadline(block, page.title))
  if (headline !== undefined && !main.some((block) => block.kind === 'heading' && block.level === 1))
    main.unshift(headline)
  return main
}

const MAX_REPEATED = 200
const ASIDE_HEADING =
  /^(?:related|recommended|more (?:from|stories|news|in|like|on)|you (?:may|might) (?:also|like)|(?:people|customers) (?:who|also)|read (?:next|more|also)|up next|popular|trending|most (?:read|popular|viewed)|latest (?:news|posts|articles|stories)|recent(?:ly)? (?:posts|articles|news|viewed|comments)|(?:\d+ )?comments?\b|leave a (?:reply|comment)|(?:share|follow) (?:this|us|on)|sign up|subscribe|newsletter|join our|get (?:the|our) (?:latest|newsletter)|see also|advertisement|sponsored)/i

/** Say whether a heading is that of the content: what a title ends with is the name of the site. */
function isHeadline({ kind, level, text }: PageBlock, title: string): boolean {
  if (kind !== 'heading' || level !== 1) return false
  if (title.startsWith(text)) return true
  const words = text.split(' ')
  return !title.endsWith(text) && words.filter((word) => title.includes(word)).length > words.length / 3
}

/** Leave out the parts below headings that name what stands beside the content. */
function dropAsideSections({ blocks, elements }: Page, root: number, weights: Float64Array, out: Uint8Array): void {
  const { firstBlock, endBlock } = elements[root]!
  for (let index = firstBlock; index < endBlock; index++) {
    const block = blocks[index]!
    if (block.kind !== 'heading' || block.text.length > 60 || out[block.element] || !ASIDE_HEADING.test(block.text))
      continue
    // The largest element that begins with the heading.
    let section = block.element
    for (;;) {
      const { parent } = elements[section]!
      if (parent <= root || elements[parent]!.firstBlock < index || weights[parent]! > 0.4 * weights[root]!) break
      section = parent
    }
    if (section === root || elements[section]!.firstBlock < index) continue
    for (let at = section; at < elements.length && elements[at]!.firstBlock < elements[section]!.endBlock; at++) {
      if (at === section || out[elements[at]!.parent]) out[at] = 1
    }
  }
}

/** What each element holds itself: prose counts whole, other text that is no link a tenth. */
function ownWeights({ blocks, elements }: Page): Float64Array {
  const own = new Float64Array(elements.length)
  for (const { element, text, linkUnits, kind } of blocks) {
    const plain = text.length - linkUnits
    own[element]! +=
      kind !== 'heading' && plain >= 60 && linkUnits < plain
        ? plain
        : plain * 0.1 + (linkUnits >= 60 ? linkUnits * LINKED : 0)
  }
  return own
}

function sumUp(elements: readonly PageElement[], own: Float64Array, sums: Float64Array): void {
  sums.set(own)
  for (let at = elements.length - 1; at > 0; at--) sums[elements[at]!.parent]! += sums[at]!
}
