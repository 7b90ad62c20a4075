import type { StoreReceipt } from '../../storage/storage.ts'
import { attempt, check, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import type { ConformanceCase } from '../harness.ts'
import { bytes, collect, stream } from '../sample.ts'

export const storeCases: readonly ConformanceCase[] = [
  {
    id: 'store/equal-input-elsewhere-equal-reference',
    title: 'Equal input gives an equal reference in another storage, too, so that replayed conversations do not change',
    async run({ storage, another }) {
      const other = await another()
      const [first, second] = await Promise.all(
        [storage, other].map((one) => one.store('call_1_0', bytes('same'), 'text/csv')),
      )
      checkEqual(second, first, 'reference in the other storage')
    },
  },
  {
    id: 'store/different-input-different-reference',
    title: 'A different key, content, type or scope gives a different reference, even if their concatenation is equal',
    requires: ['scope'],
    async run({ storage }) {
      const references = [
        await storage.store('a', bytes('bc'), 'text/plain'),
        await storage.store('ab', bytes('c'), 'text/plain'),
        await storage.store('a', bytes('bd'), 'text/plain'),
        await storage.store('a', bytes('bc'), 'text/plain; charset=utf-8'),
        await storage.store('b', bytes('bc'), 'text/plain'),
        await storage.scope('a').store('a', bytes('bc'), 'text/plain'),
        await storage.scope('b').store('a', bytes('bc'), 'text/plain'),
        await storage.scope('a', 'b').store('a', bytes('bc'), 'text/plain'),
        await storage.scope('ab').store('a', bytes('bc'), 'text/plain'),
      ]
      checkEqual(new Set(references).size, references.length, 'number of different references')
    },
  },
  {
    id: 'store/receipt',
    title: 'onStored is called once, before store resolves, and says whether this call created the entry',
    async run({ storage }) {
      const receipts: StoreReceipt[] = []
      const onStored = (receipt: StoreReceipt): number => receipts.push(receipt)
      const reference = await storage.store('call_1_0', bytes('same'), 'text/plain', { onStored })
      checkEqual(receipts.length, 1, 'receipts once the first store has resolved')
      await storage.store('call_1_0', bytes('same'), 'text/plain', { onStored })
      checkEqual(receipts.length, 2, 'receipts once the second store has resolved')
      const [first, second] = receipts
      checkEqual([first?.reference, second?.reference], [reference, reference], 'references')
      checkEqual([first?.created, second?.created], [true, false], 'whether the stores have created the entry')
      check(
        (second?.usedAt ?? 0) > (first?.usedAt ?? 0),
        'usedAt of the second use must be later than that of the first',
      )
    },
  },
  {
    id: 'store/one-creates',
    title: 'If equal input is stored in parallel, exactly one call creates the entry',
    requires: ['list'],
    async run({ storage }) {
      for (let round = 0; round < 10; round += 1) {
        const created: boolean[] = []
        const stores = Array.from({ length: 20 }, () =>
          storage.store('call_1_0', bytes(`round ${round}`), 'text/plain', {
            onStored: (receipt) => created.push(receipt.created),
          }),
        )
        const references = new Set(await attempt('storing the same in parallel', () => Promise.all(stores)))
        checkEqual(references.size, 1, 'number of references')
        checkEqual(created.filter(Boolean).length, 1, 'number of stores that created the entry')
      }
      checkEqual((await collect(storage.list())).length, 10, 'number of entries')
    },
  },
]

const TYPES: readonly string[] = [
  'TEXT/HTML; Charset="UTF-8"',
  'text/plain;charset=utf-8',
  'text/plain  ;  charset=utf-8; ',
  'multipart/form-data; boundary="a;b=c \\" d"',
  'image/svg+xml',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  `application/x-${'a'.repeat(200)}`,
]

/** Invalid values: values that a header cannot have, that inject a second header, or that are too long. */
const MISTAKES: readonly unknown[] = [
  ...['', 'text', 'text/', '/plain', 'text/plain/x', ' text/plain', 'text/\u0000', 'téxt/plain', 42, null],
  ...[
    'text/plain\r\nX-Injected: 1',
    'text/plain\r\n;X-Injected: 1',
    'text/plain;\r\nX-Injected: 1',
    'text/plain\n; a=b',
  ],
  ...[
    'text/plain\t; a=b',
    'text/plain\u00a0; a=b',
    'text/plain\u2028; a=b',
    'text/plain; a=\u0000',
    'text/plain; a=\u007f',
  ],
  ...['text/plain; a=é', 'text/plain; a=\ud800', `text/plain; a=${'b'.repeat(300)}`],
]

export const contentTypeCases: readonly ConformanceCase[] = [
  {
    id: 'content-type/exact',
    title: 'Equal content stored in parallel with different types is retrieved with its exact type or text/plain',
    level: 'two-method',
    async run({ storage }) {
      const types = [undefined, 'application/json', ...TYPES]
      const store = (type?: string): Promise<string> => storage.store('call_1_0', bytes('{}'), type)
      const references = await attempt('storing', () => Promise.all(types.map(store)))
      for (const [index, type = 'text/plain'] of types.entries())
        checkEqual((await storage.retrieve(references[index] as string)).contentType, type, 'content type')
    },
  },
  {
    id: 'content-type/only-mime-types',
    title: 'An invalid MIME type rejects with a TypeError, and nothing is stored',
    requires: ['list', 'storeStream'],
    async run({ storage }) {
      for (const mistake of MISTAKES) {
        const shown = JSON.stringify(mistake).slice(0, 80)
        await rejectionOfMistake(`storing with the content type ${shown}`, () =>
          storage.store('call_1_0', bytes('text'), mistake as string),
        )
        await rejectionOfMistake(`storing a stream with the content type ${shown}`, () =>
          storage.storeStream('call_1_0', stream(bytes('text')), mistake as string),
        )
      }
      checkEqual((await collect(storage.list())).length, 0, 'number of entries')
    },
  },
]

export const metadataCases: readonly ConformanceCase[] = [
  {
    id: 'metadata/kept-exactly',
    title: 'Metadata is returned exactly: none, empty values, line ends, Unicode, 2 KB',
    requires: ['stat', 'list'],
    async run({ storage }) {
      const all: readonly (Record<string, string> | undefined)[] = [
        undefined,
        { tool: 'read_log' },
        { tool: 'read_log', 'tool-call-id': 'call_1', a1: '' },
        { value: 'a\nb\r\nc\u0000d\te "quoted" \\ é 日本語 👩‍👩‍👧 %41 =?utf-8?q?x?= ' },
        { value: 'x'.repeat(2_000) },
        { value: '\ud800 and \udc00', other: '\r\nX-Injected: 1' },
        { constructor: 'a', tostring: 'b' },
      ]
      for (const metadata of all) {
        const reference = await attempt(`storing with ${Object.keys(metadata ?? {}).join()}`, () =>
          storage.store(`${JSON.stringify(metadata)}`, bytes('content'), 'text/plain', metadata && { metadata }),
        )
        checkEqual((await storage.stat(reference)).metadata, metadata ?? {}, 'metadata in the description')
        const listed = (await collect(storage.list())).find((info) => info.reference === reference)
        checkEqual(listed?.metadata, metadata ?? {}, 'metadata in the list')
      }
    },
  },
  {
    id: 'metadata/copied',
    title: 'Changing a metadata object after it was stored or described does not change the entry',
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
        // A frozen object is a copy that cannot be changed, which is allowed.
        if (!(error instanceof TypeError)) throw error
      }
      checkEqual((await storage.stat(reference)).metadata, { tool: 'read_log' }, 'metadata described again')
    },
  },
  {
    id: 'metadata/bad-refused',
    title: 'Metadata that not every backend can keep rejects with a TypeError',
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
