import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tool } from '@strands-agents/sdk'
import { expect, it } from 'vitest'
import { isVersion10 } from './version.ts'

const FOLDER = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')

function installed(): string {
  const path = join(FOLDER, 'node_modules/@strands-agents/sdk/package.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

it('the tests run with the Strands version of their peer set, as its files show', () => {
  let stack = ''
  tool({
    description: 'Look.',
    callback: () => 'done',
    get name() {
      stack = new Error('Who reads it?').stack ?? ''
      return 'look'
    },
  })
  expect(stack.split('\n').some((line) => line.includes(`/.pnpm/@strands-agents+sdk@${installed()}_`))).toBe(true)
})

it('the version is recognized by its exports', () => {
  expect(isVersion10).toBe(installed().startsWith('1.0.'))
})
