import { expect, test } from 'vitest'
import { missingError } from './missing-error.ts'

test('says that nothing is there', () => {
  expect(missingError('call_1', undefined)).toMatchObject({ code: 'not-found', reference: 'call_1', retryable: false })
})

test.each([
  ['turns', 'unused for too many turns'],
  ['age', 'unused for too long'],
  ['quota', 'room was needed'],
] as const)('says when and why an entry was evicted by %s, and which tool to run again', (reason, words) => {
  const eviction = { reason, evictedAt: Date.UTC(2026, 0, 2), metadata: { tool: 'read_log' } }
  const error = missingError('call_1', eviction)
  expect(error).toMatchObject({ code: 'evicted', reference: 'call_1', retryable: false, eviction })
  expect(error.message).toContain('2026-01-02T00:00:00.000Z')
  expect(error.message).toContain(words)
  expect(error.message).toContain('"read_log"')
})

test('does without the name of the tool', () => {
  expect(missingError('call_1', { reason: 'age', evictedAt: 0, metadata: {} }).message).toContain('Run the tool')
})
