import { describe, expect, it } from 'vitest'
import type { PostToolUseInput } from './post-tool-use.ts'
import { offloadedTools, partOfBlock, readToolOutput } from './tool-output.ts'

const request = (tool: string, response: unknown, input: unknown = {}): PostToolUseInput => ({
  session_id: 'session-1',
  transcript_path: '/home/.claude/projects/app/session-1.jsonl',
  tool_name: tool,
  tool_use_id: 'toolu_1',
  tool_input: input,
  tool_response: response,
})

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BASE64 = Buffer.from(PNG).toString('base64')

/** For each tool: its output, the blocks that the model sees, and the output with a text in their place. */
const SHAPES: readonly (readonly [tool: string, response: object, blocks: readonly unknown[], written: object])[] = [
  [
    'Bash',
    {
      stdout: 'out',
      stderr: '',
      interrupted: false,
      isImage: false,
      persistedOutputPath: '/x',
      persistedOutputSize: 3,
    },
    [{ type: 'text', text: 'out' }],
    { stdout: 'NEW', stderr: '', interrupted: false, isImage: false },
  ],
  [
    'Bash',
    { stdout: `data:image/png;base64,${BASE64}`, stderr: '', interrupted: false, isImage: true },
    [{ type: 'image', mediaType: 'image/png', data: PNG }],
    { stdout: 'NEW', stderr: '', interrupted: false, isImage: false },
  ],
  [
    'Read',
    { type: 'text', file: { filePath: '/a', content: 'x\ny', numLines: 2, startLine: 5, totalLines: 9 } },
    [{ type: 'text', text: 'x\ny' }],
    { type: 'text', file: { filePath: '/a', content: 'NEW', numLines: 1, startLine: 1, totalLines: 9 } },
  ],
  [
    'Read',
    { type: 'image', file: { base64: BASE64, type: 'image/png', originalSize: 8 } },
    [{ type: 'image', mediaType: 'image/png', data: PNG }],
    { type: 'text', file: { filePath: '/asked', content: 'NEW', numLines: 1, startLine: 1, totalLines: 1 } },
  ],
  [
    'Read',
    { type: 'pdf', file: { filePath: '/a.pdf', base64: 'JVBERi0=', originalSize: 5 } },
    [{ type: 'document', mediaType: 'application/pdf' }],
    { type: 'text', file: { filePath: '/a.pdf', content: 'NEW', numLines: 1, startLine: 1, totalLines: 1 } },
  ],
  [
    'Read',
    { type: 'notebook', file: { filePath: '/a.ipynb', cells: [{ cellType: 'code', source: '1' }] } },
    [{ type: 'json', value: [{ cellType: 'code', source: '1' }] }],
    { type: 'text', file: { filePath: '/a.ipynb', content: 'NEW', numLines: 1, startLine: 1, totalLines: 1 } },
  ],
  [
    'Grep',
    { mode: 'content', numFiles: 0, filenames: [], content: 'a:1:x', numLines: 1, appliedLimit: 250 },
    [{ type: 'text', text: 'a:1:x' }],
    { mode: 'content', numFiles: 0, filenames: [], content: 'NEW', numLines: 1, appliedLimit: 250 },
  ],
  [
    'Grep',
    { mode: 'files_with_matches', numFiles: 2, filenames: ['a', 'b'] },
    [{ type: 'text', text: 'a\nb' }],
    { mode: 'content', numFiles: 2, filenames: [], content: 'NEW', numLines: 1 },
  ],
  [
    'Grep',
    { mode: 'count', numFiles: 1, filenames: [], content: 'a:3', numMatches: 3 },
    [{ type: 'text', text: 'a:3' }],
    { mode: 'content', numFiles: 1, filenames: [], content: 'NEW', numLines: 1, numMatches: 3 },
  ],
  [
    'Glob',
    { filenames: ['a', 'b'], durationMs: 1, numFiles: 2, truncated: false },
    [{ type: 'text', text: 'a\nb' }],
    { filenames: ['NEW'], durationMs: 1, numFiles: 2, truncated: false },
  ],
  [
    'WebFetch',
    { bytes: 4, code: 200, codeText: 'OK', result: 'page', durationMs: 1, url: 'https://a' },
    [{ type: 'text', text: 'page' }],
    { bytes: 4, code: 200, codeText: 'OK', result: 'NEW', durationMs: 1, url: 'https://a' },
  ],
  [
    'WebSearch',
    { query: 'q', results: ['words', { tool_use_id: 't', content: [{ title: 'A', url: 'https://a' }] }] },
    [
      { type: 'text', text: 'words' },
      { type: 'json', value: { tool_use_id: 't', content: [{ title: 'A', url: 'https://a' }] } },
    ],
    { query: 'q', results: ['NEW'] },
  ],
  [
    'Agent',
    { status: 'completed', content: [{ type: 'text', text: 'found' }], totalTokens: 3 },
    [{ type: 'text', text: 'found' }],
    { status: 'completed', content: [{ type: 'text', text: 'NEW' }], totalTokens: 3 },
  ],
  [
    'ReadMcpResourceTool',
    {
      contents: [
        { uri: 'u:1', mimeType: 'text/html', text: 'resource' },
        { uri: 'u:2', blobSavedTo: '/x' },
      ],
    },
    [
      { type: 'text', text: 'resource', name: 'u:1', mediaType: 'text/html' },
      { type: 'unknown', value: { uri: 'u:2', blobSavedTo: '/x' } },
    ],
    { contents: [{ uri: 'u:1', text: 'NEW' }] },
  ],
]

describe('readToolOutput', () => {
  it.each(SHAPES)('reads and writes the output of %s: %j', (tool, response, blocks, written) => {
    const output = readToolOutput(request(tool, response, { file_path: '/asked' }))
    expect(output?.parts.map(({ block }) => block)).toMatchObject(blocks)
    expect(output?.write('NEW', [])).toEqual(written)
  })

  it("names the text of a resource that an MCP server's tool returns", () => {
    const [text, other] = ['[Resource from notes at file:///a%20b.md] # Notes', '[Resource from nowhere] # Notes']
    const response = [text, other].map((one) => ({ type: 'text', text: one }))
    const blocks = readToolOutput(request('mcp__a__b', response))?.parts.map(({ block }) => block)
    expect(blocks).toEqual([
      { type: 'text', text, name: 'file:///a%20b.md' },
      { type: 'text', text: other },
    ])
  })

  it('keeps the remaining parts as the same objects', () => {
    const [small, large] = [
      { type: 'text', text: 'small' },
      { type: 'text', text: 'large' },
    ]
    const output = readToolOutput(request('mcp__a__b', [large, small]))
    const [, kept] = output?.parts ?? []
    const written = output?.write('NEW', kept === undefined ? [] : [kept]) as unknown[]
    expect(written).toEqual([{ type: 'text', text: 'NEW' }, small])
    expect(written[1]).toBe(small)
  })

  it('replaces a large stderr, and keeps stdout', () => {
    const response = { stdout: 'out', stderr: 'a long text', interrupted: false }
    const output = readToolOutput(request('Bash', response))
    const [out, err] = output?.parts ?? []
    expect(out && output?.write('NEW', [out])).toEqual({ stdout: 'out', stderr: 'NEW', interrupted: false })
    expect(err && output?.write('NEW', [err])).toMatchObject({ stdout: 'NEW', stderr: 'a long text' })
  })

  it('reads JSON of an MCP tool as a value only if no digit is lost', () => {
    const blockOf = (text: string): unknown => readToolOutput(request('mcp__a__b', text))?.parts[0]?.block
    expect(blockOf('{"a":[1]}')).toEqual({ type: 'json', value: { a: [1] } })
    for (const text of ['{"a":12345678901234567890}', '{"a": 1}', '{"a":1,"a":2}', '"a"', '1', '{', '[1,]'])
      expect(blockOf(text)).toEqual({ type: 'text', text })
    expect(readToolOutput(request('mcp__a__b', 'x'))?.write('NEW', [])).toBe('NEW')
  })

  it('finds MCP tools without a prefix by their server, and ignores paths of images', () => {
    const response = [{ type: 'text', text: '[Image: source: /x/tool-results/mcp-a-blob-1-abc.png]' }]
    const output = readToolOutput({ ...request('read_log', response), mcp_server: { name: 'a', source: 'sdk' } })
    expect(output?.parts.map(({ block }) => block)).toEqual([{ type: 'unknown', value: undefined }])
    expect(readToolOutput(request('read_log', response))).toBeUndefined()
  })

  it.each([
    ['Edit', { filePath: '/a', originalFile: 'x' }],
    ['Write', { type: 'create', content: 'x' }],
    ['constructor', {}],
    ['__proto__', {}],
    ['Bash', { stdout: 1 }],
    ['Bash', { stdout: 'x', structuredContent: [{ type: 'text', text: 'x' }] }],
    ['Bash', null],
    ['Read', { type: 'text', file: null }],
    ['Read', { type: 'parts', file: { filePath: '/a', count: 2 } }],
    ['Read', { type: 'image', file: { base64: 'not base64!' } }],
    ['Grep', { mode: 'content' }],
    ['Glob', { filenames: [1] }],
    ['WebFetch', 'text'],
    ['Agent', { status: 'async_launched', outputFile: '/x' }],
    ['mcp__a__b', { structured: true }],
    ['mcp__a__b', [null]],
    ['mcp__a__b', undefined],
  ])('ignores unknown output: %s %j', (tool, response) => {
    expect(readToolOutput(request(tool, response))).toBeUndefined()
  })
})

it('added blocks are written as parts of the Messages API', () => {
  const image = partOfBlock({ type: 'image', mediaType: 'image/png', data: PNG })
  expect(image.value).toEqual({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } })
  expect(partOfBlock({ type: 'text', text: 'x' }).value).toEqual({ type: 'text', text: 'x' })
  expect(partOfBlock({ type: 'json', value: [1] }).value).toEqual({ type: 'text', text: '[1]' })
})

it('tools that change files are not among the tools whose output may be offloaded', () => {
  expect(offloadedTools).toContain('Bash')
  for (const tool of ['Edit', 'Write', 'NotebookEdit']) expect(offloadedTools).not.toContain(tool)
})
