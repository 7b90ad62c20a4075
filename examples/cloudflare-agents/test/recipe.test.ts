import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extractFences } from '../../../internal/docs/extract-fences.ts'

const recipe = readFileSync(join(import.meta.dirname, '../../../docs/cloudflare-agents.md'), 'utf8')
const shown = extractFences(recipe).filter(({ language }) => language === 'ts')

test.each(['agent.ts', 'durable-object-storage.ts', 'collect-chunks.ts'])('the recipe shows %s unchanged', (name) => {
  const source = readFileSync(join(import.meta.dirname, '../src', name), 'utf8')
  expect(shown.find(({ file }) => file === name)?.code).toBe(source.trimEnd())
})
