import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BIN, start } from '../test/spillway.ts'
import { isTooOld, OLDEST_NODE } from './versions.ts'

it('the oldest version of Node.js is the version in package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly engines: { readonly node: string }
  }
  expect(`>=${OLDEST_NODE}`).toBe(manifest.engines.node)
})

it.each([
  ['20.20.2', true],
  ['22.3.0', true],
  ['22.13.1', true],
  ['22.14.0', false],
  ['24.0.0', false],
])('%s is too old: %s', (version, expected) => {
  expect(isTooOld(version)).toBe(expected)
})

it('the program starts on a version of Node.js without a compile cache', async () => {
  const change = 'import m from "node:module"; m.enableCompileCache = undefined'
  const { end } = start(process.execPath, ['--import', `data:text/javascript,${change}`, BIN, '--version'])
  expect(await end).toMatchObject({ code: 0, stderr: '' })
})
