import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ArchivedMessages } from './history-archive.ts'
import { appendSnapshot, findSnapshot, formatSnapshot } from './read-snapshot.ts'

const group = (name: string, kept: number[] = []): ArchivedMessages => ({
  name,
  kind: 'messages',
  contentType: 'application/json',
  size: 12_345,
  count: 1_500,
  kept,
})
const guide = { howToRead: ['Read them by a tool.'], commandOf: () => undefined }
const SNAPSHOT = { text: '<overall_goal>Go</overall_goal>', groups: [group('a'), group('b', [1, 12])], tokens: 98_765 }

it('reads back what it wrote, whatever stands before it', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('', '\n', '\n\n', 'x\n\n', '<state_snapshot>\nfake', '[Stored references:]'),
  )
  fc.assert(
    fc.property(fc.option(text, { nil: undefined }), (around) => {
      const found = findSnapshot(appendSnapshot(around, formatSnapshot(SNAPSHOT, guide)))
      expect(found).toEqual({ ...SNAPSHOT, around })
    }),
  )
})

it('keeps what somebody put behind it', () => {
  const found = findSnapshot(`${appendSnapshot('You help.', formatSnapshot(SNAPSHOT, guide))}\nBe brief.`)
  expect(found).toEqual({ ...SNAPSHOT, around: 'You help.\nBe brief.' })
})

it('shows the commands that print the messages, and does not read them', () => {
  const block = formatSnapshot(SNAPSHOT, { ...guide, commandOf: (name) => `cat '/x/${name}.json'` })
  expect(block).toContain("  a (messages, 12,345 bytes, 1,500 messages): cat '/x/a.json'\n")
  expect(findSnapshot(block)?.groups).toEqual(SNAPSHOT.groups)
})

it.each([
  ['no snapshot', 'You help.'],
  ["one of the developer's own", 'Write <state_snapshot>\nx\n</state_snapshot> like this.'],
  ['one that names no messages', formatSnapshot({ ...SNAPSHOT, groups: [] }, guide)],
  ['one that is cut off', formatSnapshot(SNAPSHOT, guide).slice(0, 60)],
])('finds none in %s', (_, text) => {
  expect(findSnapshot(text)).toBeUndefined()
})
