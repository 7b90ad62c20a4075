/** Runs the SDK's real Claude Code with its own home folder, against a model on the loopback interface. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { query, type Options, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { ModelTurn } from '@spillway-internal/adapter-suite'
import { startFakeApi, type ApiRequest } from './fake-api.ts'

/** Reason why the binary cannot run here, or `undefined` if it can. */
export const whyNoBinary: string | undefined = findProblem()

function findProblem(): string | undefined {
  const { platform, arch } = process
  const sdk = createRequire(fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk')))
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } }
  const libc = platform === 'linux' && header.glibcVersionRuntime === undefined ? '-musl' : ''
  const name = `@anthropic-ai/claude-agent-sdk-${platform}-${arch}${libc}`
  try {
    sdk.resolve(`${name}/package.json`)
    return undefined
  } catch (error) {
    return `${name} is not installed: ${(error as Error).message.split('\n', 1)[0]}`
  }
}

/** Folders in which Claude Code runs. */
export interface ClaudeHome {
  /** The user's home folder for Claude Code. */
  readonly home: string
  readonly cwd: string
}

/** Run `work` with an empty home folder and an empty working directory, which are removed afterwards. */
export async function withClaudeHome<Result>(work: (home: ClaudeHome) => Promise<Result>): Promise<Result> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spillway-claude-')))
  try {
    const folders = { home: join(root, 'home'), cwd: join(root, 'cwd') }
    await mkdir(folders.home)
    await mkdir(folders.cwd)
    return await work(folders)
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** One run of Claude Code. */
export interface ClaudeRun extends ClaudeHome {
  readonly model: (request: ApiRequest) => ModelTurn
  readonly options: Options
  readonly prompt?: string
  readonly onMessage?: (message: SDKMessage) => void
}

/** Run Claude Code to its end; rejects as the SDK does. */
export async function runClaude({ home, cwd, model, options, prompt = 'Go.', onMessage }: ClaudeRun): Promise<void> {
  const api = await startFakeApi(model)
  try {
    const messages = query({
      prompt,
      options: {
        model: 'claude-sonnet-4-5',
        settingSources: [],
        cwd,
        maxTurns: 40,
        ...options,
        env: { ...claudeEnv(home, api.url), ...options.env },
      },
    })
    for await (const message of messages) onMessage?.(message)
  } finally {
    await api.close()
  }
}

/** An environment in which Claude Code has no data of this machine, and reaches only the loopback interface. */
export function claudeEnv(home: string, url: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    ...forTestRun(),
  }
}

/** Variables that a test run passes on to every process. */
function forTestRun(): Record<string, string> {
  const names = ['NODE_COMPILE_CACHE', 'SPILLWAY_TEST_FILE']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** The file in which Claude Code stores the transcript of a session. */
export function transcriptPath({ home, cwd }: ClaudeHome, sessionId: string): string {
  return join(home, '.claude/projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`)
}

/** Read the transcript of a session, or return an empty string without a transcript. */
export async function readTranscript(home: ClaudeHome, sessionId: string): Promise<string> {
  return readFile(transcriptPath(home, sessionId), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** Write the transcript of an earlier session to the place where Claude Code looks for it. */
export async function writeTranscript(home: ClaudeHome, sessionId: string, text: string): Promise<void> {
  const path = transcriptPath(home, sessionId)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
