import { expect, test } from 'vitest'
import { FileStorage, NodeFileSystem } from '../src/index.ts'
import { hookedFileSystem } from './support/hooked-file-system.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes } from './support/text.ts'

test('a listing does not read sidecars of known entries or of child scopes', async () => {
  const operations: string[] = []
  const fileSystem = hookedFileSystem(new NodeFileSystem(), async (operation) => void operations.push(operation))
  const storage = new FileStorage({ directory: await temporaryDirectory(), fileSystem }).scope('a')
  const known = await storage.store('one', bytes('1'))
  const other = await storage.store('two', bytes('2'))
  await storage.scope('below').store('three', bytes('3'))
  const readsOf = async (options?: Parameters<typeof storage.list>[0]): Promise<readonly [string[], number]> => {
    operations.length = 0
    const listed: string[] = []
    for await (const { reference } of storage.list(options)) listed.push(reference)
    return [listed.toSorted(), operations.filter((operation) => operation === 'readFile').length]
  }
  expect((await readsOf())[1]).toBe(3)
  expect(await readsOf({ below: false })).toEqual([[known, other].toSorted(), 2])
  expect(await readsOf({ below: false, except: new Set([known]) })).toEqual([[other], 1])
  expect(await readsOf({ below: false, except: new Set([known, other]) })).toEqual([[], 0])
})
