import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import { bytes, collect, stream } from '../sample.ts'

const TYPES: readonly string[] = [
  'text/plain',
  'application/json',
  'TEXT/HTML; Charset="UTF-8"',
  'text/plain;charset=utf-8',
  'text/plain  ;  charset=utf-8; ',
  'multipart/form-data; boundary="a;b=c \\" d"',
  'image/svg+xml',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  `application/x-${'a'.repeat(200)}`,
]

/** What a header could not carry, or would read as a header more, and what has no end. */
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

/** The exact content type. */
export const contentTypeCases: readonly ConformanceCase[] = [
  {
    id: 'content-type/exact',
    title: 'The content type comes back exactly: parameters, quotes, spaces and upper case',
    level: 'two-method',
    async run({ storage }) {
      for (const type of TYPES) {
        const reference = await attempt(`storing ${type}`, () => storage.store('call_1_0', bytes(type), type))
        checkEqual((await storage.retrieve(reference)).contentType, type, 'content type')
      }
    },
  },
  {
    id: 'content-type/default',
    title: 'Without a content type it is text/plain',
    level: 'two-method',
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('text'))
      checkEqual((await storage.retrieve(reference)).contentType, 'text/plain', 'content type')
    },
  },
  {
    id: 'content-type/of-each-entry',
    title: 'Entries of equal keys, stored in parallel, each keep their own content type',
    level: 'two-method',
    async run({ storage }) {
      const store = (type: string): Promise<string> => storage.store('call_1_0', bytes(`content of ${type}`), type)
      const references = await Promise.all(TYPES.map(store))
      for (const [index, type] of TYPES.entries()) {
        const found = await storage.retrieve(references[index] as string)
        checkEqual(found.contentType, type, `content type of ${references[index]}`)
      }
    },
  },
  {
    id: 'content-type/of-equal-content',
    title: 'Equal content stored with two types comes back with each',
    level: 'two-method',
    async run({ storage }) {
      const plain = await storage.store('call_1_0', bytes('{}'), 'text/plain')
      const json = await storage.store('call_1_0', bytes('{}'), 'application/json')
      checkEqual((await storage.retrieve(plain)).contentType, 'text/plain', 'content type of the first')
      checkEqual((await storage.retrieve(json)).contentType, 'application/json', 'content type of the second')
    },
  },
  {
    id: 'content-type/only-mime-types',
    title: 'What is no MIME type is refused as a mistake, and nothing is stored',
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
