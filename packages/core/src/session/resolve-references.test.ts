import { describe, expect, test } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { bytes } from '../conformance/sample.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { createStorage } from '../storage/managed-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { ReferenceArgumentError, type ReferenceArguments, type ResolvedCall } from './reference-arguments.ts'

const TOOLS = {
  send: { text: 'text', rows: 'json', file: 'base64', 'parts/*/text': 'text' },
} as const satisfies ReferenceArguments['tools']

interface Bench {
  readonly session: ContextOffloader
  readonly storage: Storage
  readonly store: (content: string | Uint8Array, contentType?: string) => Promise<string>
  readonly resolve: (input: unknown, toolName?: string) => Promise<ResolvedCall>
}

function benchOf(settings: Partial<ReferenceArguments> = {}, root: Storage = tinyStorage()): Bench {
  const session = new ContextOffloader({
    storage: root,
    resolveReferences: { tools: TOOLS, ...settings },
  }).forScope('tenant', 'session')
  const storage = session.options.storage
  return {
    session,
    storage,
    store: (content, contentType) =>
      storage.store('call_1', typeof content === 'string' ? bytes(content) : content, contentType, {
        metadata: { tool: 'read_web' },
      }),
    resolve: (input, toolName = 'send') => session.resolveReferences({ toolName, toolCallId: 'call_2', input }),
  }
}

describe('resolveReferences', () => {
  test('gives the tool the content in the form of its argument, and does not change the input', async () => {
    const { store, resolve } = benchOf()
    const text = await store('one\ntwo\n')
    const rows = await store('[{"id":1}]', 'application/json')
    const file = await store(new Uint8Array([0, 255, 1]), 'image/png')
    const input = {
      text: `spill:${text}`,
      rows: `spill:${rows}`,
      file: `spill:${file}`,
      parts: [{ text: 'plain' }, { text: `spill:${text}`, other: 1 }],
      to: 'a@b',
    }
    const before = structuredClone(input)
    const { resolved, references } = await resolve(input)
    expect(resolved).toEqual({
      text: 'one\ntwo\n',
      rows: [{ id: 1 }],
      file: 'AP8B',
      parts: [{ text: 'plain' }, { text: 'one\ntwo\n', other: 1 }],
      to: 'a@b',
    })
    expect(input).toEqual(before)
    expect(references).toEqual([
      { path: 'text', reference: text, form: 'text', contentType: 'text/plain', size: 8, source: 'read_web' },
      { path: 'rows', reference: rows, form: 'json', contentType: 'application/json', size: 10, source: 'read_web' },
      { path: 'file', reference: file, form: 'base64', contentType: 'image/png', size: 3, source: 'read_web' },
      { path: 'parts/1/text', reference: text, form: 'text', contentType: 'text/plain', size: 8, source: 'read_web' },
    ])
  })

  test('returns the same input for other tools, other arguments, keys, and longer texts', async () => {
    const { store, resolve } = benchOf()
    const reference = `spill:${await store('secret')}`
    for (const [input, toolName] of [
      [{ text: reference }, 'other'],
      [{ text: reference }, 'toString'],
      [{ subject: reference }, 'send'],
      [{ text: `See ${reference}` }, 'send'],
      [{ text: { [reference]: 1 } }, 'send'],
      [{ parts: { text: reference } }, 'send'],
      [reference, 'send'],
      [null, 'send'],
    ] as const)
      expect((await resolve(input, toolName)).resolved).toBe(input)
  })

  test('does not resolve content that looks like a reference', async () => {
    const { store, resolve } = benchOf()
    const inner = await store('inner')
    const text = await store(`spill:${inner}`)
    const rows = await store(JSON.stringify([`spill:${inner}`, { __proto__: 1 }]))
    const { resolved } = await resolve({ text: `spill:${text}`, rows: `spill:${rows}` })
    expect(resolved).toEqual({ text: `spill:${inner}`, rows: [`spill:${inner}`, {}] })
  })

  test('does not change prototypes', async () => {
    const { store, session } = benchOf({ tools: { send: { '__proto__/x': 'json' } as never } })
    const rows = await store('{"polluted":true}')
    const input = JSON.parse(`{"__proto__":{"x":"spill:${rows}"}}`) as object
    const { resolved } = await session.resolveReferences({ toolName: 'send', input })
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype)
    expect(Object.hasOwn(resolved, '__proto__')).toBe(true)
  })

  test.each([
    'spill:',
    'spill:../../etc/passwd',
    'spill:file:///etc/passwd',
    ' spill:call_1_aaaaaaaaaaaaaaaaaaaa',
    'SPILL:call_1_aaaaaaaaaaaaaaaaaaaa',
    'spill:call_1_aaaaaaaaaaaaaaaaaaaa and more',
    'spill:call_1_aaaaaaaaaaaaaaaaaaaa\n',
    'spill:call_1_aaaaaaaaaaaaaaaaaaaa#lines=1-2',
  ])('refuses %j, and does not pass it through', async (text) => {
    const error: unknown = await benchOf()
      .resolve({ text })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ReferenceArgumentError)
    expect(String(error)).toContain('send was not called, because of its argument text: this is not a reference.')
  })

  test('refuses references that were made up, belong to another scope, or were removed', async () => {
    const root = tinyStorage({ evictAfterTurns: 1 })
    const { resolve, session, store } = benchOf({}, root)
    const elsewhere = await root.scope('tenant', 'other').store('call_1', bytes('of another session'))
    const above = await root.scope('tenant').store('call_1', bytes('of the tenant'))
    const below = await root.scope('tenant', 'session', 'sub').store('call_1', bytes('of a scope below'))
    for (const reference of ['call_1_aaaaaaaaaaaaaaaaaaaa', 'constructor', elsewhere, above, below])
      await expect(resolve({ text: `spill:${reference}` })).rejects.toThrow('nothing is stored under this reference.')
    const evicted = await store('soon gone')
    await session.endTurn()
    await session.endTurn()
    await expect(resolve({ text: `spill:${evicted}` })).rejects.toThrow('this content was removed from storage.')
  })

  test('calls the tool with all references resolved or not at all, and does not show the error of the storage', async () => {
    const disk = new TinyDisk(Date.now)
    const { resolve, store } = benchOf({}, createStorage(new TinyDriver(disk)))
    const good = await store('good')
    await expect(resolve({ text: `spill:${good}`, rows: 'spill:missing' })).rejects.toThrow('its argument rows')
    disk.isDown = true
    const error: unknown = await resolve({ text: `spill:${good}` }).catch((thrown: unknown) => thrown)
    expect(String(error)).toBe(
      'ReferenceArgumentError: send was not called, because of its argument text: the storage is not available at the moment. Try the same call again.',
    )
  })

  test.each([
    ['rows', '{"a":', 'application/json', 'not a JSON object or array'],
    ['rows', '"spill:call_1_aaaaaaaaaaaaaaaaaaaa"', 'application/json', 'not a JSON object or array'],
    ['rows', 'null', 'application/json', 'not a JSON object or array'],
    ['text', new Uint8Array([0, 159, 146, 150, 0, 1, 2, 255]), 'application/octet-stream', 'binary'],
    ['text', new Uint8Array([137, 80, 78, 71]), 'image/png', 'binary'],
  ])('refuses content that does not have the form %s: %j', async (argument, content, contentType, problem) => {
    const { store, resolve } = benchOf()
    await expect(resolve({ [argument]: `spill:${await store(content, contentType)}` })).rejects.toThrow(problem)
  })

  test('refuses content that is too large for an argument or a call, and too many references', async () => {
    const { store, resolve } = benchOf()
    const large = await store(new Uint8Array(5 * 1_048_576 + 1).fill(97))
    await expect(resolve({ text: `spill:${large}` })).rejects.toThrow('5242881 bytes')
    const whole = await store(new Uint8Array(5 * 1_048_576).fill(97))
    const parts = Array.from({ length: 4 }, () => ({ text: `spill:${whole}` }))
    expect((await resolve({ parts })).references).toHaveLength(4)
    await expect(resolve({ parts: [...parts, parts[0]] })).rejects.toThrow('0 are left')
    const small = await store('')
    const many = Array.from({ length: 101 }, () => ({ text: `spill:${small}` }))
    await expect(resolve({ parts: many })).rejects.toThrow('at most 100 references')
  })

  test('refuses content that is still being written', async () => {
    const { storage, resolve } = benchOf()
    const writer = await storage.openEntry!('run_1')
    await writer.write(bytes('so far\n'))
    await expect(resolve({ text: `spill:${writer.reference}` })).rejects.toThrow('this content is not complete.')
    await writer.close()
    expect((await resolve({ text: `spill:${writer.reference}` })).resolved).toEqual({ text: 'so far\n' })
  })

  test('shows the application both forms of the arguments, and refuses the call unless the application allows it', async () => {
    const asked: unknown[] = []
    const { store, resolve } = benchOf({
      allow: (call) => {
        asked.push(call)
        return call.references.every(({ source }) => source !== 'read_web')
      },
    })
    const reference = await store('from the web')
    await expect(resolve({ text: `spill:${reference}` })).rejects.toThrow('the application does not allow')
    expect(asked).toMatchObject([
      {
        toolName: 'send',
        toolCallId: 'call_2',
        input: { text: `spill:${reference}` },
        resolved: { text: 'from the web' },
        references: [{ reference, size: 12, source: 'read_web' }],
      },
    ])
    for (const allow of [() => 'yes', () => undefined, () => Promise.reject(new Error('down'))] as never[]) {
      const other = benchOf({ allow })
      const text = `spill:${await other.store('content')}`
      await expect(other.resolve({ text })).rejects.toThrow('the application does not allow')
    }
  })

  test('resolves nothing without the option', async () => {
    const session = new ContextOffloader({ storage: tinyStorage() })
    const input = { text: 'spill:call_1_aaaaaaaaaaaaaaaaaaaa' }
    expect(await session.resolveReferences({ toolName: 'send', input })).toEqual({ resolved: input, references: [] })
  })
})

describe('the option resolveReferences', () => {
  test('is described to the model with the retrieval tool', () => {
    const { retrievalTool } = benchOf().session
    expect(retrievalTool.description).toContain(
      ' To pass stored content to a tool, write "spill:<reference>" as the whole argument: send (text, rows, file, parts/*/text).',
    )
  })

  test.each([
    [[], 'resolveReferences needs tools'],
    [{ tools: { send: 'text' } }, 'must map arguments to forms'],
    [{ tools: { send: { '/text': 'text' } } }, 'without a slash in front'],
    [{ tools: { send: { text: 'bytes' } } }, 'must be text, json, base64, got bytes'],
    [{ tools: {}, allow: true }, 'allow must be a function'],
    [{ tool: {} }, 'Unknown setting resolveReferences.tool'],
  ])('is refused as %j', (resolveReferences, message) => {
    const make = (): unknown =>
      new ContextOffloader({ storage: tinyStorage(), resolveReferences: resolveReferences as never })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})
