import { describe, expect, it } from 'vitest'
import { isData } from './is-data.ts'
import { TextScanner } from './text-scanner.ts'

function isDataText(text: string): boolean {
  const scanner = new TextScanner()
  scanner.push(text)
  return isData(scanner.finish())
}

describe('isData', () => {
  it('recognizes JSON in any layout, and JSON Lines except in a log', () => {
    const value = Array.from({ length: 20 }, (_, id) => ({ id, name: `user ${id}`, error: null }))
    expect(isDataText(JSON.stringify(value))).toBe(true)
    expect(isDataText(JSON.stringify(value, null, 2))).toBe(true)
    expect(isDataText(JSON.stringify({ items: value }, null, 2))).toBe(true)
    expect(isDataText(value.map((item) => JSON.stringify(item)).join('\n'))).toBe(true)
    const log = value.map((item) => JSON.stringify({ level: 'info', ...item, msg: 'said' }))
    expect(isDataText(log.join('\n'))).toBe(false)
  })

  it('does not recognize other text, such as a log or code', () => {
    expect(isDataText('')).toBe(false)
    expect(isDataText('[INFO] step 1 done in 3 ms\n'.repeat(50))).toBe(false)
    expect(isDataText('if (error !== undefined) {\n  throw error\n}\n'.repeat(20))).toBe(false)
  })
})
