import { expect, test } from 'vitest'
import { parseRedisUrl } from './redis-url.ts'

test.each([
  ['redis://host:1/2', { url: 'redis://host:1/2' }],
  ['REDISS://host', { url: 'rediss://host' }],
  ['redis://u:pa%3Fss@host?prefix=app:1', { url: 'redis://u:pa%3Fss@host', prefix: 'app:1' }],
  ['redis://:pa?ss@host?prefix=p', { url: 'redis://:pa?ss@host', prefix: 'p' }],
  ['redis+cluster://a:1,b:2?prefix=p', { url: 'redis+cluster://a:1,b:2', prefix: 'p' }],
  ['redis://host?', { url: 'redis://host' }],
])('reads %s', (url, place) => {
  expect(parseRedisUrl(url)).toEqual(place)
})

test.each([
  ['redis://host?password=hunter2', /^The URL of a Redis store has an unknown parameter\. Known: prefix\.$/],
  ['redis://host?prefix=a&prefix=b', /given twice/],
  ['redis://host?prefix=', /must not be empty/],
])('refuses %s', (url, message) => {
  expect(() => parseRedisUrl(url)).toThrow(message)
})
