import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMarks, readSnapshotText, writeMarks, writeSnapshotText, type StoredMark } from './file-archive.ts'

const text = fc.constantFrom('<overall_goal>a</overall_goal>', 'two\nlines', '<state_snapshot', '(Original 1 messages')

const group = fc.record({
  name: fc.constantFrom('store/compressed_group_a_0.json', 'of me/b.json', 'c(1).json'),
  count: fc.nat({ max: 10_000 }),
  retained: fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 3 }),
})

const stored = { kind: 'messages', contentType: 'application/json', size: 5 } as const

it('a file archive reads the snapshots that it wrote, alone or after the text of a system message', () => {
  const around = fc.constantFrom(undefined, '', 'You are an assistant', 'two\n\nparts', '</state_snapshot>')
  fc.assert(
    fc.property(
      text,
      fc.array(group, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      around,
      (body, groups, tokens, before) => {
        const block = writeSnapshotText(
          { text: body, tokens, groups: groups.map((one) => ({ ...stored, ...one })) },
          (name) => `/workspace/${name}`,
        )
        const read = readSnapshotText(before === undefined ? block : `${before}\n\n${block}`)
        expect(read).toEqual({
          text: body,
          tokens,
          around: before,
          groups: groups.map(({ name, count, retained }) => ({ path: `/workspace/${name}`, count, retained })),
        })
      },
    ),
  )
})

it.each([
  'no snapshot',
  '<state_snapshot>\na\n</state_snapshot>',
  '<state_snapshot>\na\n</state_snapshot>\n[Compressed conversation history: 1 messages, ~2 tokens]',
  '<state_snapshot>\na\n</state_snapshot>\nsomething else\n(Original 1 messages are stored in: a)',
])('a file archive finds no snapshot in %j', (system) => {
  expect(readSnapshotText(system)).toBeUndefined()
})

it('a file archive leaves text after a snapshot in the message', () => {
  const block = writeSnapshotText(
    { text: 'a', tokens: 1, groups: [{ ...stored, name: 'x', count: 1, retained: [] }] },
    (name) => name,
  )
  expect(readSnapshotText(`before\n\n${block}\nafter`)?.around).toBe('before\nafter')
})

const subject = fc.constantFrom('result', 'argument', 'message', 'original' as const)

const part = fc.constantFrom('a.txt', 'tool_call_1.txt', 'of me', '(b)', ')', '(', '..', 'é')

const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))

const mark: fc.Arbitrary<StoredMark> = fc.record({ subject, path })

const preview = fc.constantFrom('', 'text', 'a (detailed result', ' (detailed result is stored in', '\n', ') ', '...)')

it('readMarks returns the marks that writeMarks wrote after any text', () => {
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

it('readMarks stops at a mark without an end', () => {
  const text = `${' (detailed result is stored in '.repeat(1_000)}a)`
  expect(readMarks(text)).toEqual([{ subject: 'result', path: 'a' }])
})

it('readMarks returns at most the last 64 marks', () => {
  const marks = Array.from({ length: 1_000 }, (_, index): StoredMark => ({ subject: 'result', path: `${index}.txt` }))
  expect(readMarks(writeMarks(marks))).toEqual(marks.slice(-64))
})
