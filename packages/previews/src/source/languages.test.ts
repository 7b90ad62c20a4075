import { describe, expect, it } from 'vitest'
import { languageName, languageOf } from './languages.ts'

describe('the language of a file', () => {
  it.each([
    ['/src/a.ts', 'typescript'],
    ['a.TSX', 'tsx'],
    [String.raw`C:\src\Main.CS`, 'csharp'],
    ['include/a.hpp', 'cpp'],
    ['Makefile', 'makefile'],
    ['deploy/Dockerfile', 'dockerfile'],
    ['Cargo.lock', 'toml'],
    ['setup.cfg', 'ini'],
    ['lib/tasks/a.rake', 'ruby'],
    ['notes.md', undefined],
    ['README', undefined],
    ['', undefined],
  ])('is found by the path %j', (path, language) => {
    expect(languageOf(path, 'text/plain', 'text')).toBe(language)
  })

  it.each([
    ['#!/usr/bin/env python3\n', 'python'],
    ['#!/bin/sh -e\n', 'bash'],
    ['#!/usr/bin/env -S NODE_ENV=test node --test\n', 'javascript'],
    ['#!/usr/local/bin/ruby2.7', 'ruby'],
    ['#!/usr/bin/unheard-of\n', undefined],
    ['#!', undefined],
  ])('is found by the first line %j', (start, language) => {
    expect(languageOf(undefined, undefined, start)).toBe(language)
  })

  it('is found by the content type if the path does not show it', () => {
    expect(languageOf('a.txt', 'text/x-rust', '')).toBe('rust')
    expect(languageOf(undefined, 'application/typescript', '')).toBe('typescript')
    expect(languageOf('a.go', 'text/x-rust', '')).toBe('go')
  })

  it('has a name, or its id if the language is unknown', () => {
    expect([languageName('cpp'), languageName('csharp'), languageName('cobol')]).toEqual(['C++', 'C#', 'cobol'])
  })
})
