import { pause } from '../../sample.ts'
import type { OpenContent, OperationOptions, Storage } from '../../../storage/storage.ts'
import { attempt, checkBytes, checkEqual, rejectionCode, type StorageErrorLike } from '../../conformance-failure.ts'

export interface Read {
  readonly name: 'retrieve' | 'stat' | 'retrieveRange' | 'open'
  readonly run: (storage: Required<Storage>, reference: string, options?: OperationOptions) => Promise<unknown>
}

const READS: readonly Read[] = [
  { name: 'retrieve', run: (storage, reference, options) => storage.retrieve(reference, options) },
  { name: 'stat', run: (storage, reference, options) => storage.stat(reference, options) },
  {
    name: 'retrieveRange',
    run: (storage, reference, options) => storage.retrieveRange(reference, { offset: 0, length: 3 }, options),
  },
  {
    name: 'open',
    run: (storage, reference, options) => opened(storage, reference, (open) => open.read(0, 3), options),
  },
]

export const readsOf = (storage: Required<Storage>): readonly Read[] =>
  READS.filter(({ name }) => typeof storage[name] === 'function')

/** The methods of reading that count as use. Opening counts even before anything is read. */
export const usesOf = (storage: Required<Storage>): readonly Read[] =>
  readsOf(storage)
    .filter(({ name }) => name !== 'stat')
    .map((read) =>
      read.name === 'open' ? { ...read, run: (one, reference) => opened(one, reference, () => pause()) } : read,
    )

export async function opened<Result>(
  storage: Required<Storage>,
  reference: string,
  use: (content: OpenContent) => Promise<Result>,
  options?: OperationOptions,
): Promise<Result> {
  const content = await storage.open(reference, options)
  try {
    return await use(content)
  } finally {
    await content.close()
  }
}

export async function unreadable(
  storage: Required<Storage>,
  reference: string,
  codes: string | readonly string[],
  where: string,
  reads: readonly Read[] = readsOf(storage),
): Promise<StorageErrorLike[]> {
  const errors: StorageErrorLike[] = []
  for (const { name, run } of reads) {
    const what = `${name}(${JSON.stringify(reference)?.slice(0, 100)}) ${where}`
    errors.push(await rejectionCode(codes, what, () => run(storage, reference)))
  }
  return errors
}

export async function readable(
  storage: Required<Storage>,
  reference: string,
  content: Uint8Array,
  where: string,
): Promise<void> {
  for (const { name, run } of readsOf(storage)) {
    const found = await attempt(`${name}() ${where}`, () => run(storage, reference))
    if (name === 'retrieve') checkBytes((found as { content: Uint8Array }).content, content, `content ${where}`)
    if (name === 'stat') checkEqual((found as { size: number }).size, content.length, `size ${where}`)
  }
}
