import type { Item } from '../src/layout/preview-model.ts'

/** A line of a text, its first one, with whatever a test is about. */
export function lineItem(about: Partial<Item>): Item {
  const { start = 1, end = start } = about
  const bare = { tail: '', hidden: 0, blanks: 0, value: 1, part: 0, parent: undefined, note: '' }
  return { text: 'x', ...bare, numbered: false, lone: false, ...about, start, end }
}
