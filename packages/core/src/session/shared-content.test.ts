import { describe, expect, test } from 'vitest'
import { textOf } from '../../test/retrieval-fixture.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { bytes } from '../conformance/sample.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import type { RetrievalCall, RetrievalResult } from '../retrieval/retrieval-tool.ts'
import type { ManagedStorageOptions } from '../storage/storage.ts'
import { mentionedReferences } from './shared-content.ts'

const sessionOf = (options: ManagedStorageOptions = {}): ContextOffloader =>
  new ContextOffloader({ storage: tinyStorage(options), maxResultTokens: 400 }).forScope('tenant', 'session')

const store = (session: ContextOffloader, content: string): Promise<string> =>
  session.options.storage.store('call_1', bytes(content))

const ask = (session: ContextOffloader, call: RetrievalCall): Promise<RetrievalResult> =>
  session.retrievalTool.execute(call)

async function read(session: ContextOffloader, reference: string): Promise<string> {
  const result = await ask(session, { reference })
  return result.isError ? result.code : textOf(result)
}

describe('the session of a sub-agent', () => {
  test('reads the entries that are lent or named in the task, and no other entries of its parent', async () => {
    const parent = sessionOf()
    const [named, lent, other] = [await store(parent, 'named'), await store(parent, 'lent'), await store(parent, 'not')]
    const child = parent.child('call_7', { task: `Read "spill:${named}".`, lend: [lent] })
    expect(await read(child, named)).toContain('named')
    expect(await read(child, lent)).toContain('lent')
    expect(await read(child, other)).toBe('not-found')
    const all = parent.child('call_8', { lend: 'all' })
    expect(await read(all, other)).toContain('not')
  })

  test('searches its own entries and the lent entries without a reference', async () => {
    const parent = sessionOf()
    const lent = await store(parent, 'needle: lent')
    await store(parent, 'needle: of the parent')
    const child = parent.child('call_7', { task: lent })
    await store(child, 'needle: own')
    const text = textOf(await ask(child, { pattern: 'needle' }))
    expect(text).toContain('2 of 2 stored results')
    expect(text).not.toContain('of the parent')
    expect(textOf(await ask(parent.child('all', { lend: 'all' }), { pattern: 'needle' }))).toContain('of the parent')
    expect(textOf(await ask(parent, { pattern: 'needle' }))).not.toContain('own')
  })

  test('gives back the entries that its answer names, and nothing else', async () => {
    const parent = sessionOf()
    const child = parent.child('call_7')
    const [named, other] = [await store(child, 'found'), await store(child, 'not mentioned')]
    expect(await read(parent, named)).toBe('not-found')
    expect(child.giveBack(`It stands in ${named}.`)).toBe(`It stands in ${named}.`)
    expect(await read(parent, named)).toContain('found')
    expect(await read(parent, other)).toBe('not-found')
    expect(textOf(await ask(parent, { pattern: 'found' }))).toContain(named)
  })

  test('hides its entries from other sub-agents, unless the parent lends them', async () => {
    const parent = sessionOf()
    const [first, second] = [parent.child('first'), parent.child('second', { lend: 'all' })]
    const found = await store(first, 'found')
    for (const sibling of [second, parent.child('third', { task: found })])
      expect(await read(sibling, found)).toBe('not-found')
    first.giveBack(found)
    expect(await read(second, found)).toBe('not-found')
    expect(await read(parent.child('fourth', { task: found }), found)).toContain('found')
    expect(textOf(await ask(second, { pattern: 'found' }))).not.toContain(found)
  })

  test('neither reads nor lends entries that its parent cannot read', async () => {
    const offloader = new ContextOffloader({ storage: tinyStorage() })
    const stolen = await store(offloader.forScope('other', 'session'), 'of another tenant')
    const parent = offloader.forScope('tenant', 'session')
    const child = parent.child('call_7', { task: stolen, lend: [stolen] })
    expect(await read(child, stolen)).toBe('not-found')
    child.giveBack(stolen)
    expect(await read(parent, stolen)).toBe('not-found')
  })

  test('can be searched even if sessions lend a missing entry to each other', async () => {
    const parent = sessionOf()
    const missing = 'call_1_aaaaaaaaaaaaaaaaaaaa'
    const child = parent.child('call_7', { task: missing })
    child.giveBack(missing)
    const grandchild = child.child('call_8', { task: missing })
    grandchild.giveBack(missing)
    for (const session of [parent, child, grandchild]) {
      expect(await read(session, missing)).toBe('not-found')
      expect(textOf(await ask(session, { pattern: 'anything' }))).toContain('0 matches')
    }
  })

  test('passes references down to its own sub-agents and up from them', async () => {
    const parent = sessionOf()
    const child = parent.child('call_7', { task: await store(parent, 'from above') })
    const [lent] = mentionedReferences(await store(parent, 'from above'))
    const grandchild = child.child('call_8', { task: lent! })
    expect(await read(grandchild, lent!)).toContain('from above')
    const found = await store(grandchild, 'from below')
    child.giveBack(grandchild.giveBack(found))
    expect(await read(parent, found)).toContain('from below')
  })

  test('includes the scopes that a framework makes below it, each separately', async () => {
    const parent = sessionOf()
    const lent = await store(parent, 'lent')
    const child = parent.child('call_7', { task: lent })
    const [thread, other] = [child.forScope('thread'), child.forScope('other')]
    expect(await read(thread, lent)).toContain('lent')
    const found = await store(thread, 'found')
    expect(await read(other, found)).toBe('not-found')
    child.giveBack(found)
    expect(await read(parent, found)).toContain('found')
    expect(textOf(await ask(parent, { pattern: 'found' }))).toContain(found)
  })

  test('ends no turns of its parent, but its reads count as use of the entries', async () => {
    const parent = sessionOf({ evictAfterTurns: 2 })
    const [idle, used] = [await store(parent, 'idle'), await store(parent, 'used')]
    const child = parent.child('call_7', { task: `${idle} ${used}` })
    for (let turn = 0; turn < 5; turn += 1) await child.endTurn()
    expect(await read(child, idle)).toContain('idle')
    await parent.endTurn()
    await parent.endTurn()
    expect(await read(child, used)).toContain('used')
    await parent.endTurn()
    expect(await read(child, used)).toContain('used')
    expect([await read(parent, idle), await read(child, idle)]).toEqual(['evicted', 'evicted'])
  })

  test('is the same session for the same id, even in another object of the same session', async () => {
    const offloader = new ContextOffloader({ storage: tinyStorage() })
    const lent = await store(offloader.forScope('tenant', 'session'), 'lent')
    offloader.forScope('tenant').forScope('session').child('call_7', { task: lent })
    const again = offloader.forScope('tenant', 'session').child('call_7')
    expect(await read(again, lent)).toContain('lent')
    const found = await store(again, 'found')
    again.giveBack(found)
    expect(await read(offloader.forScope('tenant', 'session'), found)).toContain('found')
    expect(await read(offloader.forScope('tenant'), found)).toBe('not-found')
  })

  test('inherits the settings and the meter', async () => {
    const parent = sessionOf()
    const child = parent.child('call_7')
    expect(child.options).toEqual({ ...parent.options, storage: child.options.storage })
    await child.offload({
      toolName: 'read',
      toolCallId: 'a',
      content: [{ type: 'text', text: 'a line\n'.repeat(900) }],
    })
    expect(parent.meter().offloaded).toBe(1)
  })

  test('resolves lent references in arguments', async () => {
    const storage = tinyStorage()
    const resolveReferences = { tools: { send: { text: 'text' } } } as const
    const parent = new ContextOffloader({ storage, resolveReferences }).forScope('session')
    const [lent, other] = [await store(parent, 'lent'), await store(parent, 'other')]
    const child = parent.child('call_7', { task: lent })
    const resolve = (reference: string) =>
      child.resolveReferences({ toolName: 'send', input: { text: `spill:${reference}` } })
    expect((await resolve(lent)).resolved).toEqual({ text: 'lent' })
    await expect(resolve(other)).rejects.toThrow('nothing is stored')
  })

  test('needs a scope to lend all entries, and a parent to give entries back', () => {
    const offloader = new ContextOffloader({ storage: tinyStorage() })
    expect(() => offloader.child('call_7', { lend: 'all' })).toThrow(TypeError)
    expect(() => offloader.child('call_7', { lend: 'some' as never })).toThrow(TypeError)
    expect(() => offloader.child('call_7', { task: 7 as never })).toThrow(TypeError)
    expect(() => offloader.child('call_7', { lent: [] } as never)).toThrow('Unknown option "lent". Known: task, lend.')
    expect(() => offloader.forScope('session').giveBack('answer')).toThrow(TypeError)
    expect(() => offloader.child('call_7').giveBack(undefined as never)).toThrow(TypeError)
  })
})

describe('mentionedReferences', () => {
  const reference = `call_1_0_${'a2'.repeat(10)}`

  test('finds whole references in any text', () => {
    expect(mentionedReferences(`See _${reference}_, "spill:${reference}" and x${reference}.`)).toEqual([
      reference,
      `x${reference}`,
    ])
    expect(mentionedReferences(`${reference}b call_1 ${'A2'.repeat(10)} a/${reference.slice(0, -1)}`)).toEqual([])
  })

  test('finds at most 1,000, and reads long texts in linear time', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `call_${index}_${'a2'.repeat(10)}`)
    expect(mentionedReferences(many.join(' '))).toEqual(many.slice(0, 1_000))
    expect(mentionedReferences('_'.repeat(2_000_000) + 'a'.repeat(2_000_000))).toEqual([])
  })
})
