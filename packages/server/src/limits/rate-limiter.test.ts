import { expect, it } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

it('a rate limiter allows each caller so many calls, and says when the next is allowed', () => {
  let now = 0
  const limiter = new RateLimiter({ requestsPerSecond: 2, requestBurst: 3 }, () => now)
  for (let count = 0; count < 3; count += 1) limiter.take('a')
  expect(() => limiter.take('a')).toThrow(
    expect.objectContaining({ code: 'rate-limited', status: 429, retryAfter: 0.5 }),
  )
  limiter.take('b')
  now += 500
  limiter.take('a')
  expect(() => limiter.take('a')).toThrow('Too many requests')
  now += 3_600_000
  for (let count = 0; count < 3; count += 1) limiter.take('a')
  expect(() => limiter.take('a')).toThrow('Too many requests')
})

it('a rate limiter without a limit allows all calls', () => {
  const limiter = new RateLimiter({ requestsPerSecond: Infinity, requestBurst: 1 })
  expect(() => {
    for (let count = 0; count < 100; count += 1) limiter.take('a')
  }).not.toThrow()
})
