import type { StoreReceipt } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkBytes, checkEqual } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

/** Nothing is overwritten; storing is idempotent. */
export const storeCases: readonly ConformanceCase[] = [
  {
    id: 'store/overwrites-nothing',
    title: 'Different content under an equal key leaves the first in place',
    level: 'two-method',
    async run({ storage }) {
      const first = await storage.store('call_1_0', bytes('first'))
      const second = await storage.store('call_1_0', bytes('second'))
      check(first !== second, `both contents got the reference ${first}`)
      for (const [reference, content] of [
        [first, 'first'],
        [second, 'second'],
      ] as const) {
        const found = await attempt(`retrieving the ${content} content`, () => storage.retrieve(reference))
        checkBytes(found.content, bytes(content), `the ${content} content`)
      }
    },
  },
  {
    id: 'store/equal-input-equal-reference',
    title: 'Equal input gives the equal reference, and one entry',
    requires: ['list'],
    async run({ storage }) {
      const references = new Set<string>()
      for (let time = 0; time < 3; time += 1)
        references.add(await storage.store('call_1_0', bytes('same'), 'text/plain'))
      references.add(await storage.store('call_1_0', bytes('same')))
      checkEqual(references.size, 1, 'number of references')
      checkEqual((await collect(storage.list())).length, 1, 'number of entries')
    },
  },
  {
    id: 'store/equal-input-elsewhere-equal-reference',
    title: 'Equal input gives the equal reference in a storage of its own too, so replayed conversations stay equal',
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
    title: 'A different key, content, type or scope gives a different reference, also where the parts join up equally',
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
    title: 'The receipt says once, before store resolves, whether this call created the entry',
    async run({ storage }) {
      const receipts: StoreReceipt[] = []
      const onStored = (receipt: StoreReceipt): number => receipts.push(receipt)
      const reference = await storage.store('call_1_0', bytes('same'), 'text/plain', { onStored })
      checkEqual(receipts.length, 1, 'receipts once the first store has resolved')
      await storage.store('call_1_0', bytes('same'), 'text/plain', { onStored })
      checkEqual(receipts.length, 2, 'receipts once the second store has resolved')
      const facts = receipts.map((receipt) => [receipt.reference, receipt.created])
      checkEqual(
        facts,
        [
          [reference, true],
          [reference, false],
        ],
        'references, and whether they were created',
      )
      check(
        (receipts[1]?.usedAt ?? 0) > (receipts[0]?.usedAt ?? 0),
        'the second use must be told from the first by its usedAt',
      )
    },
  },
  {
    id: 'store/one-creates',
    title: 'Of equal stores in parallel exactly one creates the entry',
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
  {
    id: 'store/equal-content-of-other-keys',
    title: 'Deleting one of two entries of equal content leaves the other',
    requires: ['delete'],
    async run({ storage }) {
      const first = await storage.store('first', bytes('equal'))
      const second = await storage.store('second', bytes('equal'))
      await storage.delete(first)
      const found = await attempt('retrieving the other entry', () => storage.retrieve(second))
      checkBytes(found.content, bytes('equal'), 'content of the other entry')
    },
  },
  {
    id: 'store/again-after-delete',
    title: 'What was deleted can be stored again, under the equal reference, and counts as created',
    requires: ['delete'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('again'))
      await storage.delete(reference)
      let created: boolean | undefined
      const again = await storage.store('call_1_0', bytes('again'), 'text/plain', {
        onStored: (receipt) => (created = receipt.created),
      })
      checkEqual(again, reference, 'reference')
      checkEqual(created, true, 'created')
      checkBytes((await storage.retrieve(again)).content, bytes('again'), 'content')
    },
  },
  {
    id: 'store/equal-input-one-record',
    title: 'Storing again adds no physical record',
    requires: ['residue'],
    async run({ storage, powers }) {
      await storage.store('call_1_0', bytes('same'))
      const once = await powers.residue()
      for (let time = 0; time < 3; time += 1) await storage.store('call_1_0', bytes('same'))
      checkEqual(await powers.residue(), once, 'number of records')
    },
  },
]
