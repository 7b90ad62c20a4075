import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMarks, writeMarks, type StoredMark } from './stored-marks.ts'

const subject = fc.constantFrom('result', 'argument', 'message', 'original' as const)
const part = fc.constantFrom('a.txt', 'tool_call_1.txt', 'of me', '(b)', ')', '(', '..', 'é')
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
const mark: fc.Arbitrary<StoredMark> = fc.record({ subject, path })
const preview = fc.constantFrom('', 'text', 'a (detailed result', ' (detailed result is stored in', '\n', ') ', '...)')

it('readMarks returns what writeMarks wrote after any text', () => {
  fc.assert(
    fc.property(fc.array(preview), fc.array(mark, { minLength: 1, maxLength: 4 }), (texts, marks) => {
      expect(readMarks(`${texts.join('')}...${writeMarks(marks)}`)).toEqual(marks)
    }),
  )
})

it.each([
  'no mark',
  '',
  ')',
  ' (detailed result is stored in a.txt',
  ' (detailed result is stored in a.txt) and more',
  ' (detailed result is stored in )',
  ' (detailed result is stored in a\nb)',
  ' (other thing is stored in a.txt)',
])('readMarks finds no mark in %j', (text) => {
  expect(readMarks(text)).toEqual([])
})

it('readMarks returns only marks at the end of a text', () => {
  const text = ' (detailed result is stored in a.txt) quoted, then ... (detailed result is stored in b.txt)'
  expect(readMarks(text)).toEqual([{ subject: 'result', path: 'b.txt' }])
})

it('readMarks stops at a mark that does not end', () => {
  const text = `${' (detailed result is stored in '.repeat(1_000)}a)`
  expect(readMarks(text)).toEqual([{ subject: 'result', path: 'a' }])
})

it('readMarks returns at most the last 64 marks', () => {
  const marks = Array.from({ length: 1_000 }, (_, index): StoredMark => ({ subject: 'result', path: `${index}.txt` }))
  expect(readMarks(writeMarks(marks))).toEqual(marks.slice(-64))
})
