import { describe, expect, it } from 'vitest'
import { readModel } from './line-model.ts'
import { LINE_MODEL } from './line-weights.ts'

/** Two features, 7 and -5, with the weights 127 and -3. */
const bytes = [0, 0, 0, 7, 255, 255, 255, 251, 127, 253]

describe('readModel', () => {
  it('reads the weight of each feature, and returns 0 for unknown features', () => {
    const model = readModel({ bias: -2, step: 0.5, features: btoa(String.fromCharCode(...bytes)) })
    expect(model.bias).toBe(-2)
    expect([7, -5, 6].map((feature) => model.weightOf(feature))).toEqual([63.5, -1.5, 0])
  })

  it('reads a model without features', () => {
    expect(readModel({ bias: 1, step: 1, features: '' }).weightOf(7)).toBe(0)
  })
})

describe('LINE_MODEL', () => {
  it('gives most lines a low weight', () => {
    expect(LINE_MODEL.bias).toBeLessThan(0)
  })
})
