import type { Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import type { KillScript } from '../kill-script.ts'
import { bytes, collect, pattern } from '../sample.ts'

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
    const expected = SCRIPT.acknowledged[index]
    const found = await attempt(`retrieving the acknowledged ${reference}`, () => storage.retrieve(reference))
    checkBytes(found.content, expected?.content ?? bytes(''), `content of ${reference}`)
    checkEqual(found.contentType, expected?.contentType, `content type of ${reference}`)
  }
}

/** What a durable backend has after a restart, and what several instances see of each other. */
export const durabilityCases: readonly ConformanceCase[] = [
  {
    id: 'durability/content',
    title: 'A new instance over the same data has the content',
    level: 'two-method',
    requires: ['reopen'],
    async run({ storage, powers }) {
      const contents = [new Uint8Array(0), bytes('text'), pattern(300_000, 59), pattern(3_000_000, 61)]
      const references: string[] = []
      for (const content of contents) references.push(await storage.store('call_1_0', content))
      await storage.close?.()
      const reopened = await powers.reopen()
      for (const [index, reference] of references.entries()) {
        const found = await attempt(`retrieving ${reference} from a new instance`, () => reopened.retrieve(reference))
        checkBytes(found.content, contents[index] as Uint8Array, `content of ${reference}`)
      }
    },
  },
  {
    id: 'durability/content-type',
    title: 'A new instance has the exact content types, also of entries that were stored in parallel',
    level: 'two-method',
    requires: ['reopen'],
    async run({ storage, powers }) {
      const types = ['text/plain', 'application/json', 'Text/CSV; header=present', 'image/png', 'application/x-unknown']
      const references = await Promise.all(types.map((type) => storage.store('call_1_0', bytes(type), type)))
      await storage.close?.()
      const reopened = await powers.reopen()
      for (const [index, reference] of references.entries()) {
        const found = await attempt(`retrieving ${reference} from a new instance`, () => reopened.retrieve(reference))
        checkEqual(found.contentType, types[index], `content type of ${reference}`)
      }
    },
  },
  {
    id: 'durability/description',
    title: 'A new instance describes entries as the first one did, and lists them',
    requires: ['reopen', 'stat', 'list'],
    async run({ storage, powers }) {
      const options = { metadata: { tool: 'read_log', note: 'a\nb é' } }
      const reference = await storage.store('Call "1"\u0000', bytes('content'), 'text/x-log; a="b"', options)
      const described = await storage.stat(reference)
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      checkEqual(await attempt('describing it', () => reopened.stat(reference)), described, 'description')
      checkEqual(await collect(reopened.list()), [described], 'list')
    },
  },
  {
    id: 'durability/scopes',
    title: 'Scopes mean the same, and are walls, in a new instance',
    requires: ['reopen', 'scope'],
    async run({ storage, powers }) {
      const names = ['foo', 'Foo', 'user@example.com', '..', 'x'.repeat(500)]
      const references: string[] = []
      for (const name of names) references.push(await storage.scope(name).store('call_1_0', bytes(name)))
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      for (const [index, name] of names.entries()) {
        const own = references[index] as string
        const found = await attempt(`retrieving in ${name.slice(0, 20)}`, () => reopened.scope(name).retrieve(own))
        checkBytes(found.content, bytes(name), `content in ${name.slice(0, 20)}`)
        for (const other of names)
          if (other !== name)
            await rejectionCode('not-found', 'retrieving it in another scope', () =>
              reopened.scope(other).retrieve(own),
            )
      }
    },
  },
  {
    id: 'durability/idempotence',
    title: 'A new instance knows what is stored: equal input creates nothing',
    requires: ['reopen', 'list'],
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      let created: boolean | undefined
      const again = await reopened.store('call_1_0', bytes('content'), 'text/plain', {
        onStored: (receipt) => (created = receipt.created),
      })
      checkEqual([again, created], [reference, false], 'reference, and whether it was created')
      checkEqual((await collect(reopened.list())).length, 1, 'number of entries')
    },
  },
  {
    id: 'durability/deleted',
    title: 'What was deleted or cleared is gone in a new instance too',
    requires: ['reopen', 'delete', 'clear', 'scope', 'list'],
    async run({ storage, powers }) {
      const deleted = await storage.store('deleted', bytes('content'))
      const kept = await storage.store('kept', bytes('content'))
      const scope = storage.scope('a') as Required<Storage>
      await scope.store('cleared', bytes('content'))
      await storage.delete(deleted)
      await scope.clear()
      await storage.close?.()
      const reopened = (await powers.reopen()) as Required<Storage>
      await rejectionCode('not-found', 'retrieving what was deleted', () => reopened.retrieve(deleted))
      checkEqual(
        (await collect(reopened.list())).map(({ reference }) => reference),
        [kept],
        'entries listed',
      )
    },
  },
  {
    id: 'kill/acknowledged-survive',
    title: 'What was acknowledged before the writer was killed is there, whole',
    requires: ['kill', 'list'],
    async run({ storage, powers }) {
      await checkAcknowledged(storage, await powers.kill(SCRIPT))
    },
  },
  {
    id: 'kill/nothing-half-written',
    title: 'What the writer was killed in the middle of is nowhere to be seen, and can be stored',
    requires: ['kill', 'list'],
    async run({ storage, powers }) {
      const references = await powers.kill(SCRIPT)
      const listed = (await collect(storage.list())).map(({ reference }) => reference)
      checkEqual(listed.toSorted(), [...references].toSorted(), 'entries listed')
      const { key, content, contentType } = SCRIPT.unfinished
      const reference = await attempt('storing it', () => storage.store(key, content, contentType))
      checkBytes((await storage.retrieve(reference)).content, content, 'content')
    },
  },
  {
    id: 'kill/leftovers-are-collected',
    title: 'gc, a day later, removes what the killed writer left, and nothing else',
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
    title: 'Content that has been cut short behind the back of the storage is corrupt, and never passed on as whole',
    requires: ['damage'],
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', pattern(150_000, 67))
      await powers.damage(reference)
      await rejectionCode('corrupt', 'retrieving cut content', () => storage.retrieve(reference))
    },
  },
]
