import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EvictionLog, TurnTracker } from './entry-lifetime.ts'

type Command =
  | { readonly kind: 'use' | 'forget'; readonly scope: string; readonly reference: string }
  | { readonly kind: 'end'; readonly scope: string }

const scope = fc.constantFrom('a', 'b')

const reference = fc.constantFrom('x', 'y', 'z')

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constantFrom('use' as const, 'forget' as const), scope, reference }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), scope }) },
)

test('an entry is due after more than N turns of its scope without use, with any other operations in between', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(command, { maxLength: 60 }), (turns, commands) => {
      const tracker = new TurnTracker(turns)
      const unused = new Map<string, number>()
      for (const one of commands) {
        if (one.kind === 'end') {
          for (const [entry, count] of unused) if (entry.startsWith(one.scope)) unused.set(entry, count + 1)
          const due = [...unused].filter(([entry, count]) => entry.startsWith(one.scope) && count > turns)
          expect(tracker.endTurn(one.scope).toSorted()).toEqual(due.map(([entry]) => entry.slice(1)).toSorted())
          for (const [entry] of due) {
            expect(tracker.isDue(one.scope, entry.slice(1))).toBe(true)
            tracker.forget(one.scope, entry.slice(1))
            unused.delete(entry)
          }
        } else if (one.kind === 'use') {
          tracker.used(one.scope, one.reference)
          unused.set(one.scope + one.reference, 0)
        } else {
          tracker.forget(one.scope, one.reference)
          unused.delete(one.scope + one.reference)
        }
      }
    }),
  )
})

test('an entry found in a listing counts as used in that turn, and a known entry keeps its last use', () => {
  const tracker = new TurnTracker(2)
  tracker.used('', 'known')
  tracker.endTurn('')
  tracker.found('', 'found')
  tracker.found('', 'known')
  expect(tracker.endTurn('')).toEqual([])
  expect(tracker.endTurn('')).toEqual(['known'])
  tracker.forget('', 'known')
  expect(tracker.endTurn('')).toEqual(['found'])
})

test('a scope is listed until its last entry is forgotten', () => {
  const tracker = new TurnTracker(1)
  tracker.used('a', 'x')
  expect(tracker.isListed('a')).toBe(false)
  tracker.listed('a')
  expect([tracker.isListed('a'), tracker.isListed('b')]).toEqual([true, false])
  tracker.forget('a', 'x')
  expect(tracker.isListed('a')).toBe(false)
})

test('the scope that was used longest ago is forgotten first, and is then listed again', () => {
  const tracker = new TurnTracker(1, 2)
  for (const scope of ['a', 'b']) {
    tracker.used(scope, 'x')
    tracker.listed(scope)
  }
  tracker.endTurn('a')
  tracker.used('c', 'x')
  expect(['a', 'b', 'c'].map((scope) => tracker.isListed(scope))).toEqual([true, false, false])
  tracker.found('b', 'x')
  expect(tracker.endTurn('b')).toEqual([])
  expect(tracker.endTurn('b')).toEqual(['x'])
})

const eviction = (evictedAt: number) => ({ reason: 'turns', evictedAt, metadata: {} }) as const

test('evictions are remembered separately for each scope', () => {
  const log = new EvictionLog()
  log.add('a/x', eviction(1))
  log.add('b/x', eviction(2))
  expect([log.find('a/x'), log.find('b/x'), log.find('x')]).toEqual([eviction(1), eviction(2), undefined])
  log.remove('a/x')
  expect([log.find('a/x'), log.find('b/x')]).toEqual([undefined, eviction(2)])
})

test('the oldest eviction of a scope, and the oldest scope, are forgotten first', () => {
  const log = new EvictionLog(2)
  for (const name of ['x', 'y', 'z']) log.add(`a/${name}`, eviction(0))
  expect([log.find('a/x'), log.find('a/y'), log.find('a/z')]).toEqual([undefined, eviction(0), eviction(0)])
  for (let scope = 0; scope < 1_000; scope += 1) log.add(`scope ${scope}/x`, eviction(scope))
  expect([log.find('a/z'), log.find('scope 0/x')]).toEqual([undefined, eviction(0)])
})
