import { expect, test } from 'vitest'
import { EvictionLog } from './eviction-log.ts'

const eviction = (evictedAt: number) => ({ reason: 'turns', evictedAt, metadata: {} }) as const

test('remembers evictions of each scope apart', () => {
  const log = new EvictionLog()
  log.add('a', 'x', eviction(1))
  log.add('b', 'x', eviction(2))
  expect([log.find('a', 'x'), log.find('b', 'x'), log.find('', 'x')]).toEqual([eviction(1), eviction(2), undefined])
  log.remove('a', 'x')
  expect([log.find('a', 'x'), log.find('b', 'x')]).toEqual([undefined, eviction(2)])
})

test('forgets the oldest of a scope, and the oldest scope', () => {
  const log = new EvictionLog(2)
  for (const name of ['x', 'y', 'z']) log.add('a', name, eviction(0))
  expect([log.find('a', 'x'), log.find('a', 'y'), log.find('a', 'z')]).toEqual([undefined, eviction(0), eviction(0)])
  for (let scope = 0; scope < 1_000; scope += 1) log.add(`scope ${scope}`, 'x', eviction(scope))
  expect([log.find('a', 'z'), log.find('scope 0', 'x')]).toEqual([undefined, eviction(0)])
})
