import { describe, expect, it } from 'vitest'
import { shapeOf } from './line-shape.ts'

const shape = (line: string): number => shapeOf(line, 0, line.length).hash

describe('shapeOf', () => {
  it('is the same for lines that differ in numbers, times and ids', () => {
    expect(shape('2026-01-01T00:00:01Z request 7f3a failed: 12 ms')).toBe(
      shape('2026-02-03T04:05:06Z request 9c1b failed: 4,012 ms'),
    )
  })

  it('differs with other words, in their order', () => {
    expect(shape('the disk is full')).not.toBe(shape('the disk is empty'))
    expect(shape('alpha bravo charlie')).not.toBe(shape('bravo alpha charlie'))
    expect(shape('ошибка сети')).not.toBe(shape('ошибка диска'))
  })

  it('takes all of a line that has only numbers', () => {
    expect(shape('1 2 3')).not.toBe(shape('1 2 4'))
    expect(shapeOf('1 2 3', 0, 5).weak).toBe(true)
  })

  it('says where little is left of a line', () => {
    expect(shapeOf('FAILED 12', 0, 9).weak).toBe(true)
    expect(shapeOf('the request failed', 0, 18).weak).toBe(false)
  })
})
