import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ManagedStorage } from '@spillway/core'

/** Raw data of a backend, read with the backend's client: for example, names and bytes in Base64. */
export type RawData = Readonly<Record<string, unknown>>

interface SampleEntry {
  readonly scope: readonly string[]
  readonly key: string
  readonly content: Uint8Array
  readonly contentType: string
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const METADATA = { tool: 'read_log', 'exit-code': '1' }

/** Entries of every stored form: empty, binary, with a line index, with long entry info, in scopes. */
const SAMPLE: readonly SampleEntry[] = [
  { scope: [], key: 'call_1_0', content: encode('hello\n'), contentType: 'text/plain' },
  { scope: [], key: 'empty', content: new Uint8Array(0), contentType: 'application/json' },
  { scope: ['ann@example.com', 'a/b'], key: 'call_1_0', content: encode('hello\n'), contentType: 'text/plain' },
  { scope: ['x'], key: 'k'.repeat(3_000), content: Uint8Array.of(0, 255, 10, 13), contentType: 'image/png' },
  { scope: ['x'], key: 'lines', content: encode('a line of a log\n'.repeat(80_000)), contentType: 'text/x-log' },
]

const scopeOf = (
  storage: ManagedStorage,
  scope: readonly string[],
): Pick<ManagedStorage, 'store' | 'retrieve' | 'stat'> => (scope.length === 0 ? storage : storage.scope(...scope))

/** Store the entries of the sample. */
export async function storeFormatSample(storage: ManagedStorage): Promise<void> {
  for (const { scope, key, content, contentType } of SAMPLE)
    await scopeOf(storage, scope).store(key, content, contentType, { metadata: METADATA })
}

/** Describe all differences between the entries of a fixture and the sample. */
export async function problemsOfFormat(storage: ManagedStorage): Promise<string[]> {
  const problems: string[] = []
  for (const { scope, key, content, contentType } of SAMPLE) {
    const name = [...scope, key.slice(0, 20)].join('/')
    let isCreated = true
    const onStored = ({ created }: { readonly created: boolean }): void => void (isCreated = created)
    const within = scopeOf(storage, scope)
    const reference = await within.store(key, content, contentType, { metadata: METADATA, onStored })
    if (isCreated) problems.push(`${name} was not there`)
    const found = await within.retrieve(reference)
    if (!Buffer.from(found.content).equals(content)) problems.push(`${name} has other bytes`)
    const { metadata, size, key: storedKey } = await within.stat(reference)
    if (found.contentType !== contentType || size !== content.length || storedKey !== key)
      problems.push(`${name} has another description`)
    if (JSON.stringify(metadata) !== JSON.stringify(METADATA)) problems.push(`${name} has other metadata`)
  }
  return problems
}

/** Read a fixture. With `SPILLWAY_WRITE_FORMAT=1`, record the fixture first. */
export async function formatFixture(file: URL, record: () => Promise<RawData>): Promise<RawData> {
  if (process.env['SPILLWAY_WRITE_FORMAT'] === '1')
    await writeFile(fileURLToPath(file), gzipSync(JSON.stringify(await record())))
  return JSON.parse(gunzipSync(await readFile(file)).toString()) as RawData
}
