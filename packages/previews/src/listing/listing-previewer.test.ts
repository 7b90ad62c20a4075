import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import { subjectOf } from '../../test/preview-with.ts'
import type { TextSubject } from '../previewer.ts'
import { listingPreviewer } from './listing-previewer.ts'

const showLines = (start: number, end: number): string => `lines ${start}-${end}`
const previewer = listingPreviewer()

const about = (text: string, command?: string, words: readonly string[] = []): TextSubject =>
  subjectOf(text, { toolName: 'bash', intent: { paths: [], words, command } })

async function previewOf(
  text: string,
  budgetTokens = 400,
  command?: string,
  words?: readonly string[],
): Promise<string | undefined> {
  const subject = about(text, command, words)
  if (previewer.recognize(subject) === 0) return undefined
  const reader = previewer.read(subject)
  reader.push(text)
  return (await reader.finish(subject))?.({ budgetTokens, countTokens: estimateTokens, showLines })
}

const numbered = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

describe('a preview of ls -R', () => {
  it('counts the entries of each folder, and gives the line of its heading', async () => {
    const text = `.:\nsrc\nREADME.md\n\n./src:\n${numbered(300, (index) => `file${index}.ts`)}\n\n./src/deep:\nx.ts\n`
    const preview = await previewOf(text, 120)
    expect(preview).toMatch(
      /^\[ls -R: 308 lines, 3 folders, 303 entries\]\n1\| \.: \[2\] src, README\.md\n5\| \.\/src: \[300\] file0\.ts, /,
    )
    expect(preview).toMatch(/\n307\| \.\/src\/deep: \[1\] x\.ts$/)
    expect(preview).toMatch(/more: lines 5-305\], file299\.ts/)
  })

  it('shows entries with rare words of the call, and counts the hidden entries', async () => {
    const text = `.:\nsrc\nREADME.md\n\n./src:\n${numbered(300, (index) => `file${index}.ts`)}\n\n./src/deep:\nx.ts\n`
    const preview = (await previewOf(text, 120, undefined, ['FILE250.', 'file'])) ?? ''
    const [, shown = '', hidden] = /: \[300\] (.*), \[… (\d+) more.*\], file250\.ts, file299\.ts\n/.exec(preview) ?? []
    expect(shown.split(', ').length + Number(hidden) + 2).toBe(300)
  })

  it('shows all entries if they fit', async () => {
    expect(await previewOf('./a:\none\ntwo\n\n./b:\nthree\n', 1_000)).toBe(
      '[ls -R: 6 lines, 2 folders, 3 entries]\n1| ./a: [2] one, two\n5| ./b: [1] three',
    )
  })

  it.each([200, 1_500, 5_000])(
    'distinguishes folders whose paths begin with the same %i characters',
    async (length) => {
      const path = `/${'a very deep folder/'.repeat(length / 19)}`
      const text = Array.from({ length: 19 }, (_, index) => `${path}${index}:\ntotal 4\nfile ${index}\n`).join('\n')
      const preview = (await previewOf(text, 4_000, 'ls -lR')) ?? ''
      expect(preview).toContain('19 folders, 19 entries]')
      for (let index = 0; index < 19; index++) expect(preview).toContain(`/${index}: [1] file ${index}`)
    },
  )

  it('has the names of the files in ls -lR', async () => {
    const entry = (name: string): string => `-rw-r--r-- 1 root root  5107 May 25  2023 ${name}`
    const text = `/usr/doc:\ntotal 12\n${entry('a file.txt')}\n${entry('b')}\n\n/usr/doc/x:\ntotal 4\n${entry('c')}\n`
    expect(await previewOf(text, 1_000)).toContain('1| /usr/doc: [2] a file.txt, b\n')
  })
})

describe('a preview of a listing with messages', () => {
  const files = numbered(900, (index) => `./src/part${index % 30}/file${index}.ts`)
  const found = numbered(900, (index) => `src/part${index % 30}.ts:${index + 1}:  const a = ${index}`)
  const folders = numbered(60, (index) => `./part${index}:\n${numbered(30, (file) => `file${file}.ts`)}\n`)
  const entry = '-rw-r--r-- 1 root root  5107 May 25  2023 file.ts'
  const long = numbered(60, (index) => `./part${index}:\ntotal 4\n${entry}\n${entry}\n`)

  it.each([
    ['paths of find', files, "find: './src/secret': Permission denied"],
    ['matches of grep', found, 'grep: src/data.bin: binary file matches'],
    ['ls -R', folders, "ls: cannot open directory './part7/secret': Permission denied"],
    ['ls -lR', long, 'd????????? ? ? ? ? ? secret'],
  ])('shows a message in the middle of %s with its line number', async (_, listing, message) => {
    const lines = listing.split('\n')
    const middle = lines.indexOf('', 100) < 0 ? 450 : lines.indexOf('', 100)
    const preview = (await previewOf([...lines.slice(0, middle), message, ...lines.slice(middle)].join('\n'))) ?? ''
    const [header, first] = preview.split('\n')
    expect(header).toMatch(/, 1 other line\]$/)
    expect(first).toBe(`${middle + 1}| ${message}`)
  })

  it('shows messages before a listing, and counts those for which there is no space', async () => {
    const messages = numbered(60, (index) => `ls: cannot open directory './part/secret${index}': Permission denied`)
    const preview = await previewOf(`${messages}\n${folders}`)
    expect(preview).toMatch(
      /^\[ls -R: [^\n]*, 60 other lines\]\n1\| ls: [^]*\n\[… 5\d other lines\]\n[^]*60\| ls: [^\n]*\n61\| \.\/part0: \[30\]/,
    )
  })

  it('shows the end of a summary below a listing', async () => {
    const summary = numbered(90, (index) => (index === 89 ? 'Total time: 5.02s' : `Phase ${index} time: 0.0${index}s`))
    const preview = await previewOf(`${files}\n${files.replaceAll('src', 'test')}\n${summary}`)
    expect(preview).toContain('| Phase 0 time: 0.00s\n')
    expect(preview).toMatch(/\n\[… \d\d other lines\]\n[^]*\| Total time: 5\.02s\n/)
  })
})

describe('a preview of paths', () => {
  it('counts each path in its own folder, for paths of any length', async () => {
    const path = `src/${'deep/'.repeat(400)}`
    const preview = await previewOf(
      numbered(40, (index) => `${path}${index % 4}/file${index}.ts`),
      2_000,
    )
    expect(preview).toMatch(/^\[paths: 40 lines, 4 folders\]\n/)
    expect(preview?.match(/\/\d\/? \[10\]/g)).toHaveLength(4)
  })

  it('shows the fullest folders, and counts the folders that do not fit', async () => {
    const text = numbered(3_000, (index) => `src/part${index % 60}/sub${index % 7}/file${index}.ts`)
    const preview = (await previewOf(text, 200)) ?? ''
    expect(preview).toMatch(/^\[paths: 3,000 lines, 420 folders\]\n/)
    const parts = preview.match(/^\d+\| src\/part\d+ \[50 in 7 folders\]/gm) ?? []
    const [, hidden] = /\[… (\d+) folders, [\d,]+ paths: lines /.exec(preview) ?? []
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.length + Number(hidden)).toBe(60)
  })

  it('gives the first line of the files of a folder apart from its subfolders', async () => {
    const inner = numbered(200, (index) => `src/sub${index % 2}/file${index}.ts`)
    const preview = await previewOf(`${inner}\nsrc/index.ts\nsrc/main.ts\n`)
    expect(preview).toMatch(/\n201\| src\/ \[2\] /)
    expect(preview).toMatch(/\n1\| src\/sub0\/ \[100\] /)
  })

  it('is not written for environment variables, addresses or a log', async () => {
    expect(await previewOf(numbered(20, (index) => `PATH${index}=/usr/bin/${index}`))).toBeUndefined()
    expect(await previewOf(numbered(20, (index) => `https://example.com/${index}`))).toBeUndefined()
    expect(
      await previewOf(numbered(40, (index) => `${btoa(`key ${index * 7919}/`)}/${index}AbC+dEf/gh`)),
    ).toBeUndefined()
    expect(await previewOf(numbered(20, (index) => `pkg/file${index}.py,sha256=ab${index},12`))).toBeUndefined()
    expect(await previewOf(numbered(20, (index) => `GET /index/${index} 200 in 12 ms`))).toBeUndefined()
  })
})

describe('a preview of search matches', () => {
  it('counts each match in its own file, for paths of any length', async () => {
    const path = `src/${'deep/'.repeat(200)}`
    const preview = await previewOf(
      numbered(40, (index) => `${path}${index % 4}.ts:${index + 1}: found`),
      2_000,
    )
    expect(preview).toMatch(/^\[matches: 40 lines, 4 files\]\n/)
  })

  it('counts matches by file, and shows their line numbers', async () => {
    const text = numbered(
      40,
      (index) => `src/${index < 30 ? 'long' : 'short'}.ts:${index + 1}:  const value${index} = 1`,
    )
    const preview = await previewOf(text, 120)
    expect(preview).toMatch(/^\[matches: 40 lines, 2 files\]\n1\| src\/long\.ts \[30\]\n1: const value0 = 1\n/)
    expect(preview).toMatch(/\n31\| src\/short\.ts \[10\]\n31: const value30 = 1\n/)
  })

  it('is not written for compiler messages', async () => {
    expect(await previewOf(numbered(20, (index) => `src/a.c:${index + 1}:5: error: expected ;`))).toBeUndefined()
    expect(await previewOf(numbered(20, (index) => `src/a.ts:${index + 1}: warning: unused`))).toBeUndefined()
  })

  it('is not written for lines that start with a time', async () => {
    expect(await previewOf(numbered(20, (index) => `2024-05-17T10:${10 + index}:07 started`))).toBeUndefined()
  })

  it('reads matches below file names, and matches in a single file', async () => {
    const below = numbered(6, (file) => `src/file${file}.ts\n12:const a = 1\n13-const b = 2\n27:foo(a)\n`)
    expect(await previewOf(below, 1_000)).toMatch(
      /^\[matches: 29 lines, 6 files, 12 matches\]\n1\| src\/file0\.ts \[2\]\n12: const a = 1\n27: foo\(a\)\n/,
    )
    expect(
      await previewOf(
        numbered(20, (index) => `${index * 7 + 3}:  const a = ${index}`),
        1_000,
      ),
    ).toMatch(/^\[matches: 20 lines\]\n3: const a = 0\n/)
    expect(await previewOf(numbered(20, (index) => `10:${10 + index}:12 started`))).toBeUndefined()
  })

  it('skips context lines of matches', async () => {
    const text = numbered(
      8,
      (index) => `a.ts-${index * 3 + 1}-before\na.ts:${index * 3 + 2}:match ${index}\na.ts-${index * 3 + 3}-after\n--`,
    )
    expect(await previewOf(`a.ts:1:first\n${text}`, 500)).toMatch(/^\[matches: 33 lines, 9 matches\]/)
  })

  it('skips context lines before the first match of a file', async () => {
    const text = numbered(8, (file) => `src/f${file}.ts-1-before\nsrc/f${file}.ts:2:match\nsrc/f${file}.ts-3-after\n--`)
    expect(await previewOf(text, 500)).toMatch(/^\[matches: 32 lines, 8 files, 8 matches\]/)
  })
})

it('a listing preview reads the output of ls -R', async () => {
  const text = execFileSync('ls', ['-R', import.meta.dirname], { encoding: 'utf8' })
  const preview = (await previewOf(text, 5_000, 'ls -R src')) ?? ''
  expect(preview).toContain('listing-previewer.test.ts')
})

const name = fc.constantFrom('a', 'b', 'größe', '数据', 'file one', 'x.ts', 'deep')
const listing = fc
  .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.array(name, { maxLength: 30 })), {
    minLength: 2,
    maxLength: 30,
  })
  .map((folders) =>
    folders
      .map(([path, entries]) => `./${path.join('/')}:\n${entries.map((entry) => `${entry}\n`).join('')}`)
      .join('\n'),
  )

it('a listing preview shows or counts each entry', async () => {
  await fc.assert(
    fc.asyncProperty(listing, fc.integer({ min: 60, max: 3_000 }), async (text, budget) => {
      const entries = text.split('\n').filter((line) => line !== '' && !line.endsWith(':')).length
      if (entries === 0) return
      const preview = await previewOf(text, budget)
      if (preview === undefined || preview === '') return
      const stated = /, (\d+) entr/.exec(preview)?.[1] ?? /^\[ls -R: (\d+) lines/.exec(preview)?.[1]
      expect(Number(stated)).toBe(entries)
      const shown = [...preview.matchAll(/^(?:\d+\| [^[\n]*|\[top\] )\[(\d+)(?: in| *\])/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      )
      const marks = [...preview.matchAll(/\[… \d+ folders?, (\d+) entr/g)]
      const rest = marks.reduce((sum, [, count]) => sum + Number(count), 0)
      if (preview.includes('\n') && !preview.includes('all but these')) expect(shown + rest).toBe(entries)
    }),
    { numRuns: 200 },
  )
})

describe('search results below the names of their files', () => {
  it('are recognized with more confidence than lines with numbers alone', () => {
    const found = numbered(9, (index) => `${index * 3 + 1}:const value = ${index}`)
    const alone = previewer.recognize(about(found))
    expect(previewer.recognize(about(`src/a.ts\n${found}\n\nsrc/b.ts\n${found}\n`))).toBeGreaterThan(alone)
    expect(alone).toBeGreaterThan(0)
  })
})
