import { describe, expect, it } from 'vitest'
import { parseExactJson } from '../json/exact-json.ts'
import { parseJsonText } from './lenient-parse.ts'

describe('parseJsonText', () => {
  it('returns undefined for text that is not JSON, or too deep for the parser', () => {
    expect(parseJsonText('{')).toBeUndefined()
    expect(parseJsonText(`${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`, parseExactJson)).toBeUndefined()
  })
})
