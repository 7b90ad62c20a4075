import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

/** What a caller may say of an entry. */
export const metadataCases: readonly ConformanceCase[] = [
  {
    id: 'metadata/kept-exactly',
    title: 'Metadata comes back exactly: empty values, line ends, Unicode, 2 KB',
    requires: ['stat', 'list'],
    async run({ storage }) {
      const all: readonly Record<string, string>[] = [
        { tool: 'read_log' },
        { tool: 'read_log', 'tool-call-id': 'call_1', a1: '' },
        { value: 'a\nb\r\nc\u0000d\te "quoted" \\ é 日本語 👩‍👩‍👧 %41 =?utf-8?q?x?= ' },
        { value: 'x'.repeat(2_000) },
        { value: '\ud800 and \udc00', other: '\r\nX-Injected: 1' },
        { constructor: 'a', tostring: 'b' },
      ]
      for (const metadata of all) {
        const reference = await attempt(`storing with ${Object.keys(metadata).join()}`, () =>
          storage.store(JSON.stringify(metadata), bytes('content'), 'text/plain', { metadata }),
        )
        checkEqual((await storage.stat(reference)).metadata, metadata, 'metadata in the description')
        const listed = (await collect(storage.list())).find((info) => info.reference === reference)
        checkEqual(listed?.metadata, metadata, 'metadata in the list')
      }
    },
  },
  {
    id: 'metadata/none',
    title: 'Without metadata the description has an empty object',
    requires: ['stat'],
    async run({ storage }) {
      checkEqual((await storage.stat(await storage.store('call_1_0', bytes('content')))).metadata, {}, 'metadata')
    },
  },
  {
    id: 'metadata/copied',
    title: 'Changing metadata after it was stored or described changes nothing stored',
    requires: ['stat'],
    async run({ storage }) {
      const metadata = { tool: 'read_log' }
      const reference = await storage.store('call_1_0', bytes('content'), 'text/plain', { metadata })
      metadata.tool = 'changed'
      const first = await storage.stat(reference)
      checkEqual(first.metadata, { tool: 'read_log' }, 'metadata after the change')
      try {
        Object.assign(first.metadata, { tool: 'changed' })
      } catch (error) {
        // A frozen object is a copy that cannot be changed, which is fine.
        if (!(error instanceof TypeError)) throw error
      }
      checkEqual((await storage.stat(reference)).metadata, { tool: 'read_log' }, 'metadata described again')
    },
  },
  {
    id: 'metadata/bad-refused',
    title: 'Metadata that some backend could not keep is refused as a mistake',
    async run({ storage }) {
      const mistakes: unknown[] = [
        { tool: 1 },
        { tool: undefined },
        { tool: { name: 'a' } },
        { 'Upper-Case': 'a' },
        { '': 'a' },
        { 'with space': 'a' },
        { ['x'.repeat(65)]: 'a' },
        { large: 'x'.repeat(2_100) },
        { wide: 'é'.repeat(1_100) },
        'text',
        ['a'],
        null,
      ]
      for (const metadata of mistakes)
        await rejectionOfMistake(`storing with the metadata ${JSON.stringify(metadata).slice(0, 80)}`, () =>
          storage.store('call_1_0', bytes('content'), 'text/plain', { metadata: metadata as Record<string, string> }),
        )
    },
  },
]
