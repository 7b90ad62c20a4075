import type { NewEntryInfo, StorageDriver } from '@spillway/core'
import { fileDriver } from '../../src/file-storage.ts'
import type { FileSystem } from '../../src/index.ts'
import type { MemoryFileSystem } from './memory-file-system.ts'
import { bytes, streamOf } from './text.ts'

export const ID = 'tenant/call_1_abc'
export const OTHER_ID = 'tenant/call_2_abc'
export const CONTENT: Uint8Array = bytes('the whole content')
/** Metadata of an entry, and of the same entry stored again later. */
export const INFO: NewEntryInfo = {
  key: 'call_1',
  contentType: 'text/plain',
  storedAt: 100,
  lastUsedAt: 100,
  metadata: {},
}
export const USED: NewEntryInfo = { ...INFO, lastUsedAt: 200 }
const AN_HOUR_MS = 3_600_000

/** All files on a disk that has only this entry. */
export const FILES = ['/s/.gitignore', '/s/.metadata/tenant/call_1_abc.metadata.json', '/s/tenant/call_1_abc.txt']

export type FileDriver = Required<StorageDriver>

export const driverOn = (fileSystem: FileSystem, directory = '/s'): FileDriver =>
  fileDriver({ fileSystem, directory, fsync: false }) as FileDriver

/** Store the entry, and return whether the entry was created. */
export const store = async (driver: FileDriver, info: NewEntryInfo = INFO): Promise<boolean> =>
  Object(await driver.write(ID, streamOf(CONTENT), info)).created === true

/** Name the files on a disk. */
export const filesOf = ({ nodes }: MemoryFileSystem): string[] =>
  [...nodes].flatMap(([path, { kind }]) => (kind === 'file' && !path.includes('/.root/') ? [path] : [])).sort()

/** Collect leftovers of killed processes as if an hour had passed. */
export const collectLater = (fileSystem: FileSystem, afterMs: number = AN_HOUR_MS): Promise<unknown> =>
  driverOn(fileSystem).collect('', Date.now() + afterMs)
