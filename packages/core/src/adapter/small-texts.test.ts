import { expect, it } from 'vitest'
import { SmallTexts } from './small-texts.ts'

it('knows a text again, and no other value', () => {
  const texts = new SmallTexts()
  for (const value of ['one', 'one', '', { a: 1 }, undefined]) texts.add(value)
  expect(['one', ''].map((text) => texts.has(text))).toEqual([true, true])
  expect([{ a: 1 }, undefined, 'two'].map((value) => texts.has(value))).toEqual([false, false, false])
})

it('forgets the others before they are too many', () => {
  const texts = new SmallTexts()
  const textOf = (index: number): string => `${index}`.padStart(1_000_000)
  for (let index = 0; index < 5; index += 1) texts.add(textOf(index))
  expect([0, 1, 2, 3, 4].map((index) => texts.has(textOf(index)))).toEqual([false, false, false, false, true])
  texts.add(textOf(5))
  expect([4, 5].map((index) => texts.has(textOf(index)))).toEqual([true, true])
})
