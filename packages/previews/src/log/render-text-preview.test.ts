import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { propertyRuns } from '@spillway-internal/test-run'
import { codePoint } from '@spillway-internal/test-run/code-point'
import { estimateTokens } from '@spillway/text/internal'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import type { PreviewOptions } from '../previewer.ts'
import { renderTextPreview } from './render-text-preview.ts'
import { TextScanner } from './text-scanner.ts'

it('a text preview shows a failure with the other lines of its block', () => {
  const block = [
    'FAIL src/order.test.ts > adds a tax',
    'Error: expected 12.39 to equal 12.40',
    '  order: one apple, two pears',
    '  customer: somebody else',
    '  warehouse: the second one',
    '  shelf: upper left',
  ]
  const steps = (part: string): string[] =>
    Array.from({ length: 400 }, (_, index) => `${part} ${index} of the warehouse was counted`)
  const scanner = new TextScanner()
  scanner.push([...steps('shelf'), '', ...block, '', ...steps('door')].join('\n'))
  const preview = renderTextPreview(scanner.finish(), { budgetTokens: 250, countTokens })
  for (const line of block) expect(preview).toContain(line)
})

function previewOf(text: string, options: PreviewOptions, hints?: Parameters<typeof renderTextPreview>[2]): string {
  const scanner = new TextScanner()
  scanner.push(text)
  return renderTextPreview(scanner.finish(), options, hints)
}

const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`
const options = { budgetTokens: 300, countTokens, showLines }

const graphemes = (text: string): Set<string> =>
  new Set([...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment))

describe('renderTextPreview', () => {
  it('shows a line with a rare word of the call, but ignores common and absent words', () => {
    const name = (index: number): string =>
      String.fromCharCode(...[1, 23, 529].map((step) => 97 + (Math.floor(index / step) % 23)))
    const lines = Array.from({ length: 2_000 }, (_, index) => `shelf ${name(index)}shelf of the warehouse was counted`)
    const scanner = new TextScanner()
    scanner.push(lines.join('\n'))
    const scan = scanner.finish()
    const options = { budgetTokens: 120, countTokens }
    expect(renderTextPreview(scan, options)).not.toContain(lines[900])
    expect(renderTextPreview(scan, options, { words: [`${name(900)}SHELF`, 'absent'] })).toContain(lines[900])
    expect(renderTextPreview(scan, options, { words: ['absent'] })).toBe(renderTextPreview(scan, options))
    expect(renderTextPreview(scan, options, { words: ['warehouse'] })).toBe(renderTextPreview(scan, options))
  })

  it.each([100, 300, 900])('shows the final text of a progress line with %i states', (count) => {
    const states = Array.from({ length: count }, (_, at) => `remote: Counting objects: ${at + 1}/${count}`)
    const lines = (line: string): string => `${'cloned one\n'.repeat(200)}${line}\n${'cloned another\n'.repeat(200)}`
    const shown = previewOf(lines(`${states.join('\r')}\rfatal: the remote end hung up unexpectedly`), options)
    expect(shown).toContain('201| fatal: the remote end hung up unexpectedly\n')
    expect(shown).not.toContain('Counting')
    const message = 'E: Unable to locate package foo-dev in any of the configured sources'
    const short = Array.from({ length: count }, (_, at) => `${at} packages`).join('\r')
    expect(previewOf(lines(`${message}\r${short}`), options)).toContain(`${message} ${count - 1} packages`)
  })

  it('never exceeds its budget, for any text and tokenizer', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 4_000, unit: codePoint }),
      fc.array(fc.string({ maxLength: 200 }), { maxLength: 300 }).map((lines) => lines.join('\n')),
      fc
        .array(fc.constantFrom('error: x', 'FAILED a::b', '', '{"a":1}', 'exited with 2', '汉字'.repeat(90)), {
          maxLength: 400,
        })
        .map((lines) => lines.join('\n')),
    )
    const counters = fc.constantFrom(
      countTokens,
      estimateTokens,
      (value: string) => value.length,
      (value: string) => value.length * 3 + 7,
    )
    fc.assert(
      fc.property(text, fc.nat(1_200), counters, fc.boolean(), (value, budgetTokens, counter, isError) => {
        const preview = previewOf(value, { budgetTokens, countTokens: counter, isError, showLines })
        expect(preview === '' ? 0 : counter(preview)).toBeLessThanOrEqual(budgetTokens)
        expect(preview).toBe(previewOf(value, { budgetTokens, countTokens: counter, isError, showLines }))
      }),
      propertyRuns(80, 3_000),
    )
  })

  it('is empty for a budget of 0', () => {
    expect(previewOf('text', { ...options, budgetTokens: 0 })).toBe('')
    expect(previewOf('text', { ...options, budgetTokens: Number.NaN })).toBe('')
  })

  it('does not change a text that fits', () => {
    expect(previewOf('one\ntwo\n\nthree\n', options)).toBe('one\ntwo\n\nthree')
  })

  it('never splits a grapheme', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('👨‍👩‍👧‍👦', 'e\u0301', '🇫🇷', '漢', 'a'), { minLength: 500, maxLength: 2_000 }),
        (parts) => {
          const text = parts.join('')
          const known = graphemes(text)
          const preview = previewOf(text, { ...options, budgetTokens: 200 }).replace(
            /\[… [\d,]+ more characters …\]/g,
            '',
          )
          for (const grapheme of graphemes(preview)) if (grapheme !== '\n') expect(known).toContain(grapheme)
        },
      ),
      propertyRuns(10, 300),
    )
  })

  it('shows the first lines, the last lines and the failure between them, and marks every gap', () => {
    const noise = (from: number): string[] =>
      Array.from({ length: 2_000 }, (_, index) => `step ${from + index} took ${index % 7} ms`)
    const text = [
      'build of project x',
      ...noise(0),
      'src/main.c:12:5: error: expected ;',
      '   12 | int x',
      ...noise(5_000),
      'the end',
    ].join('\n')
    const preview = previewOf(text, options)
    expect(preview).toContain('build of project x')
    expect(preview).toContain('\nsrc/main.c:12:5: error: expected ;\n   12 | int x\n')
    expect(preview.endsWith('the end')).toBe(true)
    expect(preview).toMatch(/\[… [\d,]+ lines: line_range \{ start: \d+, end: \d+ \}\]/)
  })

  it('shows several lines of both ends beside many important lines', () => {
    const commits = Array.from({ length: 300 }, (_, index) => [
      `commit ${createHash('sha1').update(`${index}`).digest('hex')}`,
      `    The error of store ${index} fails with an exception\n`,
    ])
    const text = [...commits.flat(), ' 251 files changed, 1574 insertions(+)'].join('\n')
    const preview = previewOf(text, { ...options, budgetTokens: 600 })
    expect(preview).toContain(commits[0]!.join('\n'))
    expect(preview).toContain('fails with an exception\n\n 251 files changed')
  })

  describe('in a text with many unusual lines', () => {
    const words = 'amber birch cedar delta ember flint grove heath inlet jetty knoll larch marsh north ochre'.split(' ')
    const word = (index: number): string => words[index % words.length]!
    const lines = Array.from({ length: 900 }, (_, index) =>
      index > 40 && index < 860 && index % 9 === 4
        ? `${word(index)} ${word(index * 7)} crosses ${word(index * 5 + 3)}: ${word(index * 11)}!`
        : `row ${index} of the shelf is ${word(index * index)}`,
    )
    const large = { ...options, budgetTokens: 1_000 }
    const text = lines.join('\n')
    const ends = [lines.slice(0, 15).join('\n'), lines.slice(-15).join('\n')]

    it('shows both ends with half of the budget if no line reports a problem, but not of a log', () => {
      for (const end of ends) expect(previewOf(text, large)).toContain(end)
      for (const end of ends) expect(previewOf(text, large, { isLog: true })).not.toContain(end)
      expect(previewOf(text, large)).toContain('crosses')
    })

    it('shows both ends of a file, even if its lines contain words for failures', () => {
      const told = lines.with(450, 'error: the row has no shelf').join('\n')
      for (const end of ends) expect(previewOf(told, large, { isFile: true })).toContain(end)
      for (const end of ends) expect(previewOf(told, large)).not.toContain(end)
    })
  })

  it('shows the settings of a file that consists mostly of comments', () => {
    const settings = Array.from({ length: 12 }, (_, index) => [
      ...Array.from(
        { length: 25 },
        (_, line) => `# ${'abcdefgh'[line % 8]} error of setting ${index} has ${line * 7} causes.`,
      ),
      `${'abcdefghijkl'[index]}-limit ${index * 100}`,
    ])
    const preview = previewOf(settings.flat().join('\n'), options, { isFile: true })
    for (const setting of settings) expect(preview).toContain(setting.at(-1))
  })

  it('shows the first lines of blocks instead of other lines of a text that reports no problem', () => {
    const blocks = Array.from({ length: 12 }, (_, index) => [
      `Chapter ${'abcdefghijkl'[index]} of the manual`,
      ...Array.from({ length: 30 }, (_, line) => `  text ${line} of the chapter with ${(line * 7) % 10} words`),
    ])
    const preview = previewOf(blocks.map((lines) => lines.join('\n')).join('\n\n'), options)
    for (const [chapter] of blocks) expect(preview).toContain(chapter)
    expect(preview).toMatch(/\n\[… \d+ lines, all but these \d+(?:: line_range .*)?\]\n/)
  })

  it('shows the only line that reports an error among long stack traces', () => {
    const failures = [0, 1, 2].flatMap((index) => [
      `test at cart${index}.test.mjs:7:3`,
      `✖ keeps cart ${index} (2.7ms)`,
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      `\n  ${index}.57 !== ${index}.58\n`,
      ...Array.from(
        'abcdef',
        (name, frame) => `      at Test.run${name} (node:internal/test_runner/test:${frame * 37}:18)`,
      ),
      '',
    ])
    const counts = [
      'tests 98',
      'suites 4',
      'pass 93',
      'fail 3',
      'cancelled 1',
      'skipped 1',
      'todo 0',
      'duration_ms 558.02',
    ]
    const passed = Array.from({ length: 93 }, (_, index) => `  ✔ keeps box ${index} (1.${index}ms)`)
    const summary = counts.map((count) => `ℹ ${count}`)
    const text = [...passed, ...failures, ...summary, '\n✖ failing tests:\n', ...failures].join('\n')
    expect(previewOf(text, { ...options, budgetTokens: 200 })).toContain('ℹ fail 3')
  })

  it('shows a stack frame only with the name of the failed test above', () => {
    const failure = (index: number): string => `  ● shop › sells cart ${index}

    expect(received).toBe(expected) // Object.is equality

    Expected: ${index + 11}
    Received: ${index + 10}

      2 | describe('shop', () => {
    > 4 |   test('sells cart ${index}', () => { expect(price(${index}, 10)).toBe(${index + 11}) })
        |                                                    ^
      5 |   test('sells nothing', () => { expect(price(null, 10)).toBeUndefined() })

      at Object.toBe (tests/shop${index}.test.js:4:65)
`
    const failures = Array.from({ length: 12 }, (_, index) => `FAIL tests/shop${index}.test.js\n${failure(index)}`)
    const text = `${failures.join('\n')}\nTests:       12 failed, 12 total\nRan all test suites.`
    const preview = previewOf(text, { ...options, budgetTokens: 600 })
    const frames = [...preview.matchAll(/at Object\.toBe \(tests\/shop(\d+)\./g)]
    expect(frames.length).toBeGreaterThan(3)
    for (const [, index] of frames) expect(preview).toMatch(new RegExp(`● shop › sells cart ${index}(?: \\[×|$)`, 'm'))
  })

  it('shows an important line of a log instead of several lines of both ends', () => {
    const steps = Array.from({ length: 400 }, (_, index) => `${'abcdefgh'[index % 8]} step ${index} of the build`)
    const failure = 'fatal: the disk of the builder is full'
    const lines = [...steps.slice(0, 200), failure, ...steps.slice(200), 'make: *** [all] Error 1']
    const ofLog = previewOf(lines.join('\n'), options, { isLog: true })
    expect(ofLog).toContain(failure)
    expect(ofLog).not.toContain(steps[1])
    expect(previewOf(lines.join('\n'), options)).toContain(steps[1])
  })

  it('does not show a line of marks without the code that it underlines', () => {
    const faults = Array.from({ length: 400 }, (_, index) => [
      `src/a${index}.c:${index}:7: error: unknown name x${index}`,
      ` ${index} | int ${'y'.repeat(30)} = x${index} + ${'z'.repeat(60)};`,
      `${' '.repeat(20 + (index % 40))}^~~~`,
    ])
    const shown = previewOf([...faults.flat(), 'make: *** [all] Error 1'].join('\n'), options)
    expect(shown).toContain('error: unknown name')
    expect(shown).not.toMatch(/^\d+\| *\^~~~$/m)
  })

  it('shows the failures among many indented blocks with braces', () => {
    const block = (index: number, result: string): string =>
      `${result}: [localhost] (item=${index}) => {\n    "changed": false,\n    "item": ${index}\n}`
    const results = Array.from({ length: 200 }, (_, index) =>
      block(index, index === 90 || index === 91 ? 'failed' : 'ok'),
    )
    const text = `PLAY [localhost] ****\n\nTASK [Check ports] ****\n${results.join('\n')}\n\nPLAY RECAP ****\nlocalhost : ok=5 failed=2`
    const shown = previewOf(text, options)
    for (const index of [90, 91]) expect(shown).toContain(`failed: [localhost] (item=${index})`)
  })

  it('shows every error, or counts it in a gap', () => {
    const errors = [0, 1, 2, 700, 701, 900, 1_400, 1_998, 1_999]
    const lines = Array.from({ length: 2_000 }, (_, index) =>
      errors.includes(index)
        ? `2026-08-23 12:00:01 ERROR the shelf ${index} of the warehouse is broken`
        : `2026-08-23 12:00:01 INFO the shelf ${index} of the warehouse was counted`,
    )
    for (const budgetTokens of [50, 55, 60, 65, 70, 75, 80, 300]) {
      const preview = previewOf(lines.join('\n'), { budgetTokens, countTokens })
      const counted = [...preview.matchAll(/(\d+) errors?\b/g)].reduce((sum, [, count]) => sum + Number(count), 0)
      const shown = preview.split('\n').filter((line) => line.includes('ERROR the shelf')).length
      expect(counted + shown, preview).toBe(errors.length)
    }
  })

  it('shows every line that is not blank, or counts it in a gap', () => {
    const text = Array.from({ length: 3_000 }, (_, index) =>
      index % 50 === 0 ? `FAILED tests/t.py::case${index}` : `line ${index}`,
    ).join('\n')
    const preview = previewOf(text, { ...options, budgetTokens: 1_000 })
    let counted = 0
    for (const shown of preview.split('\n').slice(1)) {
      const gap =
        /^\[… ([\d,]+) lines?(?:, \d[^:,]*)*(?:, alike)?(?:, all but these (\d+))?(?:: line_range \{ start: (\d+), end: (\d+) \})?\]$/.exec(
          shown,
        )
      if (gap === null) counted++
      else {
        const lines = Number(gap[1]!.replaceAll(',', ''))
        if (gap[3] !== undefined) expect([Number(gap[3]), Number(gap[4])]).toEqual([counted + 1, counted + lines])
        counted += lines - Number(gap[2] ?? 0)
      }
      const numbered = /^(\d+)\| /.exec(shown)
      if (numbered !== null) expect(shown).toMatch(new RegExp(`(?:line |case)${Number(numbered[1]) - 1}(?:$| \\[)`))
    }
    expect(counted).toBe(3_000)
  })

  it('names the severity of hidden lines, and mentions that they are similar to the line above', () => {
    const text = ['start', ...Array.from({ length: 2_000 }, (_, index) => `error: number ${index}`), 'end'].join('\n')
    expect(previewOf(text, options)).toMatch(/ lines, [\d,]+ errors, alike[\]:]/)
  })

  it('shows how often a line was repeated, ignoring numbers', () => {
    const text = [
      'start',
      ...Array.from({ length: 1_240 }, (_, index) => `error: worker ${index + 1} died`),
      'end',
    ].join('\n')
    const preview = previewOf(text, options)
    expect(preview).toMatch(/error: worker \d+ died \[× 1,240\]/)
    expect(preview.match(/\[× /g)).toHaveLength(1)
  })

  it('shows both ends of a text on one line, and the length of the hidden part', () => {
    const text = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: `user ${id}` })))
    const preview = previewOf(text, options)
    expect(preview).toMatch(/\[\{"id":0.*\[… [\d,]+ more characters …\].*"user 4999"\}\]$/)
    expect(countTokens(preview)).toBeGreaterThan(240)
  })

  it('shows the header and both ends of a listing, even if its lines contain failure words', () => {
    const text = [
      'NAME STATE',
      ...Array.from({ length: 900 }, (_, index) => `timeout-${index} permission denied of ${index}`),
    ].join('\n')
    const preview = previewOf(text, options)
    expect(preview).toContain('NAME STATE')
    expect(preview).toContain('timeout-899 ')
    expect(preview.match(/\[… /g)).toHaveLength(1)
  })

  it('prefers the last lines if the tool failed', () => {
    const text = Array.from({ length: 500 }, (_, index) => `line number ${index}`).join('\n')
    const tail = (preview: string): number => preview.split('\n').filter((line) => /number 4\d\d$/.test(line)).length
    expect(tail(previewOf(text, { ...options, isError: true }))).toBeGreaterThan(tail(previewOf(text, { ...options })))
  })

  it('leaves out times at the start of every line, and mentions them', () => {
    const text = Array.from(
      { length: 900 },
      (_, index) => `2024-05-17T10:21:${String(index % 60).padStart(2, '0')}.482Z request ${index}`,
    ).join('\n')
    const preview = previewOf(text, options)
    expect(preview).toContain('times cut')
    expect(preview).not.toContain('2024-05-17')
  })

  it('shows only the number of lines if nothing else fits', () => {
    const text = Array.from({ length: 500 }, (_, index) => `line number ${index}`).join('\n')
    expect(previewOf(text, { ...options, budgetTokens: 8 })).toBe('[500 lines]')
    expect(previewOf(text, { ...options, budgetTokens: 2 })).toBe('')
  })

  it('shows more lines for a larger budget, and finally the whole text', () => {
    const text = Array.from({ length: 900 }, (_, index) =>
      index % 40 === 7 ? `error: part ${index} broke` : `step ${'x'.repeat(index % 30)} took ${index} ms`,
    ).join('\n')
    const shown = [40, 150, 600, 2_400, 100_000].map((budgetTokens) => {
      const preview = previewOf(text, { ...options, budgetTokens })
      return text.split('\n').filter((line) => preview.includes(line)).length
    })
    expect(shown).toEqual(shown.toSorted((one, other) => one - other))
    expect(new Set(shown).size).toBe(5)
    expect(shown.at(-1)).toBe(900)
  })

  it('shows a rare word of the call in a text that looks like code', () => {
    const text = Array.from({ length: 500 }, (_, index) => `     bool Flag${index}Name = false   {product}`).join('\n')
    const scanner = new TextScanner()
    scanner.push(text)
    const preview = renderTextPreview(scanner.finish(), options, { words: ['flag217name'] })
    expect(preview).toContain('\n218|      bool Flag217Name = false')
  })

  it('shows the text around a rare word of the call in a long line', () => {
    const filler = 'some words of a page that goes on and on. '
    const lines = Array.from({ length: 20 }, (_, index) => `Content ${index}: ${filler.repeat(40)}`)
    lines[11] = `Content 11: ${filler.repeat(20)}A payload has at most 256 KiB. ${filler.repeat(20)}`
    const scanner = new TextScanner()
    scanner.push(lines.join('\n'))
    expect(renderTextPreview(scanner.finish(), options, { words: ['payload'] })).toContain('at most 256 KiB')
  })

  const records = (start: (index: number) => string, indent: string): string =>
    Array.from(
      { length: 90 },
      (_, index) =>
        `${start(index)}\n${indent}weight: ${index % 7} kg\n${indent}shelf: upper left\n${indent}state: ${index === 41 ? 'broken glass' : 'complete'}\n${indent}door: ${index % 3}`,
    ).join('\n')

  it('shows the first line of the record that an unusual line belongs to', () => {
    const preview = previewOf(
      records((index) => `Parcel: P-${index}`, ''),
      options,
    )
    expect(preview).toMatch(/\n206\| Parcel: P-41\n(?:.*\n){0,3}(?:209\| )?state: broken glass\n/)
    expect(preview).not.toContain('Parcel: P-40')
  })

  it('shows an unusual line and its record in a text that looks like code', () => {
    const preview = previewOf(
      records((index) => `*** ${index}. row ***`, '  '),
      options,
    )
    expect(preview).toMatch(/\n206\| \*\*\* 41\. row \*\*\*\n(?:.*\n){0,3}(?:209\| )?  state: broken glass\n/)
  })

  it('shows more text of a long unusual line than of other long lines', () => {
    const request = (index: number): string =>
      `192.0.2.${index % 9} - - "${index === 641 ? 'PUT /basket' : 'GET /pears'}" ${index === 641 ? 507 : 200} ${index + 1_000} "-" "${'A browser of somebody, '.repeat(7)}"`
    const shown = previewOf(Array.from({ length: 900 }, (_, index) => request(index)).join('\n'), options)
    expect(shown).toContain(`\n642| ${request(641)}\n`)
    expect(shown).not.toContain(request(899))
  })

  it('prefers other lines to lines of Base64', () => {
    const encoded = Array.from({ length: 600 }, (_, index) =>
      createHash('sha384').update(String(index)).digest('base64'),
    )
    const head = ['Subject: invoice', 'Content-Type: application/pdf', '', 'Warning: the attachment is large']
    const shown = previewOf([...head, ...encoded, '--end--'].join('\n'), options)
    expect(shown).toContain('Warning: the attachment')
    expect(shown.match(/^\[… /gm)).toHaveLength(1)
  })
})
