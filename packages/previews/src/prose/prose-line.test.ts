import { describe, expect, it } from 'vitest'
import { proseLine } from './prose-line.ts'

describe('proseLine', () => {
  it.each([
    ['1. Introduction', 1],
    ['1. Definitions.', 1],
    ['2.3.1 Security Considerations', 3],
    ['A.2. Grammar', 2],
    ['IV. THE STORM', 1],
    ['Chapter 12', 1],
    ['CHAPTER XII', 1],
    ['第十二章 风暴', 1],
    ['TERMS AND CONDITIONS', 2],
  ])('takes %j that stands apart for a heading', (line, depth) => {
    expect(proseLine(line, true)).toMatchObject({ kind: 'heading', depth })
  })

  it.each([
    '1. This is a whole sentence of a list.',
    'Chapters are long and dull',
    'She said NO.',
    'Dear Charles,',
    'Paragraph 12 begins here and goes on',
    '   2.3 indented words',
    'a plain line',
  ])('takes %j for text', (line) => {
    expect(proseLine(line, true)).toEqual({ kind: 'text' })
  })

  it('takes nothing within a paragraph for a heading', () => {
    expect(proseLine('1. Introduction', false)).toEqual({ kind: 'text' })
  })

  it('tells quotes, rules, page numbers and tables of contents', () => {
    expect(proseLine('> as you wrote', true).kind).toBe('quote')
    for (const line of [
      '----------',
      '- 12 -',
      'Fielding & Reschke     Standards Track     [Page 12]',
      '1.  Introduction ........ 4',
    ])
      expect(proseLine(line, true).kind, line).toBe('filler')
  })
})
