import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolResult } from '../answer-case.ts'
import { runInShell } from './run-in-shell.ts'
import { shellCommand } from './shell-command.ts'
import { inlineSession, type Session, type System } from './system.ts'

const FILE = '/tmp/out.txt'
const BASH = {
  name: 'bash',
  description: 'Run a command in bash and return its output.',
  inputSchema: {
    type: 'object',
    properties: { command: { type: 'string', description: 'The command to run.' } },
    required: ['command'],
    additionalProperties: false,
  },
}

/** The treatment of a large result by a host, according to its documentation or code. */
interface Rule {
  readonly name: string
  readonly statedBy: string
  /** Limit in characters up to which a result is not changed. */
  readonly limit: number
  /** Limit in characters of a shell answer. The middle of a longer answer is left out. */
  readonly answerLimit: number
  preview(text: string): string
}

const RULES: readonly Rule[] = [
  {
    name: 'head+tail, 1,000 tokens',
    statedBy: 'the plainest rule: half of the budget for each end',
    limit: 10_000,
    answerLimit: 10_000,
    preview: (text) =>
      `Output too large (${text.length} characters). Saved to ${FILE}\n${text.slice(0, 2_000)}\n… ${text.length - 4_000} characters …\n${text.slice(-2_000)}`,
  },
  {
    name: 'Claude Code',
    statedBy: 'its settings reference: over 30,000 characters a file and the first 2,000',
    limit: 30_000,
    answerLimit: 30_000,
    preview: (text) =>
      `<persisted-output>\nOutput too large (${(Buffer.byteLength(text) / 1_024).toFixed(1)}KB). Full output saved to: ${FILE}\n\nPreview (first 2KB):\n${text.slice(0, 2_000)}\n...\n</persisted-output>`,
  },
  {
    name: 'codex',
    statedBy: 'its truncation library: 10 KiB, half for each end',
    limit: 10_240,
    answerLimit: 10_240,
    preview: (text) => cutMiddle(text, 10_240),
  },
  {
    name: 'gemini-cli',
    statedBy: 'its core: over 40,000 characters a file, the first fifth and the last four fifths of 40,000',
    limit: 40_000,
    answerLimit: 40_000,
    preview: (text) =>
      `Output too large. Showing first 8,000 and last 32,000 characters. For full output see: ${FILE}\n${text.slice(0, 8_000)}\n\n... [${text.length - 40_000} characters omitted] ...\n\n${text.slice(-32_000)}`,
  },
]

/** Hosts that are emulated by their rules, with a real file and the real `grep`, `sed`, `tail`, `wc`, and `jq`. */
export const shellSystems: readonly System[] = RULES.map((rule) => ({
  name: rule.name,
  version: rule.statedBy,
  emulated: true,
  takes: () => true,
  open: (result: ToolResult) => Promise.resolve(openSession(result, rule)),
}))

function openSession({ text }: ToolResult, { limit, answerLimit, preview }: Rule): Session {
  if (text.length <= limit) return inlineSession(text)
  const folder = mkdtempSync(join(tmpdir(), 'answer-shell-'))
  const file = join(folder, 'out.txt')
  writeFileSync(file, text)
  return {
    shown: preview(text),
    inline: false,
    tools: [BASH],
    literalOnly: false,
    plan: (intent) => {
      const command = shellCommand(intent, FILE)
      return command === undefined ? undefined : { tool: BASH.name, input: { command } }
    },
    run: async ({ input }) => {
      const output = await runInShell(String(input['command']).replaceAll(FILE, file), folder)
      return cutMiddle(output.replaceAll(file, FILE), answerLimit)
    },
    hits: (answer) => [...answer.matchAll(/^(\d+):/gm)].map((match) => Number(match[1])),
    totalLines: (answer) => {
      const match = /^(\d+) \/tmp\/out\.txt$|^Total output lines: (\d+)$/m.exec(answer)
      return match === null ? undefined : Number(match[1] ?? match[2])
    },
    counted: (answer) => (/^\d+\n?$/.test(answer) ? Number(answer) : undefined),
    next: () => undefined,
    offered: () => [],
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const [tokens, left] = [Math.ceil(text.length / 4), Math.ceil((text.length - 2 * half) / 4)]
  return `Warning: truncated output (original token count: ${tokens})\nTotal output lines: ${text.split('\n').length}\n\n${text.slice(0, half)}…${left} tokens truncated…${text.slice(-half)}`
}
