import { pause } from '../../sample.ts'
import type { StorageError } from '../../../storage/storage-error.ts'
import type { OpenContent, OperationOptions, Storage, StoreReceipt } from '../../../storage/storage.ts'
import { attempt, checkBytes, checkEqual, fail, rejectionCode } from '../../conformance-failure.ts'

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
): Promise<StorageError[]> {
  const errors: StorageError[] = []
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

/** Check that an entry has this content, and also this type if one is given. */
export async function checkContent(
  storage: Pick<Storage, 'retrieve'>,
  reference: string,
  content: Uint8Array,
  what: string = reference,
  contentType?: string,
): Promise<void> {
  const found = await attempt(`retrieving ${what}`, () => storage.retrieve(reference))
  checkBytes(found.content, content, `content of ${what}`)
  if (contentType !== undefined) checkEqual(found.contentType, contentType, `content type of ${what}`)
}

export const checkKept = (storage: Storage, reference: string, which: string = reference): Promise<unknown> =>
  attempt(`retrieving ${which}, which must have stayed`, () => storage.retrieve(reference))

export const checkEvicted = (storage: Storage, reference: string, which: string = reference): Promise<StorageError> =>
  rejectionCode('evicted', `retrieving ${which} after its eviction`, () => storage.retrieve(reference))

export async function storeWithReceipt(
  storage: Storage,
  key: string,
  content: Uint8Array,
  contentType = 'text/plain',
): Promise<StoreReceipt> {
  const receipts: StoreReceipt[] = []
  await attempt('storing', () =>
    storage.store(key, content, contentType, { onStored: (receipt) => receipts.push(receipt) }),
  )
  return receipts[0] ?? fail('store() has not called onStored')
}
