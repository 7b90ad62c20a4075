import { describe, expect, it } from 'vitest'
import { headingDepth, markdownLine } from './markdown-line.ts'

describe('markdownLine', () => {
  it.each([
    ['# One', 'heading'],
    ['###### Six', 'heading'],
    ['####### Seven', 'text'],
    ['#hashtag', 'text'],
    ['**Bold alone:**', 'label'],
    ['**Bold** and more', 'text'],
    ['```ts', 'fence'],
    ['~~~', 'fence'],
    ['```code``` in line', 'text'],
    ['===', 'underline'],
    ['---', 'underline'],
    ['***', 'rule'],
    ['| a | b |', 'row'],
    ['|---|:-:|', 'delimiter'],
    ['--- | ---', 'delimiter'],
    ['- item', 'item'],
    ['12. item', 'item'],
    ['> quoted', 'quote'],
    ['- [Home](/)', 'links'],
    ['[![build](https://a/b.svg)](https://a)', 'links'],
    ['- [Home](/) says more', 'item'],
    ['plain words', 'text'],
  ])('recognizes %j as a %s', (line, kind) => {
    expect(markdownLine(line)).toBe(kind)
  })

  it('finds the level of a heading', () => {
    expect(['# a', '### a', '#', '#a'].map(headingDepth)).toEqual([1, 3, 0, 0])
  })
})
