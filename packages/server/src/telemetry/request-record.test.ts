import { expect, it } from 'vitest'
import { faultRecord } from './request-record.ts'

it('a fault record has the location of an error, but not its message', () => {
  const cause = new TypeError('a trace of the user:\n    at secret (secret.ts:1:1)')
  const record = faultRecord(new Error('content:\n    at secret (secret.ts:1:1)', { cause }), 'id')
  expect(record).toMatchObject({ type: 'fault', requestId: 'id', error: 'Error caused by TypeError' })
  expect(record.stack.filter((line) => line.includes('request-record.test.ts'))).toHaveLength(2)
  expect(JSON.stringify(record)).not.toContain('secret')
})
