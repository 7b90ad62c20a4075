/** Runs the tools of the real Claude Code, and checks the large output that the model sees. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { createSdkMcpServer, tool, type HookInput, type Options } from '@anthropic-ai/claude-agent-sdk'
import type { ModelTurn, ToolCall } from '@spillway-internal/adapter-suite'
import { ContextOffloader, estimateTokens, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { offloadOptions } from '../src/index.ts'
import { runClaude, whyNoBinary, withClaudeHome, type ClaudeHome } from './claude-code.ts'
import type { ApiRequest } from './fake-api.ts'
import { servePage } from './loopback-page.ts'
import { readPrompt } from './read-prompt.ts'

const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'Agent']
const LINES = Array.from({ length: 3_000 }, (_, line) => `line ${line} ${line === 1_234 ? 'status=FAILED' : 'ok'}`)
const TEXT = LINES.join('\n')
const RETRIEVE = 'mcp__spillway__retrieve_offloaded_content'

let storage: InMemoryStorage
let offloader: ContextOffloader
let events: OffloadEvent[]
let sessions: Set<string>
/** The text of each result that the model has seen, by the id of its call. */
let seen: Map<string, string>

beforeEach(() => {
  storage = new InMemoryStorage()
  events = []
  sessions = new Set()
  seen = new Map()
  offloader = new ContextOffloader({ storage, onEvent: (event) => events.push(event) })
})

const call = (id: string, name: string, input: object): ToolCall => ({ id, name, input })
const sideAnswer: ModelTurn = { text: TEXT }

/** Run these rounds of tool calls. Each round gets the results that were seen before it. */
async function runRounds(
  home: ClaudeHome,
  rounds: readonly (() => readonly ToolCall[])[],
  options: Options = {},
): Promise<void> {
  let round = 0
  const model = (request: ApiRequest): ModelTurn => {
    // Claude Code asks a separate model about the content of a page.
    if (request.tools?.some(({ name }) => name === 'Bash') !== true) return sideAnswer
    for (const { toolCallId, content } of readPrompt(request).results)
      seen.set(toolCallId, content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n'))
    const toolCalls = rounds[round]?.()
    round += 1
    return toolCalls === undefined ? { text: 'done' } : { toolCalls }
  }
  const remember = async (input: HookInput): Promise<object> => {
    sessions.add(input.session_id)
    return {}
  }
  const mine: Options = {
    tools: TOOLS,
    allowedTools: TOOLS,
    settings: { skipWebFetchPreflight: true },
    ...options,
    hooks: { PostToolUse: [{ hooks: [remember] }] },
  }
  await runClaude({ ...home, model, options: offloadOptions(mine, offloader) })
}

const referenceOf = (id: string): string =>
  /^\s*(?:\d+\t)? {2}(\w+) \(/m.exec(seen.get(id)?.split('[Stored references:]').at(-1) ?? '')?.[1] ?? ''

/** Read the stored content of the only session. */
async function storedOf(id: string): Promise<string> {
  const [session = ''] = sessions
  const { content } = await storage.scope(session).retrieve(referenceOf(id))
  return new TextDecoder().decode(content)
}

describe.skipIf(whyNoBinary !== undefined)(`Claude Code${whyNoBinary === undefined ? '' : ` (${whyNoBinary})`}`, () => {
  it('shows previews of Bash, Read, Grep, Glob, WebFetch, WebSearch and an agent, and stores all output', async () => {
    await withClaudeHome(async (home) => {
      const file = join(home.cwd, 'app.log')
      await writeFile(file, TEXT)
      await mkdir(join(home.cwd, 'many'))
      const names = Array.from({ length: 100 }, (_, index) => `many/${`${index}`.padStart(120, 'a-long-name-')}.txt`)
      await Promise.all(names.map((name) => writeFile(join(home.cwd, name), '')))
      const page = await servePage(TEXT, join(home.home, 'ca.pem'))
      const cat = 'cat app.log app.log app.log'
      await runRounds(
        home,
        [
          () => [
            call('bash', 'Bash', { command: 'cat app.log', description: 'show' }),
            call('large', 'Bash', { command: `${cat}; echo to the errors >&2`, description: 'show' }),
            call('read', 'Read', { file_path: file }),
            call('grep', 'Grep', { pattern: 'line', path: home.cwd, output_mode: 'content', head_limit: 0 }),
            call('glob', 'Glob', { pattern: 'many/*.txt', path: home.cwd }),
          ],
          () => [
            call('fetch', 'WebFetch', { url: page.url, prompt: 'All of it.' }),
            call('search', 'WebSearch', { query: 'logs' }),
          ],
          () => [
            call('answer', RETRIEVE, { reference: referenceOf('large'), pattern: 'FAILED', context_lines: 0 }),
            call('anywhere', RETRIEVE, { pattern: 'to the errors', context_lines: 0 }),
          ],
        ],
        { env: { NODE_EXTRA_CA_CERTS: join(home.home, 'ca.pem') } },
      )
      await page.close()
    })
    for (const id of ['bash', 'large', 'read', 'grep', 'glob', 'fetch', 'search']) {
      expect(seen.get(id), id).toContain('[Offloaded: 1 block')
      expect(estimateTokens(seen.get(id) ?? ''), id).toBeLessThan(2_500)
    }
    expect(await storedOf('bash')).toBe(TEXT)
    expect(await storedOf('large')).toContain(`${[TEXT, TEXT, TEXT].join('')}to the errors`)
    expect(await storedOf('read')).toBe(TEXT)
    expect((await storedOf('grep')).split('\n').length).toBeGreaterThanOrEqual(LINES.length)
    expect((await storedOf('glob')).split('\n')).toHaveLength(100)
    expect(await storedOf('fetch')).toContain('status=FAILED')
    expect(await storedOf('search')).toContain('status=FAILED')
    expect(seen.get('answer')).toContain('[3 matches]')
    expect(seen.get('anywhere')).toContain('to the errors')
    expect(events.filter(({ type }) => type === 'offload-failed')).toEqual([])
  })

  it('replaces an image, a notebook and a PDF by previews, and retrieves the image', async () => {
    // Claude Code itself shrinks images below the usual limit, so this limit is lower.
    offloader = new ContextOffloader({ storage, maxResultTokens: 440, previewTokens: 50 })
    const png = await withClaudeHome(async (home) => {
      const image = noisyPng(300, 200)
      await writeFile(join(home.cwd, 'a.png'), image)
      await writeFile(join(home.cwd, 'a.pdf'), `%PDF-1.4\n% ${'x'.repeat(20_000)}\n%%EOF`)
      const source = LINES.slice(0, 1_500).map((line) => `# ${line}\n`)
      const cells = [{ cell_type: 'code', id: 'one', source, outputs: [], metadata: {}, execution_count: 1 }]
      await writeFile(
        join(home.cwd, 'a.ipynb'),
        JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }),
      )
      await runRounds(home, [
        () => ['png', 'pdf', 'ipynb'].map((type) => call(type, 'Read', { file_path: join(home.cwd, `a.${type}`) })),
        () => [call('again', RETRIEVE, { reference: referenceOf('png') })],
      ])
      return image
    })
    expect(seen.get('png')).toMatch(/\[image: png, 300 × 200, [\d,]+ bytes\]/)
    expect(seen.get('pdf')).toMatch(/\[document: pdf, .*[\d,]+ bytes\]/)
    expect(seen.get('ipynb')).toContain('[Offloaded: 1 block')
    expect(await storedOf('ipynb')).toContain('line 1234 status=FAILED')
    expect(seen.get('again')).toMatch(/^\[image\]/)
    expect(png.length).toBeGreaterThan(100_000)
  })

  it('keeps small output, and accepts an edit of a file whose content was replaced by a preview', async () => {
    const edited = await withClaudeHome(async (home) => {
      const file = join(home.cwd, 'app.log')
      await writeFile(file, TEXT)
      const edit = { file_path: file, old_string: 'line 1234 status=FAILED', new_string: 'line 1234 status=MENDED' }
      await runRounds(home, [
        () => [call('echo', 'Bash', { command: 'echo hello', description: 'say' })],
        () => [call('part', 'Read', { file_path: file, offset: 10, limit: 3 })],
        () => [call('read', 'Read', { file_path: file })],
        () => [call('edit', 'Edit', edit)],
      ])
      return readFile(file, 'utf8')
    })
    expect(seen.get('echo')).toBe('hello')
    expect(seen.get('part')).toBe('10\tline 9 ok\n11\tline 10 ok\n12\tline 11 ok')
    expect(seen.get('read')).toContain('[Offloaded: 1 block')
    expect(seen.get('edit')).toMatch(/has been updated/)
    expect(edited).toBe(TEXT.replace('FAILED', 'MENDED'))
    expect(events).toMatchObject([{ type: 'offload', toolCallId: 'read' }])
  })

  it("offloads results and errors of the SDK's MCP server, even those that Claude Code would hide from hooks", async () => {
    const told: unknown[] = []
    const shouldOffload = ({ input }: { readonly input?: unknown }): boolean => told.push(input) > 0
    offloader = new ContextOffloader({ storage, shouldOffload, onEvent: (event) => events.push(event) })
    const long = 'word '.repeat(60_000)
    const failure = `${TEXT}\nFATAL: no space left`
    const server = createSdkMcpServer({
      name: 'logs',
      alwaysLoad: true,
      tools: [
        tool('read_log', 'Read.', { part: z.number() }, async () => ({ content: [{ type: 'text', text: long }] })),
        tool('build', 'Build.', {}, async () => ({ content: [{ type: 'text', text: failure }], isError: true })),
      ],
    })
    const allowedTools = [...TOOLS, 'mcp__logs__read_log', 'mcp__logs__build']
    const calls = [call('log', 'mcp__logs__read_log', { part: 1 }), call('build', 'mcp__logs__build', {})]
    await withClaudeHome((home) => runRounds(home, [() => calls], { mcpServers: { logs: server }, allowedTools }))
    expect(seen.get('log')).toContain('[Offloaded: 1 block')
    expect(await storedOf('log')).toBe(long)
    expect(seen.get('build')).toMatch(/^\[Offloaded: 1 block[^]*The tool failed[^]*FATAL: no space left/)
    expect(await storedOf('build')).toBe(failure)
    expect(events).toMatchObject([
      { type: 'offload', toolName: 'mcp__logs__read_log', toolCallId: 'log' },
      { type: 'offload', toolName: 'mcp__logs__build', toolCallId: 'build' },
    ])
    expect(told).toEqual([{ part: 1 }, {}])
  })

  it('offloads input and answers of a sub-agent in the scope of the session', async () => {
    const prompt = 'Read the log for me.'
    await withClaudeHome(async (home) => {
      await writeFile(join(home.cwd, 'app.log'), TEXT)
      let agentCalls = 0
      const mine: Options = { tools: TOOLS, allowedTools: TOOLS, hooks: {} }
      mine.hooks = {
        PostToolUse: [{ hooks: [async ({ session_id: id }) => (sessions.add(id), {})] }],
      }
      await runClaude({
        ...home,
        options: offloadOptions(mine, offloader),
        model(request) {
          const isAgent = JSON.stringify(request.messages[0]).includes(prompt)
          const { results } = readPrompt(request)
          for (const { toolCallId, content } of results)
            seen.set(toolCallId, content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
          if (isAgent) {
            agentCalls += 1
            const bash = call('inner', 'Bash', { command: 'cat app.log', description: 'show' })
            return agentCalls === 1 ? { toolCalls: [bash] } : { text: TEXT }
          }
          const input = { description: 'read', prompt, subagent_type: 'general-purpose', run_in_background: false }
          return results.length === 0 ? { toolCalls: [call('agent', 'Agent', input)] } : { text: 'done' }
        },
      })
    })
    expect(seen.get('inner')).toContain('[Offloaded: 1 block')
    expect(seen.get('agent')).toContain('[Offloaded: 1 block')
    expect(sessions.size).toBe(1)
    expect(await storedOf('inner')).toBe(TEXT)
    expect(await storedOf('agent')).toBe(TEXT)
  })
})

/** Make a PNG that compresses badly, as photographs do. */
function noisyPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const pixels = Buffer.from(
    Array.from({ length: (width * 3 + 1) * height }, (_, at) =>
      at % (width * 3 + 1) === 0 ? 0 : Math.imul(at, 2_654_435_761) >>> 24,
    ),
  )
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = chunk('IDAT', deflateSync(pixels, { level: 0 }))
  return Buffer.concat([signature, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))])
}
