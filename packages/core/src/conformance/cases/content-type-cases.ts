import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkEqual, rejectionOfMistake } from '../conformance-failure.ts'
import { bytes } from '../sample.ts'

const TYPES: readonly string[] = [
  'text/plain',
  'application/json',
  'TEXT/HTML; Charset="UTF-8"',
  'text/plain;charset=utf-8',
  'multipart/form-data; boundary="a;b=c \\" d"',
  'image/svg+xml',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  `application/x-${'a'.repeat(200)}`,
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
    title: 'What is no MIME type is refused as a mistake',
    async run({ storage }) {
      for (const mistake of ['', 'text', 'text/plain\r\nX-Injected: 1', 'text/\u0000', 'téxt/plain', 42, null])
        await rejectionOfMistake(`storing with the content type ${JSON.stringify(mistake)}`, () =>
          storage.store('call_1_0', bytes('text'), mistake as string),
        )
    },
  },
]
