import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFile } from '../speed/lib.mjs'
import { countShown, plantedHits } from './measure-one-line.ts'
import { open } from './ours.ts'
import { PLANTED, QUICK_CASES } from './patterns.ts'

const CONTEXT = 5
const MAX_CHARS = 10_000

test.each(['file', 'memory'] as const)('the measured module shows and counts existing lines from %s', async (kind) => {
  const directory = mkdtempSync(join(tmpdir(), 'spillway-bench-test-'))
  const store = await open(kind, { dir: directory })
  for (const { kind: content, megabytes, questions } of QUICK_CASES) {
    const file = makeFile(content, megabytes)
    const lines = readFileSync(file, 'utf8').split(/\r?\n/)
    const reference = await store.putFile('session', content, file, { contentType: 'text/plain' })
    for (const { pattern, ignoreCase } of questions) {
      const expression = new RegExp(pattern, ignoreCase === true ? 'i' : '')
      const expected = lines.filter((line) => expression.test(line))
      const question = { pattern, ignoreCase, context: CONTEXT, maxChars: MAX_CHARS }
      const { matches, text } = await store.search(reference, question)
      expect(matches, pattern).toBe(expected.length)
      expect(text, pattern).toContain(expected[0])
    }
    const start = Math.floor(lines.length / 2)
    const { text } = await store.lines(reference, { start, end: start + 9, maxChars: MAX_CHARS })
    expect(text).toContain(`${start}| ${lines[start - 1]}`)
    expect(Buffer.from(await store.get(reference)).equals(readFileSync(file))).toBe(true)
  }
  const json = makeFile('json1', 1)
  const hits = plantedHits(json)
  const reference = await store.putFile('session', 'json', json, { contentType: 'application/json' })
  const { text } = await store.search(reference, { pattern: PLANTED, context: CONTEXT, maxChars: MAX_CHARS })
  expect(countShown(text, hits)).toMatchObject({ shown: 3, surrounded: 3, located: 3 })
  await store.close()
  rmSync(directory, { recursive: true })
})
