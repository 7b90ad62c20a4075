import type { Item } from '../src/layout/preview-model.ts'

/** Return an item for a line, by default the first line, with the given properties. */
export function lineItem(about: Partial<Item>): Item {
  const { start = 1, end = start } = about
  const bare = { tail: '', hidden: 0, blanks: 0, value: 1, part: 0, parent: undefined, note: '' }
  return { text: 'x', ...bare, numbered: false, lone: false, ...about, start, end }
}
