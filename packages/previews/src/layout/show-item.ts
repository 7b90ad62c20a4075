import { formatCount, cleanLine, cutAtGrapheme } from '@spillway/text/internal'
import type { Item } from './preview-model.ts'

/** Units before a cut in which the end of a sentence or of a word is looked for. */
const LOOK_BACK = 160

/**
 * Show at most about `cap` UTF-16 units of an item, `endShare` of them of its end: cut after a sentence or between words
 * where there is one nearby, with how much is left out, and with its note.
 */
export function showItem(item: Item, cap: number, endShare: number): string {
  const note = item.note === '' ? '' : ` [${item.note}]`
  const text = cleanLine(item.text)
  if (item.hidden === 0 && item.tail === '' && text.length <= cap) return text + note
  const tail = cleanLine(item.tail)
  const length = text.length + item.hidden + tail.length
  const endUnits = Math.floor(cap * endShare)
  const end = cutAtGrapheme(tail === '' ? text : tail, endUnits, true)
  const start = atBoundary(cutAtGrapheme(text, Math.max(1, cap - endUnits)))
  const left = length - start.length - end.length
  return left <= 0
    ? text + note
    : `${start} [… ${formatCount(left)} more characters${end === '' ? '' : ' …'}]${end}${note}`
}

/** Shorten a cut text to where its last sentence ends, or its last word. */
function atBoundary(text: string): string {
  const from = Math.max(text.length >> 1, text.length - LOOK_BACK)
  let sentence = -1
  let word = -1
  for (let at = text.length - 1; at > from && sentence < 0; at--) {
    const code = text.charCodeAt(at)
    // 。！？ end sentences without a blank after them.
    if (code === 0x3002 || code === 0xff01 || code === 0xff1f) sentence = at + 1
    else if (code === 32) {
      if (word < 0) word = at
      const before = text.charCodeAt(at - 1)
      if (before === 46 || before === 33 || before === 63) sentence = at
    }
  }
  return sentence > 0 ? text.slice(0, sentence) : word > 0 ? text.slice(0, word) : text
}
