import { expect, it } from 'vitest'
import { copyWith } from './copy-with.ts'

class Tool {
  readonly type = 'tool'
  name = 'read'
  declare readonly hidden: number

  title(): string {
    return `Tool ${this.name}`
  }
}

it('copyWith copies an object with its class, and replaces properties only in the copy', () => {
  const tool = new Tool()
  const copy = copyWith(tool, { name: 'write' })
  expect(copy).toBeInstanceOf(Tool)
  expect(copy.title()).toBe('Tool write')
  expect(tool.name).toBe('read')
  copy.name = 'list'
  expect(Object.keys(copy)).toEqual(['type', 'name'])
})

it('copyWith copies symbols, hidden properties, and accessors, and does not call the accessors', () => {
  const symbol = Symbol('mark')
  let reads = 0
  const tool = {
    [symbol]: 1,
    get tags() {
      reads += 1
      return ['a']
    },
  }
  Object.defineProperty(tool, 'hidden', { value: 7 })
  const copy = copyWith<typeof tool & { readonly hidden?: number; readonly name?: string }>(tool, { name: 'read' })
  expect(reads).toBe(0)
  expect(copy).toMatchObject({ [symbol]: 1, tags: ['a'], name: 'read' })
  expect(copy.hidden).toBe(7)
  expect(Object.keys(copy)).not.toContain('hidden')
})

it('copyWith replaces read-only properties and accessors by values', () => {
  const tool = Object.freeze({
    name: 'read' as string,
    get tags() {
      return ['a']
    },
  })
  expect(copyWith(tool, { name: 'write', tags: ['b'] })).toEqual({ name: 'write', tags: ['b'] })
})

it('copyWith copies an object without a prototype', () => {
  const tool = Object.assign(Object.create(null) as { name?: string }, { name: 'read' })
  expect(Object.getPrototypeOf(copyWith(tool, {}))).toBeNull()
})
