import type { LineItem } from './line-item.ts'
import type { RawLine } from './raw-lines.ts'

/** Make an item of a line, with what it is worth and the part of the preview that it belongs to. */
export function itemOf(
  { number, text, tail, hidden }: RawLine,
  blanks: number,
  value: number,
  part: number,
  parent: LineItem | undefined,
): LineItem {
  return {
    start: number,
    end: number,
    text,
    tail,
    hidden,
    blanks,
    value,
    part,
    parent,
    note: '',
    numbered: false,
    lone: false,
  }
}
