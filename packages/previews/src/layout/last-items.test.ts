import { itemOf } from './preview-model.ts'
import { describe, expect, it } from 'vitest'
import { LastItems } from './last-items.ts'

const line = (number: number) => ({ number, text: `line ${number}`, tail: '', hidden: 0 })

describe('LastItems', () => {
  it('gives the last items in order, those that were only passed as well', () => {
    const last = new LastItems()
    const parent = itemOf(line(1), 0, 9, 1, undefined)
    last.add(parent)
    for (let number = 2; number <= 100; number++) {
      if (number % 3 === 0) last.add(itemOf(line(number), 0, 1, 1, parent))
      else last.pass(line(number), number % 2, 0.5, 2, parent)
    }
    const items = last.finish()
    expect(items.map(({ start }) => start)).toEqual(Array.from({ length: 32 }, (_, index) => index + 69))
    expect(items.at(-1)).toEqual(itemOf(line(100), 0, 0.5, 2, parent))
    expect(items.at(-2)).toEqual(itemOf(line(99), 0, 1, 1, parent))
  })

  it('gives fewer where there were fewer', () => {
    const last = new LastItems()
    last.pass(line(1), 0, 1, 0, undefined)
    expect(last.finish().map(({ text }) => text)).toEqual(['line 1'])
    expect(new LastItems().finish()).toEqual([])
  })
})
