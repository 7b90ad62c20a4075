import { expect, test } from 'vitest'
import { redactUrl } from './redact-url.ts'

test.each([
  ['redis://user:secret@host:1/2', 'redis://host:1/2'],
  ['redis://:secret@host', 'redis://host'],
  ['redis://:se@cret@host', 'redis://host'],
  ['redis://:se/cr/et@host/1', 'redis://host/1'],
  ['redis://user@host', 'redis://host'],
  ['REDISS://u:secret@host', 'REDISS://host'],
  ['redis+cluster://u:secret@a:1,b:2', 'redis+cluster://a:1,b:2'],
  ['redis+cluster://u:secret@a:1,u:secret@b:2/', 'redis+cluster://b:2/'],
  ['redis://host?password=secret&db=1', 'redis://host?password=***&db=1'],
  ['redis://host?db=1&sentinelPassword=secret', 'redis://host?db=1&sentinelPassword=***'],
  ['s3://KEY:se/cret@bucket/prefix', 's3://bucket/prefix'],
  ['s3://bucket?access-key-id=KEY&secret=s', 's3://bucket?access-key-id=***&secret=***'],
])('shows %s without credentials', (url, shown) => {
  expect(redactUrl(url)).toBe(shown)
})

test.each([
  'file:./a@b',
  'file:///home/me/a@b',
  'sqlite:./a@b.db',
  'redis://host:1/2',
  'redis+cluster://a:1,b:2',
  's3://bucket/me@example.com?region=eu-west-1',
  's3://bucket?endpoint=http://127.0.0.1:9000&path-style=true',
  '',
  './dir',
])('shows %s as it is', (url) => {
  expect(redactUrl(url)).toBe(url)
})
