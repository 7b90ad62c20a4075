import { describe, expect, it } from 'vitest'
import { numberCut, withoutNumbers } from './cut-numbers.ts'

describe('numberCut', () => {
  it('cuts the numbers that a tool put before lines, and tells where they begin', () => {
    const text = Array.from({ length: 20 }, (_, index) => `${String(index + 200).padStart(6)}→- line ${index}`).join(
      '\n',
    )
    const numbers = numberCut(text)
    expect(numbers?.shift).toBe(199)
    expect(numbers?.cut('   205→- line')).toBe('- line')
    expect(withoutNumbers(text).startsWith('- line 0\n- line 1\n')).toBe(true)
  })

  it('leaves lists with numbers of their own alone', () => {
    const text = '1: one\n2: two\n3: three\nA text follows.\nAnd goes on.\nAnd on.'
    expect(numberCut(text)).toBeUndefined()
    expect(withoutNumbers(text)).toBe(text)
  })
})
