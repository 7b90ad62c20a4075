import { describe, expect, test } from 'vitest'
import { ObjectNames } from './object-names.ts'

describe.each(['', 'spillway', 'a/b.c'])('with the prefix %j', (prefix) => {
  const names = new ObjectNames(prefix)

  test.each(['call_1', 'tenant-1/session-1/call_1', '-rf/_2e_2e/x'])('the id %s comes back from its name', (id) => {
    expect(names.idOf(names.entry(id))).toBe(id)
    expect(names.siblingOf(names.entry(id))).toBeUndefined()
    const sibling = names.sibling(id, 'f00d')
    expect(names.siblingOf(sibling)).toEqual({ id, generation: 'f00d' })
    expect(names.idOf(sibling)).toBeUndefined()
    expect(sibling.startsWith(names.siblings(id.slice(0, id.lastIndexOf('/') + 1)))).toBe(true)
  })

  test.each(['', 'A', 'a.txt', 'a//b', 'a/', '/a', '../a', '.index/a.b', 'é'])('%j is the name of no entry', (name) => {
    expect(names.idOf(`${names.entries('')}${name}`)).toBeUndefined()
  })
})

test('names outside the prefix are of no entry, also of one that begins alike', () => {
  const names = new ObjectNames('spill')
  for (const name of ['call_1', 'spillway/call_1', 'spill', 'spillcall_1']) expect(names.idOf(name)).toBeUndefined()
  expect(names.siblingOf('spillway/.index/call_1.f')).toBeUndefined()
})
