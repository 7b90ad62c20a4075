import { countSlowTurns } from '@spillway-internal/test-inputs'
import { describe, expect, it } from 'vitest'
import { countTokens, fail, storageOf, toolOf } from '../../test/retrieval-fixture.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'
import { createRetrievalTool } from './retrieval-tool.ts'

describe('a failed retrieval', () => {
  it('names up to ten existing references in a scope', async () => {
    const entries = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`log_${index}`, { content: 'x' }]))
    const { code, text } = await fail(toolOf(entries, { scoped: true }), { reference: 'log_99' })
    expect(code).toBe('not-found')
    expect(text).toContain('Nothing is stored under "log_99". Most similar: log_9 (text/plain, 1 byte), ')
    expect(text).toContain('. The newest 10 of 12 references: log_11 (text/plain, 1 byte), log_10')
    expect(text).not.toContain('log_1 ')
    expect(text).not.toContain('secret-host')
    expect((await fail(toolOf({}, { scoped: true }), { reference: 'log_99' })).text).toContain(
      'Nothing is stored here.',
    )
  })

  it('names references that are similar to an unknown reference first, even if only the key is similar', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `call_${index}_${String(index).repeat(20).slice(0, 20)}`,
        { content: 'x', key: index === 3 ? 'toolu_01AbCdEf_0' : `key_${index}` },
      ]),
    )
    const tool = toolOf(entries, { scoped: true })
    const likely = async (reference: string): Promise<string | undefined> =>
      /Most similar: (\w+)/.exec((await fail(tool, { reference })).text)?.[1]
    expect(await likely('call_7_77777777777777777')).toBe('call_7_77777777777777777777')
    expect(await likely('call_12_12121212121212121219')).toBe('call_12_12121212121212121212')
    expect(await likely('toolu_01AbCdEf')).toBe('call_3_33333333333333333333')
    expect(await likely('zz')).toBeUndefined()
    const same = { january: { content: 'x', key: 'invoice.pdf' }, february: { content: 'x', key: 'invoice.pdf' } }
    const { text } = await fail(toolOf(same, { scoped: true }), { reference: 'invoice_pdf' })
    expect(text).toMatch(/Most similar: february \([^)]*\), january \(/)
    expect(await likely('x'.repeat(3_000))).toBeUndefined()
  })

  it('says when and why content was evicted, and which tool to run again', async () => {
    const eviction = {
      reason: 'turns',
      evictedAt: Date.UTC(2026, 1, 3, 4, 5, 6),
      metadata: { tool: 'read_log' },
    } as const
    const entries = {
      log: new StorageError('evicted', 'gone', { eviction }),
      bare: new StorageError('evicted', 'gone'),
    }
    const { code, text } = await fail(toolOf(entries), { reference: 'log', pattern: 'x' })
    expect(code).toBe('evicted')
    expect(text).toBe(
      'Error: "log" was removed from storage at 2026-02-03T04:05:06Z, because it had not been used for many turns. ' +
        'Run the tool "read_log" again to get a fresh result.',
    )
    expect((await fail(toolOf(entries), { reference: 'bare' })).text).toBe(
      'Error: "bare" was removed from storage. Run the tool that returned it again to get a fresh result.',
    )
  })

  it('has the error code of the storage and says what to do, but hides the message, which may contain hosts', async () => {
    const codes = ['unavailable', 'invalid-reference', 'corrupt', 'unsupported', 'aborted'] as const
    const tool = toolOf(Object.fromEntries(codes.map((code) => [code, new StorageError(code, 'at secret-host')])))
    for (const code of codes) {
      const failure = await fail(tool, { reference: code, line_range: { start: 1, end: 2 } })
      expect(failure.code).toBe(code)
      expect(failure.text).not.toContain('secret-host')
    }
    expect((await fail(tool, { reference: 'unavailable' })).text).toContain('try the same call again')
    expect((await fail(tool, { reference: 'invalid-reference' })).text).toBe(
      'Error: "invalid-reference" is not a reference: paths and addresses are not accepted. Copy one exactly as it ' +
        'is written under [Stored references:].',
    )
  })

  it('names the valid reference inside an invalid reference', async () => {
    const invalid = new StorageError('invalid-reference', 'It has brackets.')
    const tool = toolOf({ '[log_9]': invalid, log_9: { content: 'x' } }, { scoped: true })
    expect((await fail(tool, { reference: '[log_9]' })).text).toMatch(/Most similar: .*, log_9 \(/)
  })

  it('has an example with the reference of the call', async () => {
    const { text } = await fail(toolOf({ log: { content: 'x' } }), { reference: 'log', regex: 'x' })
    expect(text).toContain('A valid call: retrieve_offloaded_content {"reference":"log","pattern":')
    const without = await fail(toolOf({ log: { content: 'x' } }), { reference: '', json_path: '$' })
    expect(without.text).toContain('A valid call: retrieve_offloaded_content {"reference":"call_1_0_')
  })

  it('is an outage, not a missing entry, if the storage throws other errors', async () => {
    const storage: Storage = {
      store: async (key) => key,
      retrieve: () => Promise.reject(new Error('secret-host is down')),
    }
    const tool = createRetrievalTool({ storage, scoped: false, maxRetrievalTokens: 500, countTokens })
    const { code, text } = await fail(tool, { reference: 'log' })
    expect(code).toBe('unavailable')
    expect(text).not.toContain('secret-host')
  })

  it('names no reference if the call searched everything', async () => {
    const list: Storage['list'] = () => {
      throw new StorageError('unavailable', 'The disk is full.')
    }
    const storage: Storage = { ...storageOf({}, true), list }
    const tool = createRetrievalTool({ storage, scoped: true, maxRetrievalTokens: 500, countTokens })
    expect((await fail(tool, { pattern: 'x' })).text).toContain('so the content could not be read.')
  })

  it('names the number of lines, or the right order of the ends, if a range is invalid', async () => {
    const tool = toolOf({ log: { content: 'a\nb\n' } })
    for (const pattern of [undefined, 'a', 'a+']) {
      expect(await fail(tool, { reference: 'log', pattern, line_range: { start: 3, end: 9 } })).toEqual({
        code: 'invalid-range',
        text: 'Error: line_range.start (3) is beyond the end of the content, which has 2 lines. Choose lines between 1 and 2.',
      })
    }
    const reversed = await fail(tool, { reference: 'log', line_range: { start: 2, end: 1 } })
    expect(reversed.code).toBe('invalid-range')
    expect(reversed.text).toContain('retrieve_offloaded_content {"reference":"log","line_range":{"start":1,"end":2}}')
  })

  it('says how to get binary content as media', async () => {
    const tool = toolOf({ image: { content: 'x', contentType: 'image/png' } })
    for (const input of [{ pattern: 'x' }, { line_range: { start: 1, end: 2 } }, { context_lines: 3 }]) {
      const { code, text } = await fail(tool, { reference: 'image', ...input })
      expect(code).toBe('not-text')
      expect(text).toContain('retrieve_offloaded_content {"reference":"image"}')
    }
  })

  it('has the call that reads the stored text of a document', async () => {
    const entries = {
      pdf: { content: '%PDF-', contentType: 'application/pdf', key: 'invoice.pdf' },
      older: { content: 'x', metadata: { 'text-of': 'pdf' }, storedAt: 5 },
      text: { content: 'x', metadata: { 'text-of': 'pdf' }, contentType: 'text/markdown' },
      // Another document with the same name, which was stored later.
      other: { content: '%PDF-1', contentType: 'application/pdf', key: 'invoice.pdf' },
      otherText: { content: 'x', key: 'invoice.pdf_text', metadata: { 'text-of': 'other' } },
      without: { content: '%PDF-2', contentType: 'application/pdf', key: 'invoice.pdf' },
    }
    const tool = toolOf(entries, { scoped: true })
    expect((await fail(tool, { reference: 'pdf', pattern: 'x', ignore_case: true })).text).toBe(
      'Error: This content is binary. To read its text: ' +
        'retrieve_offloaded_content {"reference":"text","pattern":"x","ignore_case":true}',
    )
    expect((await fail(tool, { reference: 'pdf', line_range: { start: 1, end: 2 } })).text).toContain(
      'retrieve_offloaded_content {"reference":"text","line_range":{"start":1,"end":2}}',
    )
    expect((await fail(tool, { reference: 'without', pattern: 'x' })).text).not.toContain('stored beside')
    expect((await fail(toolOf(entries), { reference: 'pdf', pattern: 'x' })).text).not.toContain('"text"')
  })

  it('says what to change if a pattern takes too long or is too large', async () => {
    const tool = toolOf({ log: { content: `${'a'.repeat(5_000)}!` } }, { deadlineMs: 50 })
    expect(await fail(tool, { reference: 'log', pattern: '(a|aa)+(?!b)$' })).toMatchObject({
      code: 'pattern-timeout',
      text: expect.stringContaining('look-around') as string,
    })
    expect(await fail(tool, { reference: 'log', pattern: 'a'.repeat(1_001) })).toMatchObject({
      code: 'pattern-refused',
      text: expect.stringContaining('1,001 characters') as string,
    })
    expect(
      await fail(toolOf({ log: { content: 'a' } }, { deadlineMs: 10_000 }), {
        reference: 'log',
        pattern: '(?:x?){99999999}',
      }),
    ).toMatchObject({ code: 'pattern-refused' })
  })

  it('is reported as an error even if it happens during reading', async () => {
    const content = new TextEncoder().encode('line\n'.repeat(40_000))
    const size = content.length
    const storage: Storage = {
      store: async (key) => key,
      retrieve: () => Promise.reject(new Error('not used')),
      retrieveRange: async (_reference, { offset, length }) => {
        const end = Math.min(offset + length, 100_000)
        return { content: content.slice(offset, Math.max(offset, end)), contentType: 'text/plain', size }
      },
    }
    const tool = createRetrievalTool({ storage, scoped: false, maxRetrievalTokens: 500, countTokens })
    expect((await fail(tool, { reference: 'log', pattern: 'x' })).code).toBe('corrupt')
  })

  it('is an answer if the call was aborted', async () => {
    const result = await toolOf({ log: { content: 'x' } }).execute(
      { reference: 'log' },
      { signal: AbortSignal.abort() },
    )
    expect(result).toMatchObject({ isError: true, code: 'aborted' })
  })

  it('keeps its own message even if listing the existing references fails, too', async () => {
    const storage: Storage = {
      ...storageOf({}, true),
      list: () => {
        throw new Error('secret-host is down')
      },
    }
    const tool = createRetrievalTool({ storage, scoped: true, maxRetrievalTokens: 500, countTokens })
    const { code, text } = await fail(tool, { reference: 'log' })
    expect(code).toBe('not-found')
    expect(text).toContain('Use a reference exactly as it is written')
    expect((await fail(tool, { pattern: 'x' })).code).toBe('unavailable')
  })

  it('ends a running search if the call is aborted', async () => {
    const controller = new AbortController()
    // The content is too large to be read at once.
    const content = new TextEncoder().encode('line\n'.repeat(4_000_000))
    let reads = 0
    const storage: Storage = {
      ...storageOf({}, false),
      retrieveRange: async (_reference, { offset, length }) => {
        if (++reads === 3) controller.abort()
        return { content: content.slice(offset, offset + length), contentType: 'text/plain', size: content.length }
      },
    }
    const tool = createRetrievalTool({
      storage,
      scoped: false,
      maxRetrievalTokens: 500,
      countTokens,
      blockBytes: 65_536,
    })
    const result = await tool.execute({ reference: 'log', pattern: 'x' }, { signal: controller.signal })
    expect(result).toMatchObject({ isError: true, code: 'aborted' })
    expect(reads).toBeLessThan(10)
  })

  it('is thrown if a function in the options failed', async () => {
    const tool = toolOf(
      { log: { content: 'x' } },
      {
        countTokens: () => {
          throw new TypeError('no tokenizer')
        },
      },
    )
    await expect(tool.execute({ reference: 'log' })).rejects.toThrow('no tokenizer')
  })
})

describe('retrievals of several callers at the same time', () => {
  const content = 'a line of the log\n'.repeat(5_000)
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`log_${index}`, { content }]))

  it.each([
    ['in one result', { log: { content } }, { reference: 'log', pattern: 'absent' }],
    ['in all results', many, { pattern: 'absent' }],
  ])('take turns, so that a caller with many searches %s delays another caller by only a few', async (...values) => {
    const [, entries, search] = values
    const storage = storageOf(entries, true)
    let reads = 0
    const counted: Storage = { ...storage, retrieveRange: (...read) => (reads++, storage.retrieveRange!(...read)) }
    const greedy = createRetrievalTool({ storage: counted, scoped: true, maxRetrievalTokens: 500, countTokens })
    const other = toolOf({ log: { content } })
    // The first call loads the code of searches.
    await greedy.execute(search)
    reads = 0
    const controller = new AbortController()
    // Searches of a fast processor yield too.
    await countSlowTurns(async () => {
      const searches = Array.from({ length: 64 }, () => greedy.execute(search, { signal: controller.signal }))
      await new Promise((resolve) => setImmediate(resolve))
      await other.execute({ reference: 'log', line_range: { start: 10, end: 20 } })
      expect(reads).toBeLessThan(40)
      controller.abort()
      await Promise.all(searches)
    })
  })
})
