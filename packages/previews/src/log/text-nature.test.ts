import { describe, expect, it } from 'vitest'
import { textNature } from './text-nature.ts'
import { TextScanner } from './text-scanner.ts'

function natureOf(text: string): string {
  const scanner = new TextScanner()
  scanner.push(text)
  return textNature(scanner.finish())
}

describe('textNature', () => {
  it('recognizes data: JSON in any layout, and JSON Lines except in a log', () => {
    const value = Array.from({ length: 20 }, (_, id) => ({ id, name: `user ${id}`, error: null }))
    expect(natureOf(JSON.stringify(value))).toBe('data')
    expect(natureOf(JSON.stringify(value, null, 2))).toBe('data')
    expect(natureOf(JSON.stringify({ items: value }, null, 2))).toBe('data')
    expect(natureOf(value.map((item) => JSON.stringify(item)).join('\n'))).toBe('data')
    expect(natureOf(value.map((item) => JSON.stringify({ level: 'info', ...item, msg: 'said' })).join('\n'))).toBe(
      'output',
    )
  })

  it('recognizes source code, numbered source code, Markdown and HTML as writing', () => {
    const code = [
      'import { a } from "b"',
      'export function f(error: Error): string {',
      '  if (error !== undefined) {',
      '    throw new Error("failed: fatal error")',
      '  }',
      '  return error.message',
      '}',
    ]
    expect(natureOf(Array(20).fill(code.join('\n')).join('\n'))).toBe('writing')
    const numbered = Array.from({ length: 20 }, () => code)
      .flat()
      .map((line: string, index) => `${String(index + 1).padStart(6)}→${line}`)
    expect(natureOf(numbered.join('\n'))).toBe('writing')
    expect(
      natureOf(
        '# Errors\n\n- one error\n- another failure\n\n## More\n\n1. It failed, and nobody knew why it did so.\n'.repeat(
          9,
        ),
      ),
    ).toBe('writing')
    expect(natureOf(`<!DOCTYPE html>\n<html>\n${'<p>error</p>\n'.repeat(30)}</html>`)).toBe('writing')
  })

  it('recognizes all other text as output, and also text with an exit code', () => {
    expect(natureOf('')).toBe('output')
    expect(natureOf(Array.from({ length: 50 }, (_, index) => `[INFO] step ${index} done in 3 ms`).join('\n'))).toBe(
      'output',
    )
    expect(natureOf(`${'- item of a list\n'.repeat(30)}The command "lint" exited with 1.\n`)).toBe('output')
    const times = Array.from({ length: 30 }, (_, index) => `job\tstep\t2024-01-01T00:00:${index + 10}.123Z building`)
    expect(natureOf(times.join('\n'))).toBe('output')
  })
})
