import { countOperations } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { FileStorage, NodeFileSystem } from '../src/index.ts'
import { hookedFileSystem } from './support/hooked-file-system.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

/**
 * File system calls of each storage operation, without calls on open files. Each call is a trip to the thread pool, or
 * to a remote disk.
 */
const CALLS: Readonly<Record<string, string>> = {
  // Links are ruled out, both files are written under temporary names, and a collector may have removed files
  // meanwhile.
  store: '1 setModifiedAt, 2 createFile, 2 link, 2 realPath, 2 removeFile, 3 stat',
  'store again': '1 readFile, 1 setModifiedAt, 2 realPath, 4 stat',
  retrieve: '2 readFile, 2 realPath',
  range: '2 readFile, 2 realPath',
  stat: '1 readFile, 2 realPath',
  // Missing, evicted, and unreachable entries are distinguished.
  missing: '2 stat, 3 readFile, 3 realPath',
  'end of a turn': '',
  // Both files are renamed before they are removed, and empty folders are removed.
  delete: '1 createDirectory, 1 readFile, 2 rename, 2 stat, 3 realPath, 3 removeDirectory, 3 removeFile',
}

it('FileStorage calls the file system no more often than each guarantee requires', async () => {
  const calls: string[] = []
  const fileSystem = hookedFileSystem(new NodeFileSystem(), async (operation) => void calls.push(operation))
  const scope = new FileStorage({ directory: await temporaryDirectory(), fileSystem }).scope('tenant', 'session')
  const content = new Uint8Array(100_000).fill(65)
  const first = await scope.store('prepared', content)
  await scope.retrieve(first)
  expect(await countOperations(scope, calls)).toEqual(CALLS)
})
