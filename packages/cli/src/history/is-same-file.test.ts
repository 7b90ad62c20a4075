import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/spillway.ts'
import { isSameFile } from './is-same-file.ts'

test('tells one file from another, under all of its names', async () => {
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('a'), '')
  writeFileSync(at('b'), '')
  linkSync(at('a'), at('hard'))
  symlinkSync('a', at('link'))
  for (const name of ['a', './a', 'hard', 'link']) expect(await isSameFile(at('a'), `${folder}/${name}`)).toBe(true)
  for (const name of ['b', 'none']) expect(await isSameFile(at('a'), at(name))).toBe(false)
  expect(await isSameFile(at('none'), `${folder}/x/../none`)).toBe(true)
  expect(await isSameFile(at('none'), at('other'))).toBe(false)
})
