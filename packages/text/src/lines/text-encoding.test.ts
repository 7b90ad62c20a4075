import { bytesOf, png } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { execFileSync } from 'node:child_process'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { NulFilter, textEncodingOf } from './text-encoding.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const LOG = Array.from({ length: 300 }, (_, line) => `12:00:${line % 60} INFO request ${line} was served\n`).join('')
const NAMES = Array.from({ length: 400 }, (_, index) => `./src/part-${index % 7}/file-${index}.ts\0`).join('')
const GERMAN = 'Größe geändert: Übertragung läuft für Straße\n'.repeat(40)
const RUSSIAN = 'Ошибка 17: не удалось открыть файл\n'.repeat(40)
const MARK = '\ufeff'

function wide(text: string, isBigEndian = false): Uint8Array {
  const bytes = Buffer.from(text, 'utf16le')
  return new Uint8Array(isBigEndian ? bytes.swap16() : bytes)
}

/** Deterministic bytes that are as uniform as compressed data. */
function noise(length: number): Uint8Array {
  let state = 7
  return Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) >> 8)
}

describe('textEncodingOf', () => {
  it.each([
    ['nothing', ''],
    ['a control', '\u000e'],
    ['a log', LOG],
    ['a log with one NUL', `${LOG}ab\0cd\n${LOG}`],
    ['a log padded with NULs', `node-1${'\0'.repeat(10)} ready\n${LOG}node-2${'\0'.repeat(900)} ready\n`],
    ['a log that was truncated while a process wrote to it', `${'\0'.repeat(20_001)}${LOG}`],
    ['names from find -print0', NAMES],
    ['short hashes from git log -z', Array.from({ length: 90 }, (_, index) => `${1_234_567 + index}\0`).join('')],
    ['three-digit numbers and NULs', Array.from({ length: 900 }, (_, index) => `${index + 100}\0`).join('')],
    ['fields separated by SOH', '8=FIX.4.4\u00019=148\u000135=D\u000149=BUYER\u000156=SELLER\n'.repeat(20)],
    ['colored output', '\u001b[31mfailed\u001b[0m\b\b 10%\r 20%\u0007\n'.repeat(20)],
    ['emoji', '✅ done 🎉\n'.repeat(99)],
  ])('is UTF-8 for %s', (_name, text) => {
    expect(textEncodingOf(encode(text))).toBe('utf-8')
  })

  it.each([
    ['Latin-1', bytesOf(GERMAN)],
    ['Latin-1 with a NUL', bytesOf(`${GERMAN}a\0b`)],
    ['a log with damaged UTF-8 and NULs', bytesOf(NAMES, 0xe9, NAMES)],
    ['a log with a part in UTF-16', bytesOf(encode(LOG.slice(0, 4_000)), wide(LOG.slice(0, 900)), encode(LOG))],
    ['UTF-8 with its mark', encode(`${MARK}${GERMAN}`)],
    ['a truncated character', encode(`${'a'.repeat(8_191)}é`)],
  ])('decodes %s as UTF-8', (_name, bytes) => {
    expect(textEncodingOf(bytes)).toBe('utf-8')
  })

  it.each([
    ['a log', LOG],
    ['German', GERMAN],
    ['Russian', RUSSIAN],
    ['a table', 'id,name\r\n1,Ann\r\n2,Bob\r\n'.repeat(9)],
    ['a short line', 'no\r\n'],
  ])('is UTF-16 for %s in UTF-16, with or without a byte order mark', (_name, text) => {
    for (const written of [text, MARK + text]) {
      expect(textEncodingOf(wide(written))).toBe('utf-16le')
      expect(textEncodingOf(wide(written, true))).toBe('utf-16be')
    }
  })

  it('is UTF-16 for Chinese with a byte order mark', () => {
    expect(textEncodingOf(wide(`${MARK}${'错误：找不到文件。\n'.repeat(30)}`))).toBe('utf-16le')
  })

  it.each([
    ['a PNG', png(8, 6)],
    ['gzip', new Uint8Array(gzipSync(LOG))],
    ['a zip of a deflated file', bytesOf('PK\x03\x04\x14\0\0\0\b\0', new Uint8Array(deflateRawSync(LOG)))],
    ['a program', new Uint8Array(execFileSync('head', ['-c', '8192', process.execPath]))],
    ['noise', noise(8_192)],
    ['a few random bytes', noise(200)],
    ['random bytes after a UTF-16 byte order mark', bytesOf(0xff, 0xfe, noise(8_192))],
    ['UTF-32', new Uint8Array(Uint32Array.from(`${MARK}${LOG}`, (character) => character.codePointAt(0)!).buffer)],
    ['16-bit samples', new Uint8Array(Int16Array.from({ length: 4_000 }, (_, at) => 200 * Math.sin(at / 9)).buffer)],
    ['32-bit numbers', new Uint8Array(Uint32Array.from({ length: 2_000 }, (_, at) => at * 3).buffer)],
    ['zeros', new Uint8Array(9_000)],
  ])('returns binary for %s', (_name, bytes) => {
    expect(textEncodingOf(bytes)).toBeUndefined()
  })

  it('is the same with or without a NUL in a text', () => {
    const line = fc.stringMatching(/^[ -~\u00a1-\u02ff]{1,60}$/)
    fc.assert(
      fc.property(fc.array(line), fc.nat(), (lines, at) => {
        const text = lines.join('\n')
        const index = at % (text.length + 1)
        expect(textEncodingOf(encode(`${text.slice(0, index)}\0${text.slice(index)}`))).toBe('utf-8')
      }),
      propertyRuns(100, 2_000),
    )
  })
})

it.each([
  ['plain', 'plain'],
  ['E\0R\0R\0O\0R\0', 'ERROR'],
  ['\0E\0R\0R\0O\0R', 'ERROR'],
  ['./one\0./two\0', './one ./two '],
  [`node-1${'\0'.repeat(10)} ready`, 'node-1 ready'],
  ['ab\0cd', 'ab cd'],
])('decoding %j gives %j', (text, shown) => {
  expect(withoutNuls([text])).toBe(shown)
})

it('decoding gives the same text for any chunks', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('\0', 'a', 'b', '\n'), maxLength: 5 }))
  fc.assert(
    fc.property(pieces, (split) => {
      expect(withoutNuls(split)).toBe(withoutNuls([split.join('')]))
    }),
    propertyRuns(300, 6_000),
  )
})

function withoutNuls(pieces: readonly string[]): string {
  const filter = new NulFilter()
  return pieces.map((piece) => filter.push(piece)).join('') + filter.finish()
}
