import { describe, expect, it } from 'vitest'
import { WantedWords } from '../layout/wanted-words.ts'
import { diffHeader, fileWeight } from './diff-reader.ts'

describe('fileWeight', () => {
  it('ranks handwritten files before generated files', () => {
    for (const path of ['src/a.ts', 'lib/locker.py', 'Makefile', 'distribution.go', 'docs/a.md'])
      expect(fileWeight(path, new WantedWords([])), path).toBe(1)
    const written = ['pnpm-lock.yaml', 'Cargo.lock', 'yarn.lock', 'go.sum', 'dist/a.js', 'vendor/x/y.go', 'a.min.js']
    for (const path of [...written, 'api.pb.go', '__snapshots__/a.snap', 'package-lock.json'])
      expect(fileWeight(path, new WantedWords([])), path).toBeLessThan(0.2)
  })

  it('ranks files that the call names highest', () => {
    expect(fileWeight('dist/Parser.js', new WantedWords(['parser']))).toBeGreaterThan(1)
  })
})

describe('diffHeader', () => {
  it.each([
    ['diff --git a/src/one.ts b/src/one.ts', 'src/one.ts'],
    ['diff --git a/a name.txt b/a name.txt', 'a name.txt'],
    ['diff --git a/old.c b/new.c', 'new.c'],
    ['diff --cc lib/merge.rb', 'lib/merge.rb'],
    ['diff -ru one/a.c two/a.c', 'two/a.c'],
    ['diff -r 0123456789ab setup.py', 'setup.py'],
    ['Index: trunk/main.c', 'trunk/main.c'],
  ])('reads the path of %j', (line, path) => {
    expect(diffHeader(line)).toEqual({ kind: 'file', path })
  })

  it.each([
    ['--- a/src/one.ts', 'old', 'src/one.ts'],
    ['+++ b/src/one.ts\t2024-05-17 10:21:00.000000000 +0000', 'new', 'src/one.ts'],
    ['+++ two/a.c 2024-05-17 10:21:00.000000000 +0000', 'new', 'two/a.c'],
    ['--- main.c\t(revision 12)', 'old', 'main.c'],
    ['rename to lib/b.ts', 'new', 'lib/b.ts'],
  ])('reads the path of %j without time and prefix', (line, kind, path) => {
    expect(diffHeader(line)).toEqual({ kind, path })
  })

  it.each([
    ['new file mode 100644', 'new'],
    ['deleted file mode 100644', 'deleted'],
    ['rename from lib/a.ts', 'renamed from lib/a.ts'],
    ['Binary files a/x.png and b/x.png differ', 'binary'],
    ['new mode 100755', 'mode 100755'],
    ['index 0123..4567 100644', ''],
  ])('returns a note for %j', (line, note) => {
    expect(diffHeader(line)).toEqual({ kind: 'note', note })
  })

  it.each(['different things', '-- a list', '+ another', 'new ideas', 'Binary', '=== title ==='])(
    'ignores %j',
    (line) => {
      expect(diffHeader(line)).toBeUndefined()
    },
  )
})
