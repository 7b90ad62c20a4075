import { StateBackend, type FileData, type FileInfo } from 'deepagents'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StorageBackend } from '../../src/deepagents/storage-backend.ts'
import { STORAGES } from './storages.ts'
import { isNewest } from './version.ts'

type Name = 'write' | 'edit' | 'delete' | 'ls' | 'read' | 'grep' | 'glob' | 'uploadFiles' | 'downloadFiles'
type Operation = {
  readonly [Each in Name]: { readonly name: Each; readonly input: Parameters<StorageBackend[Each]> }
}[Name]

/** The file system of deepagents over a state, to which its own updates are applied, as in an agent. */
function stateBackend(): (operation: Operation) => Promise<unknown> {
  const files: Record<string, FileData> = {}
  // The backend reads only the state of the runtime.
  const backend = new StateBackend({ state: { files } }) as unknown as StorageBackend
  return async ({ name, input }) => {
    const answer = (await Reflect.apply(backend[name], backend, input)) as { filesUpdate?: typeof files }
    const { filesUpdate, ...rest } = answer
    for (const [path, data] of Object.entries(filesUpdate ?? {})) {
      if (data === null) delete files[path]
      else files[path] = data
    }
    return Array.isArray(answer) ? [...answer] : rest
  }
}

/** Remove values that may differ: the order of files, the matches at the end of a search, times, and sizes in bytes. */
function comparable(answer: unknown): unknown {
  const { filesUpdate: _, ...rest } = answer as {
    filesUpdate?: unknown
    files?: FileInfo[]
    matches?: object[]
    truncated?: boolean
  }
  const byJson = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
  if (Array.isArray(answer)) return answer
  if (rest.files !== undefined) {
    return { ...rest, files: rest.files.map(({ path, is_dir }) => ({ path, is_dir })).toSorted(byJson) }
  }
  if (rest.truncated === true) return { matches: rest.matches?.length }
  return rest.matches === undefined ? rest : { ...rest, matches: rest.matches.toSorted(byJson) }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const path = fc.constantFrom('/a.md', '/b.py', '/dir/a.md', '/dir/sub/c.json', '/dirx', '/.env', '/q@1', '/__proto__')
const folder = fc.constantFrom(
  '/',
  '/dir',
  '/dir/',
  'dir',
  '/dir/sub',
  '/none',
  ...(isNewest ? ['/a.md', '/dirx'] : []),
)
const pieces = fc.array(fc.constantFrom('foo', 'bar', '\n', 'é', '$&', '\r\n', '😀', ' '), { maxLength: 12 })
const text = pieces.map((parts) => parts.join(''))
const pattern = fc.constantFrom('foo', 'o', 'foobar', '.', '$&', 'é', '')
const globs = fc.constantFrom(
  '*',
  '**',
  '*.md',
  '**/*.md',
  '**/*.{md,json}',
  '[ab].*',
  '!*.md',
  'dir/*',
  '?irx',
  '/a.md',
)
const maxCount = isNewest ? fc.option(fc.integer({ min: 1, max: 3 })) : fc.constant(null)
const bound = fc.integer({ min: 0, max: 6 })

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: fc.constant('write'), input: fc.tuple(path, text) }) },
  {
    weight: 3,
    arbitrary: fc.record({ name: fc.constant('edit'), input: fc.tuple(path, pattern, text, fc.boolean()) }),
  },
  fc.record({ name: fc.constant('delete'), input: fc.tuple(fc.oneof(path, folder)) }),
  fc.record({ name: fc.constant('ls'), input: fc.tuple(fc.constantFrom('/', '/dir', '/dir/', '/none')) }),
  { weight: 3, arbitrary: fc.record({ name: fc.constant('read'), input: fc.tuple(path, bound, bound) }) },
  {
    weight: 2,
    arbitrary: fc.record({ name: fc.constant('grep'), input: fc.tuple(pattern, folder, fc.option(globs), maxCount) }),
  },
  { weight: 2, arbitrary: fc.record({ name: fc.constant('glob'), input: fc.tuple(globs, folder) }) },
  fc.record({
    name: fc.constant('uploadFiles'),
    input: fc.tuple(fc.array(fc.tuple(path, text.map(encode)), { maxLength: 3 })),
  }),
  fc.record({
    name: fc.constant('downloadFiles'),
    input: fc.tuple(fc.array(fc.constantFrom('/a.md', '/b.py', '/none'))),
  }),
)

describe.each(Object.entries(STORAGES))('StorageBackend on %s storage', (name, createStorage) => {
  it("answers a sequence of operations as deepagents' own file system does", async () => {
    const { storage, dispose } = await createStorage()
    let run = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 15 }), async (operations) => {
          run += 1
          const ours = new StorageBackend(storage.scope(`run-${run}`))
          const theirs = stateBackend()
          for (const one of operations) {
            if (one.name === 'delete' && !isNewest) continue
            const expected = comparable(await theirs(one))
            const actual = comparable(await Reflect.apply(ours[one.name], ours, one.input))
            if (isNewest || one.name !== 'read') expect(actual).toEqual(expected)
            else expect(actual).toMatchObject(expected as object)
          }
        }),
        { numRuns: name === 'memory' ? 300 : 60 },
      )
    } finally {
      await dispose()
    }
  })
})
