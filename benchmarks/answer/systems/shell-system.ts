import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolResult } from '../answer-case.ts'
import { escapeRegex, inlineSession, type Intent, type Session, type System } from './system.ts'

const FILE = '/tmp/out.txt'
const TIMEOUT_MS = 10_000
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

/** What a host does with a large result, as its documentation or code states it. */
interface Rule {
  readonly name: string
  readonly statedBy: string
  /** Characters up to which a result stays whole. */
  readonly limit: number
  /** Characters of an answer of the shell, at most; the middle of a longer one is left out. */
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

/** Hosts whose rules are stated, with a real file and the real `grep`, `sed`, `tail`, `wc`, and `jq`. */
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
      const command = commandFor(intent)
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

/** Run a command in a folder, without the environment of this process; what fails is part of the output. */
function runInShell(command: string, cwd: string): Promise<string> {
  const options = {
    cwd,
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 28,
    env: { PATH: process.env['PATH'], HOME: cwd, LC_ALL: 'C.UTF-8' },
  }
  return new Promise((resolve) => {
    execFile('bash', ['--norc', '--noprofile', '-c', command], options, (error, stdout, stderr) => {
      const ended = error !== null && error.killed === true ? `\nThe command was ended after ${TIMEOUT_MS} ms.` : ''
      resolve(`${stdout}${stderr}${ended}`)
    })
  })
}

function commandFor(intent: Intent): string | undefined {
  switch (intent.want) {
    case 'grep': {
      const flags = `-nE${intent.ignoreCase ? 'i' : ''}${intent.context > 0 ? ` -C ${intent.context}` : ''}`
      const end = intent.fromEnd === true ? ' | tail -n 120' : ''
      return `grep ${flags} -e ${quote(intent.literals.map(escapeRegex).join('|'))} ${FILE}${end}`
    }
    case 'count':
      return `grep -cF -e ${quote(intent.literal)} ${FILE}`
    case 'lines':
      return `sed -n '${intent.first},${intent.last}p' ${FILE}`
    case 'tail':
      return `tail -n ${intent.count} ${FILE}`
    case 'total':
      return `wc -l ${FILE}`
    case 'sibling':
      return jq(
        `.. | objects | select(.[${JSON.stringify(intent.keyName)}]? == ${JSON.stringify(intent.key)}) | .[${JSON.stringify(intent.field)}]`,
      )
    case 'path':
      return jq(`.${intent.path.map((key) => `[${JSON.stringify(key)}]`).join('')}`)
    case 'rows':
      return `head -n 1 ${FILE}; grep -nF -e ${quote(intent.key)} ${FILE}`
    case 'count-rows':
      return `awk -F '[,\\t]' -v name=${quote(intent.column)} -v value=${quote(intent.value)} 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 && $c == value { n++ } END { print n + 0 }' ${FILE}`
    case 'all':
      return `cat ${FILE}`
    default:
      return undefined
  }
}

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
const jq = (filter: string): string => `jq -c ${quote(filter)} ${FILE}`

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const [tokens, left] = [Math.ceil(text.length / 4), Math.ceil((text.length - 2 * half) / 4)]
  return `Warning: truncated output (original token count: ${tokens})\nTotal output lines: ${text.split('\n').length}\n\n${text.slice(0, half)}…${left} tokens truncated…${text.slice(-half)}`
}
