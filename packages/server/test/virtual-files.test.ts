import { describe, expect, it } from 'vitest'
import { ASK, END, LARGE, call, offload, read, result } from './reme-requests.ts'
import { startService, type TestService } from './start-service.ts'

describe('/grep', () => {
  async function withFiles(): Promise<TestService> {
    const service = await startService()
    const messages = [
      ASK,
      call('a'),
      result('a', `${LARGE}\nan Error here\n`),
      call('b'),
      result('b', `${LARGE}\n  an ERROR there  `),
      ...END,
    ]
    await offload(service, messages, { context_manage_mode: 'compact', store_dir: './cache_file/' })
    await offload(service, [ASK, call('c'), result('c', `${LARGE}\nno problem`), ...END], {
      context_manage_mode: 'compact',
      store_dir: 'other',
    })
    return service
  }

  it('answers in the documented format', async () => {
    const service = await withFiles()
    const { json } = await service.post('/grep', {
      pattern: 'an error',
      path: './cache_file/',
      glob: '*.txt',
      limit: 100,
    })
    expect(json.answer).toBe(
      [
        'Found 2 matches for pattern "an error" in path "./cache_file/" (filter: "*.txt"):',
        '---',
        'File: tool_call_a.txt',
        'L3001: an Error here',
        '---',
        'File: tool_call_b.txt',
        'L3001: an ERROR there',
        '---',
      ].join('\n'),
    )
    expect(json).toMatchObject({
      success: true,
      messages: [],
      metadata: { matches: ['./cache_file/tool_call_a.txt', './cache_file/tool_call_b.txt'] },
    })
    for (const path of json.metadata['matches'] as unknown as string[])
      expect(await read(service, path)).toMatch(/an error/i)
  })

  it.each<[object, string]>([
    [
      { pattern: 'an error', limit: 1 },
      'Found 1 match for pattern "an error" in the workspace directory:\n---\nFile: cache_file/tool_call_a.txt\n',
    ],
    [{ pattern: 'an error', limit: 1.0, path: null, glob: null }, 'Found 1 match for'],
    [{ pattern: 'no such thing' }, 'No matches found for pattern "no such thing" in the workspace directory.'],
    [
      { pattern: 'x', path: 'cache_file', glob: '*.json' },
      'No matches found for pattern "x" in path "cache_file" (filter: "*.json").',
    ],
    [{ pattern: 'error', path: 'nowhere' }, 'No matches found'],
    [{ pattern: '^an error (here|there)$' }, 'Found 1 match'],
    [{ pattern: 'here|(' }, 'No matches found'],
    [{ pattern: 'an error', glob: '{cache_file,x}/*_b.txt' }, 'Found 1 match'],
    [{ pattern: 'problem', path: '/workspace/other' }, 'Found 1 match'],
  ])('answers %j in the documented format', async (body, answer) => {
    const service = await withFiles()
    const { json } = await service.post('/grep', body)
    expect(json.answer.startsWith(answer), json.answer).toBe(true)
  })

  it.each<[object, number]>([
    [{ pattern: '' }, 422],
    [{}, 422],
    [{ pattern: 'a', limit: 0 }, 422],
    [{ pattern: 'a', path: 'cache_file/tool_call_a.txt' }, 400],
    [{ pattern: 'a', path: '../cache_file' }, 400],
    [{ pattern: 'a', glob: '../*' }, 400],
  ])('refuses %j', async (body, status) => {
    const service = await withFiles()
    expect(await service.post('/grep', body)).toMatchObject({ status, json: { success: false, messages: [] } })
  })
})

describe('/read_file', () => {
  async function withFile(text: string): Promise<TestService> {
    const service = await startService()
    await offload(service, [ASK, call('a'), result('a', text), ...END], {
      context_manage_mode: 'compact',
      store_dir: './cache_file/',
      max_total_tokens: 1,
      max_tool_message_tokens: 1,
    })
    return service
  }

  it('returns pages that together equal the file, with the numbers of their lines', async () => {
    const service = await withFile(LARGE)
    const pages: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { json } = await service.post('/read_file', {
        absolute_path: './cache_file/tool_call_a.txt',
        offset,
        limit: 700,
      })
      expect(json.metadata).toMatchObject({ total_lines: 3_000, start_line: offset })
      pages.push(json.answer)
      offset = json.metadata['next_offset']
    }
    expect(pages.length).toBe(5)
    expect(pages.join('\n')).toBe(LARGE)
  })

  it.each<[object, string]>([
    [{}, LARGE],
    [{ offset: null, limit: null }, LARGE],
    [{ limit: 2 }, 'result 0 of the tool\nresult 1 of the tool'],
    [{ offset: 2_998.0 }, 'result 2998 of the tool\nresult 2999 of the tool'],
    [{ offset: 1, limit: 1.0 }, 'result 1 of the tool'],
    [{ offset: 3_000 }, ''],
    [{ limit: 1e308 }, LARGE],
    [{ offset: 2_999, limit: Number.MAX_SAFE_INTEGER }, 'result 2999 of the tool'],
  ])('reads %j', async (range, text) => {
    const service = await withFile(LARGE)
    const { json } = await service.post('/read_file', { absolute_path: 'cache_file/tool_call_a.txt', ...range })
    expect(json).toMatchObject({ success: true, answer: text, messages: [] })
  })

  it('returns any text unchanged', async () => {
    for (const text of [`\u{FEFF}a\r\nb\n\n${LARGE}\n`, `\0\u0001"\\ ${LARGE} \u2028`, `😀 é ${LARGE}`]) {
      const service = await withFile(text)
      expect(await read(service, 'cache_file/tool_call_a.txt')).toBe(text)
    }
  })

  it.each<[object, number, string]>([
    [{ absolute_path: 'cache_file/other.txt' }, 404, 'Failed to read file "cache_file/other.txt": File not found.'],
    [{ absolute_path: 'cache_file' }, 404, 'File not found'],
    [{ absolute_path: '' }, 422, ''],
    [{}, 422, ''],
    [{ absolute_path: 'cache_file/tool_call_a.txt', offset: -1 }, 422, 'Offset must be a non-negative number'],
    [{ absolute_path: 'cache_file/tool_call_a.txt', limit: 0 }, 422, 'Limit must be a positive number'],
    [
      { absolute_path: 'cache_file/tool_call_a.txt', offset: 3_001 },
      416,
      'Offset 3001 is beyond file length (3000 lines)',
    ],
    [{ absolute_path: 'cache_file/tool_call_a.txt', offset: 1e308 }, 416, 'is beyond file length (3000 lines)'],
    [{ absolute_path: '../cache_file/tool_call_a.txt' }, 400, '..'],
  ])('refuses %j', async (body, status, message) => {
    const service = await withFile(LARGE)
    const answer = await service.post('/read_file', body)
    expect(answer).toMatchObject({ status, json: { success: false, messages: [] } })
    expect(answer.json.answer).toContain(message)
  })
})
