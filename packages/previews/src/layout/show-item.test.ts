import type { Item } from './preview-model.ts'
import { describe, expect, it } from 'vitest'
import { lineItem } from '../../test/line-item.ts'
import { showItem } from './show-item.ts'

const item = (text: string, more: Partial<Item> = {}): Item => lineItem({ text, ...more })

describe('showItem', () => {
  it('shows a short line whole, as a terminal does, with its note', () => {
    expect(showItem(item('\u001b[1msteps:\u001b[0m', { note: '12 items' }), 80, 0)).toBe('steps: [12 items]')
  })

  it('cuts after a sentence where one ends nearby, and says how much is left out', () => {
    const text = 'One sentence that is not short. Another one that goes on for quite a while'
    expect(showItem(item(text), 50, 0)).toBe('One sentence that is not short. [… 43 more characters]')
    expect(showItem(item('他说的话很有道理。然后他就走了没有再回来'), 14, 0)).toBe(
      '他说的话很有道理。 [… 11 more characters]',
    )
  })

  it('cuts between words else', () => {
    expect(showItem(item('some words without any end of a sentence'), 20, 0)).toBe(
      'some words without [… 22 more characters]',
    )
  })

  it('shows the end of a line as well where asked to, counting what was never kept', () => {
    const shown = showItem(item('a'.repeat(100), { tail: 'b'.repeat(100), hidden: 1_000 }), 20, 0.5)
    expect(shown).toBe(`${'a'.repeat(10)} [… 1,180 more characters …]${'b'.repeat(10)}`)
  })

  it('never cuts a grapheme', () => {
    expect(showItem(item('👩‍👩‍👧‍👦'.repeat(4)), 15, 0)).toBe('👩‍👩‍👧‍👦 [… 33 more characters]')
  })
})
