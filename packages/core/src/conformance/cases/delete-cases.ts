import type { Storage, StoreReceipt } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, pattern } from '../sample.ts'

async function storeWithReceipt(storage: Storage, content: string): Promise<StoreReceipt> {
  let receipt: StoreReceipt | undefined
  await storage.store('call_1_0', bytes(content), 'text/plain', { onStored: (given) => (receipt = given) })
  if (receipt === undefined) throw new Error('store has given no receipt')
  return receipt
}

const gone = (storage: Storage, reference: string): Promise<unknown> =>
  rejectionCode('not-found', `retrieving the deleted ${reference}`, () => storage.retrieve(reference))

const kept = async (storage: Storage, reference: string, content: string): Promise<void> => {
  const found = await attempt(`retrieving ${reference}, which must have stayed`, () => storage.retrieve(reference))
  checkBytes(found.content, bytes(content), `content of ${reference}`)
}

/** Removing entries. */
export const deleteCases: readonly ConformanceCase[] = [
  {
    id: 'delete/removes',
    title: 'What was deleted is not-found, not listed, and all else stays',
    requires: ['delete', 'list'],
    async run({ storage }) {
      const first = await storage.store('first', bytes('first'))
      const second = await storage.store('second', bytes('second'))
      await storage.delete(first)
      await gone(storage, first)
      await kept(storage, second, 'second')
      checkEqual(
        (await collect(storage.list())).map(({ reference }) => reference),
        [second],
        'entries listed',
      )
    },
  },
  {
    id: 'delete/nothing-is-fine',
    title: 'Deleting again, or what never was, is fine',
    requires: ['delete'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await storage.delete(reference)
      await attempt('deleting again', () => storage.delete(reference))
      await attempt('deleting what never was', () => storage.delete('call_9_9_abcdefghijklmnopqrst'))
      await attempt('deleting what never was, if unused', () =>
        storage.delete('call_9_9_abcdefghijklmnopqrst', { unusedSince: Date.now() }),
      )
    },
  },
  {
    id: 'delete/in-parallel',
    title: 'Deleting an entry many times in parallel is fine',
    requires: ['delete'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const deletions = Array.from({ length: 10 }, () => storage.delete(reference))
      await attempt('deleting in parallel', () => Promise.all(deletions))
      await gone(storage, reference)
    },
  },
  {
    id: 'delete/leaves-no-record',
    title: 'Deleting leaves no physical record of an entry, small or large',
    requires: ['delete', 'residue', 'scope'],
    async run({ storage, powers }) {
      const scope = storage.scope('a') as Required<Storage>
      await scope.delete(await scope.store('warm-up', bytes('content')))
      await scope.store('staying', bytes('content'))
      const before = await powers.residue()
      for (const size of [0, 100, 2_000_000]) await scope.delete(await scope.store('call_1_0', pattern(size)))
      checkEqual(await powers.residue(), before, 'number of records')
    },
  },
  {
    id: 'clear/leaves-no-record',
    title: 'Clearing leaves no physical record of the entries',
    requires: ['clear', 'residue', 'scope'],
    async run({ storage, powers }) {
      const cleared = storage.scope('a') as Required<Storage>
      await storage.scope('b').store('staying', bytes('content'))
      await cleared.store('warm-up', bytes('content'))
      await cleared.clear()
      const before = await powers.residue()
      for (let index = 0; index < 5; index += 1) await cleared.store(`call_${index}`, pattern(index * 100_000))
      checkEqual(await cleared.clear(), 5, 'number of entries cleared')
      checkEqual(await powers.residue(), before, 'number of records')
    },
  },
  {
    id: 'clear/counts',
    title: 'clear returns how many entries it removed, and leaves none',
    requires: ['clear', 'list'],
    async run({ storage }) {
      for (let index = 0; index < 120; index += 1) await storage.store(`call_${index}`, bytes(`${index}`))
      checkEqual(await storage.clear(), 120, 'number of entries cleared')
      checkEqual(await storage.clear(), 0, 'number of entries cleared again')
      checkEqual(await collect(storage.list()), [], 'entries left')
    },
  },
  {
    id: 'clear/then-store',
    title: 'What was cleared can be stored again',
    requires: ['clear'],
    async run({ storage }) {
      const first = await storage.store('call_1_0', bytes('content'))
      await storage.clear()
      await gone(storage, first)
      const { reference, created } = await attempt('storing it', () => storeWithReceipt(storage, 'content'))
      checkEqual([reference, created], [first, true], 'reference, and whether it was created')
      await kept(storage, reference, 'content')
    },
  },
  {
    id: 'undo/removes-its-own-entry',
    title: 'Deleting what nobody has used since its own store removes it',
    requires: ['delete'],
    async run({ storage }) {
      const { reference, usedAt } = await storeWithReceipt(storage, 'content')
      await storage.delete(reference, { unusedSince: usedAt })
      await gone(storage, reference)
    },
  },
  {
    id: 'undo/keeps-an-older-entry',
    title:
      'Storing what exists says so, and an undo of the first store leaves what was stored again since, at once or later',
    requires: ['delete'],
    async run({ storage }) {
      const first = await storeWithReceipt(storage, 'content')
      const second = await storeWithReceipt(storage, 'content')
      checkEqual([first.created, second.created], [true, false], 'whether each store created the entry')
      await storage.delete(first.reference, { unusedSince: first.usedAt })
      await kept(storage, first.reference, 'content')
    },
  },
  {
    id: 'undo/keeps-a-retrieved-entry',
    title: 'An undo leaves what was retrieved since',
    requires: ['delete', 'clock'],
    async run({ storage, powers: { clock } }) {
      const { reference, usedAt } = await storeWithReceipt(storage, 'content')
      clock.advance(120_000)
      await storage.retrieve(reference)
      await storage.delete(reference, { unusedSince: usedAt })
      await kept(storage, reference, 'content')
    },
  },
  {
    id: 'undo/in-parallel',
    title: 'When equal offloads run in parallel and one is undone, the entry stays for the others',
    requires: ['delete'],
    async run({ storage }) {
      for (let round = 0; round < 20; round += 1) {
        const receipts: StoreReceipt[] = []
        const stores = Array.from({ length: 3 }, async (_, index) => {
          const receipt = await storeWithReceipt(storage, `round ${round}`)
          receipts.push(receipt)
          if (index === round % 3 && receipt.created)
            await storage.delete(receipt.reference, { unusedSince: receipt.usedAt })
        })
        await Promise.all(stores)
        const undone = receipts[round % 3]
        if (undone !== undefined) await kept(storage, undone.reference, `round ${round}`)
      }
    },
  },
]
