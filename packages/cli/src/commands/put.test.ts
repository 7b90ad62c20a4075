import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { put, spillway, spillwayProcess, temporaryFolder } from '../../test/spillway.ts'

it('put stores a file with its name and type, and prints its reference', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'Data.CSV'), 'a,b\n1,2\n')
  const ended = await spillway(['put', 'Data.CSV'], { cwd })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^data_csv_\w+\n$/)
  const { stdout } = await spillway(['stat', ended.stdout.trim(), '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ key: 'Data.CSV', contentType: 'text/csv', size: 8 })
})

it.each([[['put']], [['put', '-']]])('put stores standard input: %j', async (args) => {
  const cwd = temporaryFolder()
  const { stdout } = await spillway([...args, '--json'], { cwd, input: 'from a pipe' })
  expect(JSON.parse(stdout)).toMatchObject({ key: 'stdin', contentType: 'text/plain', size: 11 })
})

it('put uses --type and --name even if the content looks different', async () => {
  const args = ['put', '--json', '--type', 'application/x-my', '--name', 'Mine']
  const { stdout } = await spillway(args, { cwd: temporaryFolder(), input: '{}' })
  expect(JSON.parse(stdout)).toMatchObject({ key: 'Mine', contentType: 'application/x-my' })
  expect((JSON.parse(stdout) as { reference: string }).reference).toMatch(/^mine_/)
})

it('put refuses an invalid --type before it reads the file', async () => {
  const ended = await spillway(['put', 'missing', '--type', 'text'], { cwd: temporaryFolder() })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/^spillway: option '-t, --type <mime>' .* Write a MIME type, such as text\/plain/)
})

it('put treats bytes with a NUL as binary if no type is given', async () => {
  const { stdout } = await spillway(['put', '--json'], { cwd: temporaryFolder(), input: new Uint8Array([1, 0, 2]) })
  expect(JSON.parse(stdout)).toMatchObject({ contentType: 'application/octet-stream' })
})

it.each([
  ['table.csv', Buffer.from('\ufeffid,name\r\n7,Zoë\r\n', 'utf16le'), 'text/csv', 'Zoë'],
  ['notes', Buffer.from('one\r\ntwo\r\n', 'utf16le'), 'text/plain', 'two'],
  ['dump.bin', Buffer.from('one\ntwo\n'), 'text/plain', 'two'],
  ['names.log', Buffer.from('./one\0./two\0./three\0'), 'text/x-log', '/two'],
])('put stores %s as text, which a pattern finds, and returns its bytes', async (name, bytes, contentType, word) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, name), bytes)
  const stored = JSON.parse((await spillway(['put', name, '--json'], { cwd })).stdout) as { reference: string }
  expect(stored).toMatchObject({ contentType })
  const found = await spillway(['get', stored.reference, '--pattern', word], { cwd })
  expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining(word) })
  expect((await spillway(['get', stored.reference, '--raw'], { cwd })).stdoutBytes.equals(bytes)).toBe(true)
})

it('put stores binary content as binary, with any file name', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'old.log'), Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xcd, 1, 2, 3))
  const { stdout } = await spillway(['put', 'old.log', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ contentType: 'application/gzip' })
})

it('put stores a separate text for each of two PDFs with the same name', async () => {
  const cwd = temporaryFolder()
  const references: string[] = []
  for (const month of ['starts', 'halted']) {
    const { stdout } = await spillway(['put', '--name', 'a.pdf'], { cwd, input: PDF.replace('starts', month) })
    references.push(stdout.trim())
  }
  for (const [index, month] of ['starts', 'halted'].entries()) {
    const refused = await spillway(['get', references[index]!, '--pattern', 'engine'], { cwd })
    const [, text = ''] = /spillway get (a_pdf_text_\w+)/.exec(refused.stderr) ?? []
    expect((await spillway(['get', text], { cwd })).stdout).toContain(`The engine ${month}.`)
  }
})

/** A PDF of one page, with text in Helvetica. */
const PDF = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> endobj
4 0 obj << /Length 44 >> stream
BT /F 9 Tf 9 50 Td (The engine starts.) Tj ET
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
trailer << /Root 1 0 R >>
`

it('put also stores the text of a PDF, and the text can be searched', async () => {
  const cwd = temporaryFolder()
  const ended = await spillway(['put'], { cwd, input: PDF })
  expect(ended.stdout).toMatch(/^stdin_\w+\n$/)
  expect(ended.stderr).toMatch(/^spillway: its text: stdin_text_\w+\n$/)
  const [, text = ''] = /^spillway: its text: (\w+)\n$/.exec(ended.stderr) ?? []
  expect((await spillway(['get', text, '--pattern', 'engine'], { cwd })).stdout).toContain('The engine starts.')
  const { stdout } = await spillway(['put', '--json'], { cwd, input: PDF })
  expect(JSON.parse(stdout)).toMatchObject({ contentType: 'application/pdf', text })
})

it('put stores an unreadable PDF, and says that its text cannot be searched', async () => {
  const ended = await spillway(['put'], { cwd: temporaryFolder(), input: '%PDF-1.7 and nothing more' })
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('the text of the file cannot be searched: ') })
})

it('put gives the same reference for the same content', async () => {
  const cwd = temporaryFolder()
  const reference = await put('twice', cwd)
  expect(await put('twice', cwd)).toBe(reference)
  expect(await put('other', cwd)).not.toBe(reference)
})

it('put stores empty input, and input over 8 MiB, byte for byte', async () => {
  const cwd = temporaryFolder()
  const large = Buffer.alloc(9_000_000, 'A line of a file that is too large to be held.\n')
  const empty = await put('', cwd)
  expect(await spillway(['get', empty], { cwd })).toMatchObject({ code: 0, stdout: '' })
  const { stdout } = await spillwayProcess(['put', '--quiet'], { cwd, input: large })
  const { stdoutBytes } = await spillwayProcess(['get', stdout.trim()], { cwd })
  expect(stdoutBytes.equals(large)).toBe(true)
})

it.each([
  ['missing', /^spillway: missing: no such file\. Nothing was stored\.\n$/],
  ['folder', /^spillway: folder: is a directory\. Nothing was stored\.\n$/],
])('put fails with one line for an unreadable file: %s', async (name, message) => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'folder'))
  const ended = await spillway(['put', name], { cwd })
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toMatch(message)
})
