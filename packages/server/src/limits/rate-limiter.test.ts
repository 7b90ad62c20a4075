import { expect, it } from 'vitest'
import { rateLimiter } from './rate-limiter.ts'

it('a rate limiter allows each caller a number of calls, and returns the time of the next allowed call', () => {
  let now = 0
  const take = rateLimiter({ requestsPerSecond: 2, requestBurst: 3 }, () => now)
  for (let count = 0; count < 3; count += 1) take('a')
  expect(() => take('a')).toThrow(expect.objectContaining({ code: 'rate-limited', status: 429, retryAfter: 0.5 }))
  take('b')
  now += 500
  take('a')
  expect(() => take('a')).toThrow('Too many requests')
  now += 3_600_000
  for (let count = 0; count < 3; count += 1) take('a')
  expect(() => take('a')).toThrow('Too many requests')
})

it('a rate limiter without a limit allows all calls', () => {
  const take = rateLimiter({ requestsPerSecond: Infinity, requestBurst: 1 })
  expect(() => {
    for (let count = 0; count < 100; count += 1) take('a')
  }).not.toThrow()
})
