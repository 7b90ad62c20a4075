import { describe, expect, it } from 'vitest'
import { isImportLine } from './import-line.ts'

describe('isImportLine', () => {
  it.each([
    "import x from 'y'",
    'from a import b',
    '#include <stdio.h>',
    'using System;',
    'package main',
    "} from './z'",
  ])('recognizes %j', (line) => expect(isImportLine(line)).toBe(true))

  it.each(['importantCall()', 'return from', 'fromage = 1', 'packages: 3'])('ignores %j', (line) =>
    expect(isImportLine(line)).toBe(false),
  )
})
