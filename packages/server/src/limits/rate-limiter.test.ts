import { expect, it } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

it('lets each caller call so often, and says when it may again', () => {
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

it('lets everybody pass without a limit', () => {
  const limiter = new RateLimiter({ requestsPerSecond: Infinity, requestBurst: 1 })
  expect(() => {
    for (let count = 0; count < 100; count += 1) limiter.take('a')
  }).not.toThrow()
})
