import { describe, expect, it } from 'vitest'
import { assignedKey, keyOf, opensText, sectionName, yamlLine } from './config-line.ts'

describe('yamlLine', () => {
  it.each([
    ['name: x', 'key', 'name', 'x'],
    ['  "a b": 1', 'key', 'a b', '1'],
    ['/pets/{id}:', 'key', '/pets/{id}', ''],
    ['größe: 1', 'key', 'größe', '1'],
    ['- run: make', 'key', 'run', 'make'],
    ['- - a: 1', 'key', 'a', '1'],
    ['- plain', 'value', '', 'plain'],
    ['image: app:1.2 # c', 'key', 'image', 'app:1.2 # c'],
    ['http://a.b/c', 'value', '', 'http://a.b/c'],
    ['if (x): y', 'value', '', 'if (x): y'],
    ['a, b: c', 'value', '', 'a, b: c'],
  ])('reads %j', (line, kind, key, value) => {
    const read = yamlLine(line)
    expect([read.kind, keyOf(line, read), line.slice(read.valueStart)]).toEqual([kind, key, value])
  })

  it('recognizes documents and comments, and the position of dashes', () => {
    expect(['---', '--- # x', '...', '%YAML 1.2', '# a', '  # b'].map((line) => yamlLine(line).kind)).toEqual([
      'document',
      'document',
      'document',
      'document',
      'comment',
      'comment',
    ])
    expect(yamlLine('  - - a').dashes).toEqual([2, 4])
  })

  it.each(['run: |', 'run: >-', 'run: |2-', 'run: &a |', '- |', 'run: | # c'])(
    'recognizes %j as the start of a block text',
    (line) => {
      expect(opensText(line, yamlLine(line))).toBe(true)
    },
  )

  it.each(['run: a | b', 'run: a >', 'run:', 'a: &b'])('does not recognize %j as the start of a block text', (line) => {
    expect(opensText(line, yamlLine(line))).toBe(false)
  })

  it('takes bounded time for long lines that are almost keys', () => {
    const line = `a${' '.repeat(1_000_000)}`
    expect(yamlLine(`${line}b`)).toEqual(yamlLine('ab'))
  })
})

describe('sectionName', () => {
  it.each([
    ['[package]', 'package'],
    ['[[bin]]', 'bin'],
    ['[remote "origin"]', 'remote "origin"'],
    ['[tool.a."b.c"] # d', 'tool.a."b.c"'],
    ['[1, 2]', undefined],
    ['[{}]', undefined],
    ['[INFO] done', undefined],
    ['[]', undefined],
    ['a = [1]', undefined],
  ])('reads %j', (line, name) => {
    expect(sectionName(line)).toBe(name)
  })
})

describe('assignedKey', () => {
  it.each([
    ['a = 1', 'a'],
    ['export A_B=c', 'A_B'],
    ['a.b-c: d', 'a.b-c'],
    ['"a b" = 1', '"a b"'],
    ['Exec Start=/x', 'Exec Start'],
    ['if a == b', undefined],
    ['just words', undefined],
    ['(a) = b', undefined],
  ])('reads %j', (line, key) => {
    expect(assignedKey(line)).toBe(key)
  })
})
