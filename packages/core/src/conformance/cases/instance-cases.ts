import type { Storage, StoreReceipt } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkBytes, checkEqual, rejection, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, pattern } from '../sample.ts'

/** Instances over the same data, their ends, and how a shell reaches an entry. */
export const instanceCases: readonly ConformanceCase[] = [
  {
    id: 'instances/see-each-other',
    title: 'What one instance has stored or deleted, another that is open at the same time sees',
    requires: ['reopen', 'list', 'delete', 'scope'],
    async run({ storage, powers }) {
      const other = (await powers.reopen()) as Required<Storage>
      const first = await storage.scope('a').store('first', bytes('first'))
      const second = await other.scope('a').store('second', bytes('second'))
      const [a, b] = [storage.scope('a'), other.scope('a')] as [Required<Storage>, Required<Storage>]
      checkBytes((await attempt('retrieving', () => b.retrieve(first))).content, bytes('first'), 'content of the first')
      checkBytes((await attempt('retrieving', () => a.retrieve(second))).content, bytes('second'), 'of the second')
      checkEqual((await collect(a.list())).length, 2, 'number of entries in the first instance')
      checkEqual((await collect(b.list())).length, 2, 'number of entries in the second instance')
      await a.retrieve(first)
      await b.delete(first)
      await rejectionCode('not-found', 'retrieving what the other has deleted', () => a.retrieve(first))
    },
  },
  {
    id: 'instances/one-creates',
    title: 'Of equal stores in parallel through several instances exactly one creates the entry',
    requires: ['reopen', 'list'],
    async run({ storage, powers }) {
      const instances = [storage, await powers.reopen(), await powers.reopen()]
      for (let round = 0; round < 10; round += 1) {
        const receipts: StoreReceipt[] = []
        const content = pattern(round * 10_000, round + 1)
        await Promise.all(
          instances.map((instance) =>
            instance.store('call_1_0', content, 'text/plain', { onStored: (receipt) => receipts.push(receipt) }),
          ),
        )
        checkEqual(new Set(receipts.map(({ reference }) => reference)).size, 1, 'number of references')
        checkEqual(receipts.filter(({ created }) => created).length, 1, 'number of stores that created the entry')
        const [receipt] = receipts
        checkBytes((await storage.retrieve(receipt?.reference ?? '')).content, content, 'content')
      }
      checkEqual((await collect(storage.list())).length, 10, 'number of entries')
    },
  },
  {
    id: 'instances/parallel-stores',
    title: 'Parallel stores through several instances lose nothing',
    level: 'two-method',
    requires: ['reopen'],
    async run({ storage, powers }) {
      const instances = [storage, await powers.reopen(), await powers.reopen()]
      const types = ['text/plain', 'application/json', 'image/png']
      const stores = Array.from({ length: 60 }, (_, index) =>
        (instances[index % 3] as Storage).store('call_1_0', bytes(`content ${index}`), types[index % 3]),
      )
      const references = await attempt('storing in parallel', () => Promise.all(stores))
      for (const [index, reference] of references.entries()) {
        const instance = instances[(index + 1) % 3] as Storage
        const found = await attempt(`retrieving ${reference} from another instance`, () => instance.retrieve(reference))
        checkBytes(found.content, bytes(`content ${index}`), `content of ${reference}`)
        checkEqual(found.contentType, types[index % 3], `content type of ${reference}`)
      }
    },
  },
  {
    id: 'instances/undo',
    title: 'An undo in one instance leaves what another has stored again since',
    requires: ['reopen', 'delete'],
    async run({ storage, powers }) {
      const other = await powers.reopen()
      const receipts: StoreReceipt[] = []
      for (const instance of [storage, other])
        await instance.store('call_1_0', bytes('content'), 'text/plain', {
          onStored: (receipt) => receipts.push(receipt),
        })
      const [first] = receipts
      await storage.delete(first?.reference ?? '', { unusedSince: first?.usedAt })
      await attempt('retrieving what the other instance has stored', () => other.retrieve(first?.reference ?? ''))
    },
  },
  {
    id: 'lifecycle/close-twice',
    title: 'Closing a storage twice is fine',
    requires: ['close'],
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      await attempt('closing', () => storage.close())
      await attempt('closing again', () => storage.close())
    },
  },
  {
    id: 'lifecycle/closing-a-scope',
    title: 'Closing a scope leaves the storage, and other views of the scope, open',
    requires: ['close', 'scope'],
    async run({ storage }) {
      const scope = storage.scope('a') as Required<Storage>
      const reference = await scope.store('call_1_0', bytes('content'))
      await scope.close()
      await attempt('retrieving in another view', () => storage.scope('a').retrieve(reference))
      await attempt('storing', () => storage.store('call_1_0', bytes('content')))
    },
  },
  {
    id: 'locate/unknown',
    title: 'Where an entry is that nobody has stored is not known; what is no reference is refused',
    requires: ['locate'],
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      checkEqual(storage.locate('call_9_9_abcdefghijklmnopqrst'), undefined, 'location of an unknown entry')
      for (const forged of ['../../etc/passwd', '/etc/passwd', 'a\u0000b', "'; rm -rf /"])
        await rejection(`locating ${JSON.stringify(forged)}`, () => {
          const location = storage.locate(forged)
          if (location === undefined) throw new Error('not known, which is fine')
          return location
        })
    },
  },
  {
    id: 'locate/stays-inside',
    title: 'The location of an entry has no dots that lead upwards, and other scopes do not have it',
    requires: ['locate', 'scope'],
    async run({ storage }) {
      for (const name of ['..', "it's", '$(id)', 'a b', '-rf']) {
        const scope = storage.scope(name) as Required<Storage>
        const reference = await scope.store('call_1_0', bytes('content'), 'text/plain; charset=utf-8')
        const location = scope.locate(reference)
        check(location !== undefined, `the location of ${reference} in ${name} is not known after storing it`)
        check(!/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(location.address), `${location.address} leads upwards`)
        checkEqual(storage.locate(reference), undefined, 'location in another scope')
      }
    },
  },
  {
    id: 'locate/command-prints',
    title: 'The command of a location prints exactly the content',
    requires: ['locate', 'scope', 'shell'],
    async run({ storage, powers }) {
      for (const name of ['a', 'it\'s a $(id) `id` "scope"', '-rf', '日本語']) {
        const scope = storage.scope(name) as Required<Storage>
        for (const type of ['text/plain', 'application/json', 'image/png', "text/x-odd; a='; echo injected'"]) {
          const content = pattern(3_000, 71)
          const location = scope.locate(await scope.store('call_1_0', content, type))
          check(location !== undefined, `the location of an entry of ${name} is not known after storing it`)
          checkBytes(await powers.shell(location.command), content, `what ${location.command} prints`)
        }
      }
    },
  },
  {
    id: 'locate/after-delete',
    title: 'An entry that was deleted has no location',
    requires: ['locate', 'delete'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await storage.delete(reference)
      checkEqual(storage.locate(reference), undefined, 'location')
    },
  },
]
