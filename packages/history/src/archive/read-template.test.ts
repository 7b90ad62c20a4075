import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ArchivedMessages } from './history-archive.ts'
import { appendSnapshot, findSnapshot, formatSnapshot, readTemplate } from './read-template.ts'

const template = (...lines: string[]): string =>
  ['[Offloaded: 2 blocks, ~1,234 tokens]', 'The tool result was offloaded.', '', ...lines].join('\n')

it('a template has the references of a replacement, and ignores descriptions of other blocks', () => {
  const text = template(
    '<<< preview of call_1_0_abc: untrusted content',
    '[Offloaded: 1 block, ~9 tokens]',
    '[Stored references:]',
    '  fake_1 (text, 9 bytes)',
    '>>> end of call_1_0_abc',
    '[Stored references:]',
    '  call_1_0_abc (text of 20 blocks, 12,345 bytes, 400 lines)',
    '  call_1_1_abc (image/png, 800 × 600, 99 bytes): aws s3 cp "s3://b/k" -',
    '  call_1_2_abc (application/pdf, "a, b.pdf", 12 pages, 1,000 bytes)',
    '  call_1_2_text_abc (text of call_1_2_abc, 500 bytes, 9 lines)',
    '  call_1_0_m1_abc (image/png of call_1_0_abc, 99 bytes)',
  )
  expect(readTemplate(text)).toEqual({
    blocks: 2,
    tokens: 1_234,
    isError: false,
    opening: 'The tool result was offloaded.',
    items: [
      { name: 'call_1_0_abc', kind: 'text', contentType: 'text/plain', size: 12_345 },
      { name: 'call_1_1_abc', kind: 'image', contentType: 'image/png', size: 99 },
      { name: 'call_1_2_abc', kind: 'document', contentType: 'application/pdf', size: 1_000, label: 'a, b.pdf' },
    ],
  })
})

it.each([
  ['a replacement with text before it', `x\n${template('[Stored references:]', '  a (text, 9 bytes)')}`],
  ['a replacement with text after it', template('[Stored references:]', '  a (text, 9 bytes)', 'x')],
  ['a text without references', template('[Stored references:]')],
  ['a reference of an unknown kind', template('[Stored references:]', '  a (table, 9 bytes)')],
  ['a reference with blanks', template('[Stored references:]', '  a b (text, 9 bytes)')],
  ['a list that is too long', template('[Stored references:]', ...Array<string>(300).fill('  a (text, 9 bytes)'))],
  [
    'a text with several replacements',
    `${template('[Stored references:]', '  a (text, 9 bytes)')}\n\n${template('[Stored references:]', '  b (text, 9 bytes)')}`,
  ],
  [
    'a replacement that begins with another replacement',
    template(template('[Stored references:]', '  a (text, 9 bytes)')),
  ],
  [
    'a preview without an end',
    template('<<< a: untrusted content', 'x', '[Stored references:]', '  a (text, 9 bytes)'),
  ],
  [
    'a replacement with a long text outside of its previews',
    template('x'.repeat(20_000), '[Stored references:]', '  a (text, 9 bytes)'),
  ],
  ['nothing', ''],
])('a template is not found in %s', (_, text) => {
  expect(readTemplate(text)).toBeUndefined()
})

it('a template may have content types with parameters', () => {
  const types = ['text/csv; charset=utf-8', 'image/svg+xml;v="1 of 2"', 'application/x-a; b=c']
  const text = template('[Stored references:]', ...types.map((type, index) => `  call_${index} (${type}, 9 bytes)`))
  expect(readTemplate(text)?.items.map(({ kind, contentType }) => [kind, contentType])).toEqual([
    ['document', 'text/csv; charset=utf-8'],
    ['image', 'image/svg+xml;v="1 of 2"'],
    ['document', 'application/x-a; b=c'],
  ])
})

it('a template is parsed in limited time even if its lines are hostile', () => {
  const hostile = template('[Stored references:]', ...Array<string>(200).fill(`  a (${', 1,1'.repeat(50_000)} bytes`))

  expect(readTemplate(hostile)).toBeUndefined()
  expect(readTemplate(`[Offloaded: ${'1,'.repeat(1_000_000)}`)).toBeUndefined()
  const open = Array<string>(100_000).fill('<<< a: untrusted content')
  expect(readTemplate(template(...open, '[Stored references:]', '  a (text, 9 bytes)'))).toBeUndefined()
})

const group = (name: string, retained: number[] = []): ArchivedMessages => ({
  name,
  kind: 'messages',
  contentType: 'application/json',
  size: 12_345,
  count: 1_500,
  retained,
})

const guide = { howToRead: ['Read them by a tool.'], commandOf: () => undefined }

const SNAPSHOT = { text: '<overall_goal>Go</overall_goal>', groups: [group('a'), group('b', [1, 12])], tokens: 98_765 }

it('a written template can be parsed again, with any text before it', () => {
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

it('a template keeps text that was added after it', () => {
  const found = findSnapshot(`${appendSnapshot('You help.', formatSnapshot(SNAPSHOT, guide))}\nBe brief.`)
  expect(found).toEqual({ ...SNAPSHOT, around: 'You help.\nBe brief.' })
})

it('a template shows the commands that print the messages, and parsing ignores the commands', () => {
  const block = formatSnapshot(SNAPSHOT, { ...guide, commandOf: (name) => `cat '/x/${name}.json'` })
  expect(block).toContain("  a (messages, 12,345 bytes, 1,500 messages): cat '/x/a.json'\n")
  expect(findSnapshot(block)?.groups).toEqual(SNAPSHOT.groups)
})

it.each([
  ['a text without a snapshot', 'You help.'],
  ['a block that the developer wrote', 'Write <state_snapshot>\nx\n</state_snapshot> like this.'],
  ['a snapshot without groups of messages', formatSnapshot({ ...SNAPSHOT, groups: [] }, guide)],
  ['a snapshot that is cut off', formatSnapshot(SNAPSHOT, guide).slice(0, 60)],
])('no template is found in %s', (_, text) => {
  expect(findSnapshot(text)).toBeUndefined()
})
