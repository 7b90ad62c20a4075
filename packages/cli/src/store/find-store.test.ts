import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { put, spillway, temporaryFolder } from '../../test/spillway.ts'
import { findStore, nearbyStores } from './find-store.ts'

it("the store is the nearest .spillway in the folder or above it, otherwise a new store in the repository's root or the folder", () => {
  const root = temporaryFolder()
  const deep = join(root, 'a/b/c')
  mkdirSync(deep, { recursive: true })
  expect(findStore(deep)).toBe(`file:${deep}/.spillway`)
  mkdirSync(join(root, 'a/.git'))
  expect(findStore(deep)).toBe(`file:${root}/a/.spillway`)
  mkdirSync(join(root, '.spillway'))
  expect(findStore(deep)).toBe(`file:${root}/.spillway`)
  mkdirSync(join(root, 'a/b/.spillway'))
  expect(findStore(deep)).toBe(`file:${root}/a/b/.spillway`)
})

it('a store of another user is never used, even in the working folder', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, '.spillway'))
  const user = vi.spyOn(process, 'getuid').mockReturnValue(statSync(root).uid + 1)
  onTestFinished(() => user.mockRestore())
  expect(() => findStore(root)).toThrow(`${root}/.spillway belongs to another user. Name a store with --store`)
  expect(nearbyStores(root)).toEqual([])
  mkdirSync(join(root, 'sub'))
  expect(findStore(join(root, 'sub'))).toBe(`file:${root}/sub/.spillway`)
})

it('commands in all folders of a project share one store', async () => {
  const root = temporaryFolder()
  const reference = await put('text', root)
  mkdirSync(join(root, 'sub'))
  const cwd = join(root, 'sub')
  expect(await spillway(['get', reference], { cwd })).toMatchObject({ code: 0, stdout: 'text' })
  expect((await spillway(['stats'], { cwd })).stdout).toContain(`store: file:${root}/.spillway`)
  expect((await spillway(['ls', '-v'], { cwd })).stderr).toContain(`the store is file:${root}/.spillway`)
})
