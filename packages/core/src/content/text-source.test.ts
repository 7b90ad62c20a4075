import { expect, it } from 'vitest'
import { bytesOf, png } from '@spillway-internal/test-inputs'
import { textOf, toolOf } from '../../test/retrieval-fixture.ts'

const LINES = Array.from(
  { length: 900 },
  (_, line) => `${line + 1}: ${line === 611 ? 'SourceNotFound: é' : 'installed'}`,
)
const LOG = LINES.join('\r\n')
const wide = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'))
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const MIXED = bytesOf(encode(`${'an older line\n'.repeat(9_000)}`), wide('SourceNotFound: once\n'), encode('the end\n'))

async function ask(content: Uint8Array, contentType: string, input: object): Promise<string> {
  const entries = { file: { content, contentType }, other: { content: 'nothing' } }
  return textOf(await toolOf(entries, { scoped: true }).execute({ reference: 'file', ...input }))
}

it.each([
  ['UTF-16 with a mark', wide(`\ufeff${LOG}`), 'text/plain'],
  ['UTF-16 without a mark', wide(LOG), 'text/csv'],
  ['UTF-16BE', new Uint8Array(Buffer.from(`\ufeff${LOG}`, 'utf16le').swap16()), 'text/x-log'],
  ['UTF-16 that is declared as nothing', wide(`\ufeff${LOG}`), 'application/octet-stream'],
  ['UTF-8 that is declared as nothing', encode(LOG), 'application/x-made-up'],
  ['UTF-8 with a NUL', encode(LOG.replace('installed', 'in\0stalled')), 'text/plain'],
])('reads %s by lines, patterns and words', async (_name, content, contentType) => {
  expect(await ask(content, contentType, { pattern: 'SourceNotFound: .$' })).toContain('> 612| 612: SourceNotFound: é')
  expect(await ask(content, contentType, { line_range: { start: 612, end: 612 } })).toContain(
    '| 612: SourceNotFound: é',
  )
  expect(await ask(content, contentType, { query: 'SourceNotFound' })).toContain('612: SourceNotFound: é')
  expect(await ask(content, contentType, { pattern: 'no such' })).toContain('searched 900 lines')
  expect(await ask(content, contentType, { reference: undefined, pattern: 'SourceNotFound' })).toContain('> 612|')
  expect(await ask(content, contentType, { reference: undefined, query: 'SourceNotFound' })).toContain('612: Source')
})

it('finds what a part in UTF-16 has, on the line that it has in the stored bytes', async () => {
  expect(await ask(MIXED, 'text/plain', { pattern: 'NotFound' })).toContain('> 9001| SourceNotFound: once')
  expect(await ask(MIXED, 'text/plain', { query: 'SourceNotFound' })).toContain('9001| SourceNotFound: once')
  expect(await ask(MIXED, 'text/plain', { line_range: { start: 9_002, end: 9_002 } })).toContain('the end')
})

it('shows NULs as signs, so that an answer has none', async () => {
  const names = encode(Array.from({ length: 1_501 }, (_, index) => `./src/file-${index}.ts\0`).join(''))
  const answer = await ask(names, 'text/plain', { pattern: 'file-777\\.ts' })
  expect(answer).toContain('␀./src/file-777.ts␀')
  expect(answer).not.toContain('\0')
})

it.each([
  ['declared as text', png(800, 600), 'text/plain'],
  ['declared as a table', bytesOf('PK\x03\x04\x14\0\0\0\b\0', 0xff, 0xee, '\x01\x02\x03\x04'), 'text/csv'],
  ['declared as nothing', png(800, 600), 'application/octet-stream'],
])('never claims to have searched binary content that is %s', async (_name, content, contentType) => {
  for (const input of [{ pattern: 'a' }, { query: 'a' }, { line_range: { start: 1, end: 2 } }, { where: 'a = 1' }])
    expect(await ask(content, contentType, input)).toMatch(/^Error: This content is binary/)
  const inScope = await ask(content, contentType, { reference: undefined, pattern: 'absent' })
  expect(inScope).toContain('1 stored result')
  expect(inScope).toMatch(/1 binary/)
  expect(await ask(content, contentType, { reference: undefined, query: 'absent' })).toContain('in 1 stored result')
})
