import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanLine } from './clean-line.ts'

describe('cleanLine', () => {
  it.each([
    ['plain', 'plain'],
    ['blanks at the end \t', 'blanks at the end'],
    ['\u001b[1;31mred\u001b[0m and \u001b[38;5;12mblue\u001b[m', 'red and blue'],
    ['\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007', 'link'],
    [' 10%\r 50%\r100%', '100%'],
    ['Downloading 50%\rDownloading 100%\r', 'Downloading 100%'],
    ['fold:start\r\u001b[0K$ make', '$ make'],
    [
      'time:end:123\r\u001b[0Kfold:end\r\u001b[0K\u001b[31;1mThe command exited with 1.\u001b[0m',
      'The command exited with 1.',
    ],
    ['error: a long message that stays\rok', 'error: a long message that stays ok'],
    ['N\bNA\bAM\bME\bE', 'NAME'],
    ['at  5%\b\b\b 50%\b\b\b\b100%', 'at 100%'],
    ['\b\b|\b/\b-\bdone', 'done'],
    ['at  5%\u001b[3D 50%\u001b[4D100%', 'at 100%'],
    ['step 1 of 2\u001b[1000Dstep 2 of 2', 'step 2 of 2'],
    ['\u001b[2K\u001b[1G[1/4] resolving all packages\u001b[2K\u001b[1G[2/4] fetching', '[2/4] fetching'],
    ['a long state of progress\r\u001b[32mshort\u001b[K', 'short'],
    ['src/a.ts:\u001b[01;31m\u001b[Kmatch\u001b[m\u001b[K behind', 'src/a.ts:match behind'],
    ['a\u0000b\u0007c', 'abc'],
    ['a\u009b2Jb\u0085c\u009dd', 'a2Jbcd'],
    ['\uFEFFfirst', 'first'],
    ['line\r', 'line'],
    ['line\r\r', 'line'],
    ['\u001b[', ''],
    ['broken \u001b[12', 'broken'],
  ])('cleans %j to %j', (raw, shown) => {
    expect(cleanLine(raw)).toBe(shown)
  })

  it('removes all control characters except tabs, and changes nothing if repeated', () => {
    const part = fc.constantFrom(
      '\u001b',
      '[',
      '31',
      'm',
      '\r',
      '\b',
      'a',
      ' ',
      '\t',
      '\u0007',
      ']',
      '\u001b[K',
      '\u009b',
      'é',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const shown = cleanLine(parts.join(''))
        expect(shown).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
        expect(cleanLine(shown)).toBe(shown)
      }),
      { numRuns: 2_000 },
    )
  })
})
