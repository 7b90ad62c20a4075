import { describe, expect, it } from 'vitest'
import { WantedWords } from '../layout/wanted-words.ts'
import { fileWeight } from './file-weight.ts'

describe('fileWeight', () => {
  it('puts what people write before what tools write', () => {
    for (const path of ['src/a.ts', 'lib/locker.py', 'Makefile', 'distribution.go', 'docs/a.md'])
      expect(fileWeight(path, new WantedWords([])), path).toBe(1)
    const written = ['pnpm-lock.yaml', 'Cargo.lock', 'yarn.lock', 'go.sum', 'dist/a.js', 'vendor/x/y.go', 'a.min.js']
    for (const path of [...written, 'api.pb.go', '__snapshots__/a.snap', 'package-lock.json'])
      expect(fileWeight(path, new WantedWords([])), path).toBeLessThan(0.2)
    expect(fileWeight('tsconfig.json', new WantedWords([]))).toBe(0.6)
  })

  it('puts first what the agent looks for', () => {
    expect(fileWeight('dist/Parser.js', new WantedWords(['parser']))).toBeGreaterThan(1)
  })
})
