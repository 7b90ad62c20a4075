import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { put, spillway, temporaryFolder } from '../../test/spillway.ts'
import { findStore } from './find-store.ts'

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

it('commands in all folders of a project share one store', async () => {
  const root = temporaryFolder()
  const reference = await put('text', root)
  mkdirSync(join(root, 'sub'))
  const cwd = join(root, 'sub')
  expect(await spillway(['get', reference], { cwd })).toMatchObject({ code: 0, stdout: 'text' })
  expect((await spillway(['stats'], { cwd })).stdout).toContain(`store: file:${root}/.spillway`)
  expect((await spillway(['ls', '-v'], { cwd })).stderr).toContain(`the store is file:${root}/.spillway`)
})
