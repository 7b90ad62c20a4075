import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTool } from '@voltagent/core'
import { wrapLanguageModel } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { fakeModel } from './fake-model.ts'
import { isEarly } from './version.ts'

const FOLDER = process.env['SPILLWAY_TEST_PEERS'] ?? join(import.meta.dirname, '..')

function installed(name: string): string {
  const path = join(FOLDER, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

it.each<[name: string, read: (property: () => void) => unknown]>([
  [
    '@voltagent/core',
    (property) =>
      createTool({
        name: 'look',
        description: 'Look.',
        parameters: z.object({}),
        get tags() {
          property()
          return []
        },
      }),
  ],
  [
    'ai',
    (property) => {
      const overrideModelId = (): string => {
        property()
        return 'id'
      }
      const model = fakeModel(() => ({ text: 'done' }))
      return wrapLanguageModel({ model, middleware: { specificationVersion: 'v3', overrideModelId } })
    },
  ],
])('the tests run with the version of %s in their peer set, as its files show', (name, read) => {
  let stack = ''
  read(() => {
    stack = new Error('Who reads it?').stack ?? ''
  })
  const folder = `/.pnpm/${name.replace('/', '+')}@${installed(name)}`
  expect(stack.split('\n').some((line) => line.includes(`${folder}_`) || line.includes(`${folder}/`))).toBe(true)
})

it('the version is recognized by its exports', () => {
  const [major = 0, minor = 0] = installed('@voltagent/core').split('.').map(Number)
  expect(major).toBe(2)
  expect(isEarly).toBe(minor === 2)
})
