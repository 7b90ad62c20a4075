import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tool } from '@langchain/core/tools'
import { Command } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import { expect, it } from 'vitest'
import { FakeChatModel } from './fake-chat-model.ts'
import { isBeforeVersion15, isVersion10 } from './version.ts'

const FOLDER = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')

function installed(name: string): string {
  const path = join(FOLDER, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

/** Let code read a property, and return the place of that code. */
function readerOf(read: (property: () => void) => unknown): string {
  let stack = ''
  read(() => {
    stack = new Error('Who reads it?').stack ?? ''
  })
  return stack
}

it.each<[name: string, read: (property: () => void) => unknown]>([
  [
    'langchain',
    (property) =>
      createAgent({
        get model() {
          property()
          return new FakeChatModel(() => ({ text: 'done' }))
        },
        tools: [],
      }),
  ],
  [
    '@langchain/core',
    (property) =>
      tool(() => 'done', {
        get name() {
          property()
          return 'look'
        },
      }),
  ],
  [
    '@langchain/langgraph',
    (property) =>
      new Command({
        get update() {
          property()
          return {}
        },
      }),
  ],
])('the tests run with the version of %s in their peer set, as its files show', (name, read) => {
  const folder = `/.pnpm/${name.replace('/', '+')}@${installed(name)}`
  const readers = readerOf(read).split('\n')
  expect(readers.some((line) => line.includes(`${folder}_`) || line.includes(`${folder}/`))).toBe(true)
})

it('the version is recognized by its exports', () => {
  const [major = 0, minor = 0] = installed('langchain').split('.').map(Number)
  expect(major).toBe(1)
  expect(isVersion10).toBe(minor === 0)
  expect(isBeforeVersion15).toBe(minor < 5)
})
