import { describe, expect, it } from 'vitest'
import { codeLines } from './code-lines.ts'
import { DEFINITION_RULES } from './definition-rules.ts'
import { SOUGHT, lineWorth, type Sought } from './line-worth.ts'
import { SourceLines } from './source-lines.ts'
import { patternOutline } from './read-source.ts'

const GO = `// Copyright somebody.
// All rights reserved.

package a

import (
	"fmt"
)

// Point is a place.
type Point struct {
	X int
	Y int
}

func Make() Point {
	total := 0
	if total > 0 {
		return Point{}
	}
	point := Point{
		X: 1,
		Y: 2,
		Z: 3,
	}
	total = 0
	return point
}
`

async function worthOf(text: string, sought: Sought = { words: [] }): Promise<(start: string) => number> {
  const rules = DEFINITION_RULES['go']!
  const code = codeLines(new SourceLines(text), rules)
  const worth = lineWorth(code, await patternOutline(code, rules), sought)
  const lines = text.split('\n').map((line) => line.trim())
  return (start) => worth[lines.findIndex((line) => line.startsWith(start))]!
}

describe('the value of a line', () => {
  it('is lower for comments, and 0 for brackets', async () => {
    const worth = await worthOf(GO)
    expect(worth('// Point is')).toBeLessThan(worth('total := 0'))
    expect(worth('// Copyright')).toBeLessThan(worth('// Point is'))
    expect(worth(')')).toBe(0)
  })

  it('rises near lines that the call searches for, and most between several of these lines', async () => {
    const text = Array.from({ length: 80 }, (_, index) => `call${index}()`).join('\n')
    const one = await worthOf(text, { words: ['call20('] })
    expect(one('call25(')).toBeGreaterThan(one('call40('))
    expect(one('call20(')).toBeGreaterThan(one('call25('))
    const two = await worthOf(text, { words: ['call20(', 'call30('] })
    expect(two('call25(')).toBeGreaterThan(one('call25('))
  })

  it('rises before and after the lines that the call reads, and most beside them', async () => {
    const text = Array.from({ length: 80 }, (_, index) => `call${index}()`).join('\n')
    const worth = await worthOf(text, { words: [], lines: { start: 31, end: 41 } })
    for (const [near, far, farther] of ['29 25 10', '41 45 60'].map((all) => all.split(' '))) {
      expect(worth(`call${near}(`)).toBeGreaterThan(worth(`call${far}(`))
      expect(worth(`call${far}(`)).toBeGreaterThan(worth(`call${farther}(`))
    }
  })

  it('is lower for a repeated line', async () => {
    const rules = DEFINITION_RULES['go']!
    const code = codeLines(new SourceLines('func A() {\n\tother()\n\tother()\n}\n'), rules)
    const [, first, again] = lineWorth(code, [], { words: [] })
    expect(again).toBeLessThan(first!)
  })

  it('is highest for words of the call', async () => {
    expect((await worthOf(GO, { words: ['Make'] }))('func Make')).toBeGreaterThanOrEqual(SOUGHT)
    expect((await worthOf(GO, { words: ['Make'] }))('total := 0')).toBeGreaterThan((await worthOf(GO))('total := 0'))
    const lines = GO.split('\n').findIndex((line) => line.includes('total := 0')) + 1
    expect(
      (await worthOf(GO, { words: [], lines: { start: lines, end: lines } }))('total := 0'),
    ).toBeGreaterThanOrEqual(SOUGHT)
    expect((await worthOf(GO, { words: ['nowhere'] }))('total := 0')).toBe((await worthOf(GO))('total := 0'))
  })

  it('is not raised by a word that occurs in too many lines', async () => {
    const text = `func A() {\n${'\tvalue = value + 1\n'.repeat(200)}}\n`
    expect((await worthOf(text, { words: ['value'] }))('value')).toBeLessThan(SOUGHT)
  })

  it('is high for both sides of a conflict', async () => {
    const worth = await worthOf(`${GO}<<<<<<< a\nours()\n=======\ntheirs()\n>>>>>>> b\n`)
    expect(worth('ours()')).toBeGreaterThanOrEqual(SOUGHT)
    expect(worth('theirs()')).toBeGreaterThanOrEqual(SOUGHT)
    expect((await worthOf('a()\n<<<<<<< a\nours()\n'))('ours()')).toBeLessThan(SOUGHT)
  })
})
