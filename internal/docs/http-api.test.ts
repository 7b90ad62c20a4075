import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HTTP_API, writtenHttpApi } from './http-api.ts'

test('docs/http-api.md is current: node internal/docs/write-http-api.ts writes it', async () => {
  expect(readFileSync(HTTP_API, 'utf8')).toBe(await writtenHttpApi())
})
