import { checkStorage } from '../../maintenance/check-storage.ts'
import { copyStorage } from '../../maintenance/copy-storage.ts'
import type { ManagedStorage } from '../../storage/managed-storage.ts'
import type { Storage, StoreReceipt } from '../../storage/storage.ts'
import { attempt, check, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import type { ConformanceCase } from '../harness.ts'
import type { KillScript } from '../kill-script.ts'
import { bytes, collect, pattern, stream, referencesIn } from '../sample.ts'
import { checkContent, readable, storeWithReceipt } from './combined/methods.ts'

const DAY_MS = 86_400_000

const SCRIPT: KillScript = {
  acknowledged: [0, 1, 10, 70_000, 300_000].map((size, index) => ({
    key: `acknowledged_${index}`,
    contentType: 'Text/CSV; header=present',
    content: pattern(size, 47 + index),
  })),
  unfinished: { key: 'unfinished', contentType: 'text/plain', content: pattern(2_000_000, 53) },
}

async function checkAcknowledged(storage: Required<Storage>, references: readonly string[]): Promise<void> {
  checkEqual(references.length, SCRIPT.acknowledged.length, 'number of acknowledged entries')
  for (const [index, reference] of references.entries()) {
    const { content, contentType } = SCRIPT.acknowledged[index]!
    await checkContent(storage, reference, content, `the acknowledged ${reference}`, contentType)
  }
}

export const durabilityCases: readonly ConformanceCase[] = [
  {
    id: 'durability/content',
    title: 'A new instance over the same data has all content with exact types, even of entries stored in parallel',
    level: 'two-method',
    requires: ['reopen'],
    async run({ storage, powers }) {
      const types = ['text/plain', 'application/json', 'Text/CSV; header=present', 'image/png', 'application/x-unknown']
      const sizes = [0, 1, 4, 300_000, 3_000_000]
      const contents = sizes.map((size) => pattern(size, 59))
      const stores = types.map((type, index) => storage.store('call_1_0', contents[index] as Uint8Array, type))
      const references = await Promise.all(stores)
      await storage.close?.()
      const reopened = await powers.reopen()
      for (const [index, reference] of references.entries())
        await checkContent(reopened, reference, contents[index]!, `${reference} from a new instance`, types[index])
    },
  },
  {
    id: 'durability/description',
    title: 'A new instance describes and lists the same entries, without deleted entries, and stores no entry twice',
    requires: ['reopen', 'stat', 'list', 'delete', 'clear', 'scope'],
    async run({ storage, powers }) {
      const metadata = { tool: 'read_log', note: 'a\nb é' }
      const type = 'text/x-log; a="b"'
      const reference = await storage.store('Call "1"\u0000', bytes('content'), type, { metadata })
      const deleted = await storage.store('deleted', bytes('content'))
      const scope = storage.scope('a') as Required<Storage>
      await scope.store('cleared', bytes('content'))
      await storage.delete(deleted)
      await scope.clear()
      const described = await storage.stat(reference)
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      checkEqual(await attempt('describing it', () => reopened.stat(reference)), described, 'description')
      checkEqual(await collect(reopened.list()), [described], 'list')
      await rejectionCode('not-found', 'retrieving the deleted entry', () => reopened.retrieve(deleted))
      const again = await storeWithReceipt(reopened, 'Call "1"\u0000', bytes('content'), type)
      checkEqual([again.reference, again.created], [reference, false], 'reference, and whether it was created')
    },
  },
  {
    id: 'durability/scopes',
    title: 'Scopes have the same entries, and stay isolated, in a new instance',
    requires: ['reopen', 'scope'],
    async run({ storage, powers }) {
      const names = ['foo', 'Foo', 'user@example.com', '..', 'x'.repeat(500)]
      const references: string[] = []
      for (const name of names) references.push(await storage.scope(name).store('call_1_0', bytes(name)))
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      for (const [index, name] of names.entries())
        for (const [position, reference] of references.entries()) {
          const scope = reopened.scope(name)
          const what = `an entry of ${names[position]?.slice(0, 20)} in ${name.slice(0, 20)}`
          if (index === position) await checkContent(scope, reference, bytes(name), what)
          else await rejectionCode('not-found', `retrieving ${what}`, () => scope.retrieve(reference))
        }
    },
  },
  {
    id: 'kill/acknowledged-survive',
    title: 'Entries acknowledged before the writer was killed are complete, and the unfinished entry is not visible',
    requires: ['kill', 'list'],
    async run({ storage, powers }) {
      const references = await powers.kill(SCRIPT)
      await checkAcknowledged(storage, references)
      checkEqual(await referencesIn(storage), [...references].toSorted(), 'entries listed')
      const { key, content, contentType } = SCRIPT.unfinished
      const reference = await attempt('storing it', () => storage.store(key, content, contentType))
      checkBytes((await storage.retrieve(reference)).content, content, 'content')
    },
  },
  {
    id: 'kill/leftovers-are-collected',
    title: 'A day later, gc removes the leftovers of the killed writer, and nothing else',
    requires: ['kill', 'gc', 'clock', 'residue', 'list', 'clear'],
    async run({ storage, powers }) {
      await storage.store('warm-up', bytes('content'))
      await storage.clear()
      const before = await powers.residue()
      const references = await powers.kill(SCRIPT)
      powers.clock.advance(2 * DAY_MS)
      await storage.gc()
      await checkAcknowledged(storage, references)
      await storage.clear()
      const left = (await powers.residue()) - before
      check(left <= 0, `${left} records of the killed writer are left`)
    },
  },
  {
    id: 'corrupt/cut-content',
    title: 'Content cut by another program is corrupt, and never returned as complete',
    requires: ['damage'],
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', pattern(150_000, 67))
      await powers.damage(reference)
      await rejectionCode('corrupt', 'retrieving cut content', () => storage.retrieve(reference))
    },
  },
]

export const instanceCases: readonly ConformanceCase[] = [
  {
    id: 'instances/one-creates',
    title: 'If several instances store equal input, exactly one creates the entry, and an undo keeps it for the others',
    requires: ['reopen', 'list', 'delete'],
    async run({ storage, powers }) {
      const instances = [storage, await powers.reopen(), await powers.reopen()]
      for (let round = 0; round < 10; round += 1) {
        const receipts: StoreReceipt[] = []
        const content = pattern(round * 10_000, round + 1)
        const store = (instance: Storage): Promise<string> =>
          instance.store('call_1_0', content, 'text/plain', { onStored: (receipt) => receipts.push(receipt) })
        await Promise.all(instances.map(store))
        checkEqual(new Set(receipts.map(({ reference }) => reference)).size, 1, 'number of references')
        checkEqual(receipts.filter(({ created }) => created).length, 1, 'number of stores that created the entry')
        const reference = await store(storage)
        for (const instance of instances.slice(1)) await store(instance)
        await storage.delete(reference, { unusedSince: receipts[3]?.usedAt })
        await checkContent(storage, reference, content, 'an entry stored again by others')
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
        const what = `${reference} from another instance`
        await checkContent(instance, reference, bytes(`content ${index}`), what, types[index % 3])
      }
    },
  },
  {
    id: 'lifecycle/close',
    title: 'Closing twice has no effect, and closing a scope or an instance keeps others open',
    requires: ['close', 'scope', 'list'],
    async run({ storage, another, powers }) {
      const { reopen } = powers as Partial<typeof powers>
      const scope = storage.scope('a') as Required<Storage>
      const inScope = await scope.store('call_1_0', bytes('content'))
      await scope.close()
      await attempt('retrieving in another view', () => storage.scope('a').retrieve(inScope))
      const reference = await attempt('storing', () => storage.store('call_1_0', bytes('content')))
      const others = [await another(), ...(reopen === undefined ? [] : [(await reopen()) as Required<Storage>])]
      for (const other of others) await other.store('call_1_0', bytes('content'))
      await attempt('closing', () => storage.close())
      await attempt('closing again', () => storage.close())
      for (const other of others) {
        await readable(other, reference, bytes('content'), 'after another instance was closed')
        await attempt('storing after another instance was closed', () => other.store('later', bytes('content')))
        checkEqual((await collect(other.list({ below: false }))).length, 2, 'number of entries')
      }
    },
  },
  {
    id: 'locate/unknown',
    title: 'An entry that was deleted or never stored has no location',
    requires: ['locate', 'delete'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await storage.delete(reference)
      checkEqual(storage.locate(reference), undefined, 'location of a deleted entry')
      checkEqual(storage.locate('call_9_9_abcdefghijklmnopqrst'), undefined, 'location of an unknown entry')
    },
  },
  {
    id: 'locate/stays-inside',
    title: 'The path of a location never leads to a parent folder, and differs between scopes',
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
      // Each location starts a process, so each name and each type is tested only once.
      for (const [name, type] of [
        ['a', 'text/plain'],
        ['it\'s a $(id) `id` "scope"', 'application/json'],
        ['-rf', 'image/png'],
        ['日本語', "text/x-odd; a='; echo injected'"],
      ] as const) {
        const scope = storage.scope(name) as Required<Storage>
        const content = pattern(3_000, 71)
        const location = scope.locate(await scope.store('call_1_0', content, type))
        check(location !== undefined, `the location of an entry of ${name} is not known after storing it`)
        checkBytes(await powers.shell(location.command), content, `output of ${location.command}`)
      }
    },
  },
]

const SCOPES: readonly (readonly string[])[] = [[], ['A b@c'], ['A b@c', 'd'], ['a']]
const CONTENTS = [new Uint8Array(0), bytes('a line of text\n'.repeat(100_000)), pattern(1_500_000, 97)]

const viewOf = (storage: Storage, scope: readonly string[]): Required<Storage> =>
  (scope.length === 0 ? storage : storage.scope?.(...scope)) as Required<Storage>

/** Store content of every kind, and a stream, in several scopes. Returns a check that finds them all again. */
async function storeSamples(storage: Storage): Promise<{ count: number; check(of: Storage): Promise<unknown[]> }> {
  const samples: { readonly scope: readonly string[]; readonly reference: string; readonly content: Uint8Array }[] = []
  for (const scope of SCOPES) {
    const view = viewOf(storage, scope)
    const metadata = { tool: 'read_log' }
    for (const content of CONTENTS)
      samples.push({ scope, content, reference: await view.store('Call 1', content, 'text/x-log', { metadata }) })
    const content = pattern(200_000, 101)
    samples.push({ scope, content, reference: await view.storeStream('stream', stream(content)) })
  }
  const check = async (of: Storage): Promise<unknown[]> => {
    const described: unknown[] = []
    for (const { scope, reference, content } of samples) {
      const view = viewOf(of, scope)
      await checkContent(view, reference, content)
      const { lastUsedAt: _, expiresAt: _end, ...info } = await view.stat(reference)
      described.push(info)
    }
    return described
  }
  return { count: samples.length, check }
}

const managed = (storage: Storage): ManagedStorage => storage as unknown as ManagedStorage

export const maintenanceCases: readonly ConformanceCase[] = [
  {
    id: 'copy/round-trip',
    title: 'A copy to another storage and back keeps references, scopes, content and descriptions',
    requires: ['list', 'scope', 'stat', 'clear', 'storeStream'],
    needsDriver: true,
    async run({ storage, another }) {
      const samples = await storeSamples(storage)
      const other = await another()
      const { copied, skipped, failed } = await copyStorage(managed(storage), managed(other))
      checkEqual([copied, skipped, failed], [samples.count, 0, []], 'entries copied, skipped and failed')
      checkEqual(await samples.check(other), await samples.check(storage), 'descriptions')
      const again = await copyStorage(managed(storage), managed(other))
      checkEqual([again.copied, again.skipped], [0, samples.count], 'entries copied and skipped again')
      await storage.clear()
      const ofScope = await copyStorage(managed(other), managed(storage), { scope: ['A b@c'] })
      checkEqual(ofScope.copied, samples.count / 2, 'entries copied back of one scope')
      checkEqual((await collect(storage.list())).length, ofScope.copied, 'entries listed')
      await copyStorage(managed(other), managed(storage))
      await samples.check(storage)
      const { created } = await storeWithReceipt(storage, 'Call 1', new Uint8Array(0), 'text/x-log')
      checkEqual(created, false, 'whether storing copied content again has created an entry')
    },
  },
  {
    id: 'check/finds-nothing-wrong',
    title: 'A check reads every entry and finds nothing wrong, and repair changes nothing',
    requires: ['list', 'scope', 'stat', 'storeStream'],
    needsDriver: true,
    async run({ storage }) {
      const samples = await storeSamples(storage)
      for (const repair of [false, true]) {
        const { entries, unproven, problems } = await checkStorage(managed(storage), { repair })
        checkEqual(problems, [], 'problems')
        checkEqual([entries, unproven], [samples.count, SCOPES.length], 'entries, and streams without a digest')
      }
      await samples.check(storage)
    },
  },
  {
    id: 'check/damaged',
    title: 'A check names content that was cut short, and the content can be stored again after a repair',
    requires: ['damage', 'list'],
    needsDriver: true,
    async run({ storage, powers }) {
      const content = pattern(150_000, 103)
      const reference = await storage.store('call_1_0', content)
      await powers.damage(reference)
      const [first, ...others] = (await checkStorage(managed(storage), { repair: true })).problems
      checkEqual([first?.id, first?.problem, first?.repaired], [reference, 'unreadable', true], 'problem')
      checkEqual(others, [], 'other problems')
      checkEqual(await storage.store('call_1_0', content), reference, 'reference')
      checkBytes((await storage.retrieve(reference)).content, content, 'content that was stored again')
    },
  },
]
