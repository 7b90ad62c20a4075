/** Generates settings of a developer: options, and scopes named after users. */
import assert from 'node:assert/strict'
import { codePoint } from '@spillway-internal/test-run/code-point'
import { ContextOffloader, StorageError } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { measured } from './invariants.ts'

const AWKWARD = [
  '..',
  '.',
  '/',
  'a/b',
  '%2e',
  'A',
  'a',
  'é',
  'e\u0301',
  '\uD800',
  'con',
  '__proto__',
  'x'.repeat(1_100),
]
const segment = fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: codePoint, maxLength: 20 }))
const scope = fc.array(segment, { maxLength: 3 })

const odd = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, 0, -1, 1, 0.5, Number.NaN, Infinity, 1e9, '5', '', true, [], {}, () => 1),
  fc.anything(),
)
const options = fc.dictionary(
  fc.constantFrom(
    ...['maxResultTokens', 'previewTokens', 'maxRetrievalTokens', 'includeRetrievalTool', 'showLocation', 'guide'],
    ...['countTokens', 'previewers', 'shouldOffload', 'redact', 'onEvent', 'maxMediaBytes', 'journal', 'unknown'],
  ),
  odd,
  { maxKeys: 2 },
)

interface Settings {
  readonly scopes: readonly [readonly string[], readonly string[]]
  readonly options: object
}

export const settings: fc.Arbitrary<Settings> = fc.record({
  scopes: fc.oneof(
    fc.tuple(scope, scope),
    fc.tuple(scope, segment).map(([parent, last]) => [parent, [...parent, last]] as const),
  ),
  options,
})

const TEXT = 'a line of a log\n'.repeat(4_000)

export async function runSettings({ scopes: [one, other], options: given }: Settings): Promise<void> {
  const storage = new InMemoryStorage()
  const [inOne, inOther] = [storageOf(storage, one), storageOf(storage, other)]
  if (inOne !== undefined && inOther !== undefined) {
    const isSame = JSON.stringify(one) === JSON.stringify(other)
    const reference = await inOne.store('key', new TextEncoder().encode(TEXT))
    const found = await inOther.retrieve(reference).then(
      () => 'found',
      (error: unknown) => (StorageError.isInstance(error) ? error.code : String(error)),
    )
    assert.equal(found, isSame ? 'found' : 'not-found')
    const listed = await Array.fromAsync(inOther.list())
    const isBelow = other.every((name, index) => name === one[index])
    assert.equal(listed.length, isBelow ? 1 : 0)
  }
  let offloader: ContextOffloader
  try {
    offloader = new ContextOffloader({ storage, ...given })
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error))
    return
  }
  const content = [{ type: 'text', text: TEXT }] as const
  const outcome = await measured(() => offloader.offload({ toolName: 'tool', toolCallId: 'call_1', content }))
  if (outcome.status === 'inline') assert.equal(outcome.content, content)
}

/** Return a scope; `undefined` if a segment is refused. */
function storageOf(
  storage: InMemoryStorage,
  names: readonly string[],
): ReturnType<InMemoryStorage['scope']> | undefined {
  try {
    return storage.scope(...names)
  } catch (error) {
    assert.ok(StorageError.isInstance(error) && error.code === 'invalid-key', String(error))
    return undefined
  }
}
