import { expect, it } from 'vitest'
import { UniqueItems } from './unique-items.ts'

it('keeps the first item of each key, and items without a key', () => {
  const items = new UniqueItems('name')
  const pages = [
    [{ name: 'a', page: 1 }, { title: 'b' }, 'c'],
    [{ name: 'a', page: 2 }, { title: 'b' }],
  ]
  for (const page of pages) items.add(page)
  expect(items.values).toEqual([{ name: 'a', page: 1 }, { title: 'b' }, 'c', { title: 'b' }])
})

it('says that a page which repeats what is known leads to nothing new', () => {
  const items = new UniqueItems('name')
  const added = [[], [{ name: 'a' }], [{ name: 'a' }], [{ name: 'a' }, { name: 'b' }], []].map((page) =>
    items.add(page),
  )
  expect(added).toEqual([true, true, false, true, true])
})
