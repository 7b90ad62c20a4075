import { expect, test } from 'vitest'
import { clusterUrl } from './cluster-url.ts'

test('a Cluster has nodes, and credentials for each', () => {
  expect(clusterUrl('redis+cluster://us%40er:p%3Ass@a:7000,b,[::1]:7002/')).toEqual({
    nodes: [
      { host: 'a', port: 7000 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 7002 },
    ],
    options: { username: 'us@er', password: 'p:ss' },
  })
  expect(clusterUrl('rediss+cluster://:secret@a')).toEqual({
    nodes: [{ host: 'a', port: 6379 }],
    options: { password: 'secret', tls: {} },
  })
})

test.each(['redis://localhost', 'rediss://user:p@ss@host:1/2'])('%s is no Cluster', (url) => {
  expect(clusterUrl(url)).toBeUndefined()
})

test.each([
  ['http://localhost', 'begins with redis://'],
  ['', 'begins with redis://'],
  ['redis://user:hunter2@a:1,b:2', 'Several hosts are a Cluster'],
  ['redis://user:hunter2@a b', 'cannot be read'],
  ['redis+cluster://user:hunter2@a:1/2', 'a Cluster has one database'],
  ['redis+cluster://', 'Node 1 of the url is no host'],
  ['redis+cluster://a:1,', 'Node 2 of the url is no host'],
  ['redis+cluster://user:hunter2@a:b', 'Node 1 of the url is no host'],
  ['redis+cluster://user:hunter2', 'Node 1 of the url is no host'],
  ['redis+cluster://user:hunter2%@a', 'Write %25'],
  ['redis:user:hunter2@a', 'begins with redis://'],
  ['redis://hunter2/x@a', 'percent-encoded'],
  ['redis://user:1?hunter2@a', 'percent-encoded'],
  ['redis://user:1#hunter2@a', 'percent-encoded'],
])('%s is refused, without its password', (url, message) => {
  expect(() => clusterUrl(url)).toThrow(message)
  expect(() => clusterUrl(url)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('hunter2') }))
})
