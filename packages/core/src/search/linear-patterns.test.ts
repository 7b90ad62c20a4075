import { LENGTHY_TEXTS, LINEAR_PATTERNS, OTHER_PATTERNS } from '@spillway-internal/test-inputs'
import { PatternError } from '@spillway/text/internal'
import { parseSearchPattern } from '@spillway/text/internal/patterns'
import { describe, expect, it } from 'vitest'
import { memorySource } from '../../test/memory-source.ts'
import { searchLines, type SearchResult } from './search-lines.ts'

describe.each(Object.entries(LENGTHY_TEXTS))('in %s', (_, make) => {
  const text = make()
  const lines = text.split('\n')

  async function search(pattern: string, deadlineMs = 2_000): Promise<SearchResult> {
    const source = await memorySource(text, 1_048_576)
    const options = { skip: 0, limit: lines.length, fromEnd: false, deadlineMs }
    return await searchLines(source, parseSearchPattern(pattern, { ignoreCase: false }), options)
  }

  it('every pattern of the linear engine finds its lines', async () => {
    for (const [pattern, matches] of LINEAR_PATTERNS) {
      const found = await search(pattern)
      expect({ pattern, lines: found.lines, stopped: found.stopped }).toEqual({
        pattern,
        lines: lines.filter(matches).length,
        stopped: undefined,
      })
      const bytes = new TextEncoder().encode(text)
      if (lines.length === 1 || found.lines === 0) continue
      const first = new TextDecoder().decode(bytes.subarray(0, found.hits[0]!.start)).split('\n').length - 1
      expect({ pattern, first }).toEqual({ pattern, first: lines.findIndex(matches) })
    }
  })

  it('every other pattern ends', async () => {
    for (const pattern of OTHER_PATTERNS) {
      const found = await search(pattern, 100).catch((error: unknown) => error)
      if (found instanceof PatternError) expect(found.code).toBe('timeout')
      else expect(found).toHaveProperty('lines')
    }
  })
})
