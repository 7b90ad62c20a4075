import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextOffloader, estimateTokens, type OffloadEvent } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { offloadToolOutput } from './offload-tool-output.ts'
import type { PostToolUseInput } from './post-tool-use.ts'

const LOG = Array.from({ length: 20_000 }, (_, line) => `line ${line} ok`).join('\n')

let folder: string
let storage: InMemoryStorage
let events: OffloadEvent[]
let offloader: ContextOffloader

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spillway-hook-'))
  await mkdir(join(folder, 'project/session-1/tool-results'), { recursive: true })
  storage = new InMemoryStorage()
  events = []
  offloader = new ContextOffloader({ storage, onEvent: (event) => events.push(event) })
})

afterEach(() => rm(folder, { recursive: true }))

const saved = (name = 'output.txt'): string => join(folder, 'project/session-1/tool-results', name)

const bash = (response: object): PostToolUseInput => ({
  session_id: 'session-1',
  transcript_path: join(folder, 'project/session-1.jsonl'),
  tool_name: 'Bash',
  tool_use_id: 'toolu_1',
  tool_input: { command: 'cat app.log' },
  tool_response: { stdout: LOG.slice(0, 30_000), stderr: '', interrupted: false, ...response },
})

async function shown(input: PostToolUseInput, own = offloader): Promise<string | undefined> {
  const { hookSpecificOutput } = await offloadToolOutput(own, input)
  return (hookSpecificOutput?.updatedToolOutput as { stdout: string } | undefined)?.stdout
}

async function storedText(text: string | undefined): Promise<string> {
  const [, reference = ''] = /\[Stored references:\]\n {2}(\w+)/.exec(text ?? '') ?? []
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode((await storage.retrieve(reference)).content)
}

describe('output that Claude Code has saved to a file', () => {
  it('is stored whole, and its path is hidden from the model', async () => {
    await writeFile(saved(), LOG)
    const input = bash({ persistedOutputPath: saved(), persistedOutputSize: LOG.length })
    const { hookSpecificOutput } = await offloadToolOutput(offloader, input)
    expect(hookSpecificOutput?.updatedToolOutput).not.toHaveProperty('persistedOutputPath')
    const text = await shown(input)
    expect(text).toContain('line 19999 ok')
    expect(await storedText(text)).toBe(LOG)
    expect(await shown(input)).toBe(text)
  })

  it('is stored byte for byte if it is not UTF-8, followed by standard error', async () => {
    const bytes = Buffer.concat([Buffer.from([0x68, 0xff, 0x0a]), Buffer.from(LOG)])
    await writeFile(saved(), bytes)
    const text = await shown(bash({ persistedOutputPath: saved(), stderr: 'broken pipe' }))
    expect(text).toMatch(/^\[Offloaded: /)
    const [, reference = ''] = /\[Stored references:\]\n {2}(\w+)/.exec(text ?? '') ?? []
    const { content } = await storage.retrieve(reference)
    expect(Buffer.from(content).equals(Buffer.concat([bytes, Buffer.from('\nbroken pipe')]))).toBe(true)
  })

  it('is never completely in memory if it is large', async () => {
    const line = Buffer.from(`${'x'.repeat(99)}\n`)
    await writeFile(saved(), Buffer.concat(Array.from({ length: 400_000 }, () => line)))
    const own = new ContextOffloader({ storage: new FileStorage(join(folder, 'store')) })
    const before = process.memoryUsage().rss
    const text = await shown(bash({ persistedOutputPath: saved() }), own)
    expect(text).toContain('40,000,000 bytes, 400,000 lines')
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000)
  })

  it('is kept if shouldOffload declines, or if storing fails', async () => {
    await writeFile(saved(), LOG)
    await writeFile(saved('large.txt'), `${'x'.repeat(99)}\n`.repeat(90_000))
    const declining = new ContextOffloader({ storage, shouldOffload: () => false })
    const store = async (): Promise<never> => Promise.reject(new Error('no space'))
    const failing = new ContextOffloader({
      storage: { store, retrieve: store },
      onEvent: (event) => events.push(event),
    })
    for (const path of [saved(), saved('large.txt')])
      for (const own of [declining, failing])
        expect(await offloadToolOutput(own, bash({ persistedOutputPath: path }))).toEqual({})
    expect(events.map(({ type }) => type)).toEqual(['offload-failed', 'offload-failed'])
  })

  it.each([
    ['outside of the folders of Claude Code', () => join(folder, 'secret.txt')],
    ['beside the results', () => join(folder, 'project/secret.txt')],
    ['with dots to another folder', () => `${saved('..')}/../../secret.txt`],
    ['through a link', () => saved('link.txt')],
    ['through a linked folder', () => join(folder, 'project/linked/tool-results/secret.txt')],
    ['that is a folder', () => join(folder, 'project/session-1/tool-results')],
    ['that does not exist', () => saved('gone.txt')],
    ['with a null byte', () => saved('a\0b')],
    ['that is relative', () => 'tool-results/output.txt'],
    ['that is not a string', () => 7],
  ])('is not read from a path %s', async (_what, path) => {
    await writeFile(join(folder, 'secret.txt'), LOG)
    await writeFile(join(folder, 'project/secret.txt'), LOG)
    await mkdir(join(folder, 'elsewhere/tool-results'), { recursive: true })
    await writeFile(join(folder, 'elsewhere/tool-results/secret.txt'), LOG)
    await symlink(join(folder, 'secret.txt'), saved('link.txt'))
    await symlink(join(folder, 'elsewhere'), join(folder, 'project/linked'))
    expect(await offloadToolOutput(offloader, bash({ persistedOutputPath: path() }))).toEqual({})
    expect(events).toEqual([])
  })
})

it('the hook returns nothing for calls of its own tool, for small output and for unknown tools', async () => {
  const own = { ...bash({}), tool_name: 'mcp__spillway__retrieve_offloaded_content', tool_response: LOG }
  expect(await offloadToolOutput(offloader, own)).toEqual({})
  expect(await offloadToolOutput(offloader, bash({ stdout: 'hello' }))).toEqual({})
  expect(await offloadToolOutput(offloader, { ...bash({}), tool_name: 'TodoWrite' })).toEqual({})
  expect(events).toEqual([])
})

it('the hook stores the larger of stdout and stderr, so that the remaining output is within the limit', async () => {
  const { hookSpecificOutput } = await offloadToolOutput(offloader, bash({ stdout: LOG, stderr: LOG }))
  const { stdout, stderr } = Object(hookSpecificOutput?.updatedToolOutput) as { stdout: string; stderr: string }
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^\[Offloaded: 2 blocks/)
  expect(estimateTokens(stdout)).toBeLessThan(2_500)
})
