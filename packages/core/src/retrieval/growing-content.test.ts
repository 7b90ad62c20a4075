import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { withoutFences } from '../../test/retrieval-fixture.ts'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { createStorage } from '../storage/managed-storage.ts'
import type { EntryWriter } from '../storage/storage.ts'
import { createRetrievalTool, type RetrievalCall } from './retrieval-tool.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const storage = createStorage(new TinyDriver(new TinyDisk(Date.now)), { now: () => Date.now() })
const tool = createRetrievalTool({
  storage,
  scoped: false,
  maxRetrievalTokens: 500,
  countTokens: (text) => Math.ceil(text.length / 4),
})

async function ask(call: RetrievalCall): Promise<string> {
  const { content } = await tool.execute(call)
  return content[0]?.type === 'text' ? withoutFences(content[0].text) : ''
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

let writer: EntryWriter

async function writeLines(...lines: readonly string[]): Promise<void> {
  await writer.write(encode(lines.map((line) => `${line}\n`).join('')))
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
  writer = await storage.openEntry('call_1', 'text/plain', { maxBytes: 262_144 })
})

afterEach(async () => {
  vi.useRealTimers()
  await storage.delete(writer.reference)
})

describe('an answer about content that grows', () => {
  test('shows the lines so far, and gives the call for the next lines', async () => {
    await writeLines('one', 'two')
    await pass(2_000)
    expect(await ask({ reference: writer.reference })).toBe(
      [
        '[Lines 1-2 of 2]',
        '',
        '  1| one',
        '  2| two',
        '',
        '[Still running: 2 lines so far.]',
        `[To continue: retrieve_offloaded_content {"reference":"${writer.reference}","after":2,"wait_seconds":20}]`,
      ].join('\n'),
    )
  })

  test('has only lines after those already shown', async () => {
    await writeLines('one', 'two')
    await pass(2_000)
    await writeLines('three')
    await pass(2_000)
    const answer = await ask({ reference: writer.reference, after: 2 })
    expect(answer).toMatch(/^\[Lines 3-3 of 3\]\n\n {2}3\| three\n\n\[Still running: 3 lines so far/)
    expect(await ask({ reference: writer.reference, after: 3 })).toMatch(
      /^\[No lines after line 3 yet\]\n\[Still running/,
    )
  })

  test('waits for new lines', async () => {
    await writeLines('one')
    await pass(2_000)
    const answer = ask({ reference: writer.reference, after: 1, wait_seconds: 30 })
    await pass(5_000)
    await writeLines('two')
    await pass(3_000)
    expect(await answer).toMatch(/^\[Lines 2-2 of 2\]/)
  })

  test('waits no longer than wait_seconds, and at most 30 seconds', async () => {
    await writeLines('one')
    await pass(2_000)
    for (const [seconds, most] of [
      [3, 4_000],
      [3_600, 31_000],
    ] as const) {
      const answered = vi.fn<(answer: string) => void>()
      void ask({ reference: writer.reference, after: 1, wait_seconds: seconds }).then(answered)
      await pass(most - 1_500)
      expect(answered).not.toHaveBeenCalled()
      await pass(1_500)
      expect(answered).toHaveBeenCalledOnce()
    }
  })

  test('stops waiting if the content ends', async () => {
    await writeLines('one')
    await pass(2_000)
    const answer = ask({ reference: writer.reference, after: 1, wait_seconds: 30 })
    await pass(1_000)
    await writer.close()
    await pass(1_000)
    expect(await answer).toBe('[No lines after line 1: the content has ended]')
  })

  test('waits for a match', async () => {
    await writeLines('starting')
    await pass(2_000)
    const answer = ask({ reference: writer.reference, pattern: 'listening', context_lines: 0, wait_seconds: 30 })
    await writeLines('loading')
    await pass(4_000)
    await writeLines('listening on 8080', 'next')
    await pass(4_000)
    expect(await answer).toMatch(/^\[1 match\]\n\n> 3\| listening on 8080\n\n\[Still running: 4 lines/)
  })

  test('after a wait for a match gives the call that waits for the next match', async () => {
    await writeLines('starting')
    await pass(2_000)
    const next = (after: string): string =>
      `{"reference":"${writer.reference}","pattern":"fail"${after},"wait_seconds":1}]`
    const first = ask({ reference: writer.reference, pattern: 'fail', wait_seconds: 1 })
    await pass(2_000)
    expect(await first).toContain(next(''))
    await writeLines('failed')
    await pass(2_000)
    expect(await ask({ reference: writer.reference, pattern: 'fail', wait_seconds: 1 })).toContain(next(',"after":1'))
  })

  test.each(['one\n', 'one\ntw'])(
    'of lines that are not written yet gives the call that waits, after %j',
    async (written) => {
      await writer.write(encode(written))
      await pass(4_000)
      expect(await ask({ reference: writer.reference, line_range: { start: 5, end: 9 } })).toContain(
        `The output still grows. To wait for more lines: retrieve_offloaded_content {"reference":"${writer.reference}","after":1,"wait_seconds":20}`,
      )
    },
  )

  test('leaves out a line that has not ended', async () => {
    await writer.write(encode('one\ntw'))
    await pass(4_000)
    expect(await ask({ reference: writer.reference, after: 1 })).toMatch(/^\[No lines after line 1 yet\]/)
    await writer.write(encode('o\n'))
    await pass(2_000)
    expect(await ask({ reference: writer.reference, after: 1 })).toContain('  2| two\n')
  })

  test('says that the writer was killed or stopped', async () => {
    await writeLines('one')
    await writer.close({ state: 'aborted' })
    expect(await ask({ reference: writer.reference })).toBe(
      '[Lines 1-1 of 1]\n\n  1| one\n\n[The output was stopped before its end.]',
    )
  })
})

describe('an answer about content without its middle', () => {
  const LINES = 20_000

  beforeEach(async () => {
    for (let line = 1; line <= LINES; line++) await writeLines(`line ${line} `.padEnd(99, '.'))
  })

  const isClosed = [false, true]

  test.each(isClosed)('has the original line numbers (content closed: %s)', async (closed) => {
    if (closed) await writer.close()
    else await pass(4_000)
    const { reference } = writer
    const { omitted } = await storage.stat(reference)
    const last = omitted!.afterLine
    const next = last + omitted!.lines + 1
    expect(await ask({ reference, pattern: `^line (1|${last}|${next}|${LINES}) `, context_lines: 0 })).toMatch(
      new RegExp(
        `^\\[4 matches[^]*\\n> +1\\| line 1 [^]*\\n> +${last}\\| line ${last} [^]*\\n> +${next}\\| line ${next} [^]*\\n> +${LINES}\\| line ${LINES} `,
      ),
    )
    expect(await ask({ reference, line_range: { start: next + 5, end: next + 5 } })).toContain(
      `${next + 5}| line ${next + 5} `,
    )
    expect(await ask({ reference, pattern: `^line ${last} `, context_lines: 1 })).not.toContain(`| line ${next} `)
    expect(await ask({ reference, pattern: `^line ${next} `, context_lines: 1 })).not.toContain(`| line ${last} `)
    expect(await ask({ reference, from_end: true, context_lines: 1 })).toContain(`${LINES}| line ${LINES} `)
    expect(await ask({ reference, query: `${LINES}` })).toContain(`> ${LINES}| line ${LINES} `)
  })

  test('names the lines that were not kept, and continues after them', async () => {
    await writer.close()
    const { reference } = writer
    const { omitted } = await storage.stat(reference)
    const last = omitted!.afterLine
    const next = last + omitted!.lines + 1
    const answer = await ask({ reference, line_range: { start: last, end: next } })
    expect(answer).toContain(`${last}| line ${last} `)
    expect(answer).not.toContain(`line ${next} .`)
    expect(answer).toContain(`"line_range":{"start":${next},"end":${next}}`)
    expect(answer).toMatch(/\n\[Not kept, because the output was over its limit: lines [\d,]+-[\d,]+\]\n/)
    expect(await ask({ reference, line_range: { start: last + 1, end: last + 1 } })).toMatch(
      `Choose lines up to ${last}, or from ${next} on.`,
    )
  })
})
